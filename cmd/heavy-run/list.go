package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
	"github.com/heavy-run/heavy-run/internal/words"
)

// How long a manager may take to answer, and to stop scopes: each has five seconds before it is killed.
const (
	askWait  = 10 * time.Second
	stopWait = 30 * time.Second
	redraw   = 2 * time.Second
)

// listed is one scope as --list --json writes it. Fields are only ever added; a number is null where the kernel gives none.
type listed struct {
	Unit        string   `json:"unit"`
	Class       string   `json:"class"`   // by its rule; empty for what was run by hand and is in none
	Command     string   `json:"command"` // by its rule, never with arguments
	Rule        string   `json:"rule"`
	Description string   `json:"description"`
	UID         int      `json:"uid"`
	Since       string   `json:"since"` // RFC 3339
	Seconds     *float64 `json:"age_seconds"`
	Memory      *uint64  `json:"memory_bytes"`
	Peak        *uint64  `json:"peak_bytes"`
	Limit       *uint64  `json:"limit_bytes"`
	Swap        *uint64  `json:"swap_bytes"`
	Tasks       *uint64  `json:"tasks"`
	Kills       uint64   `json:"oom_kills"`
	Origin      string   `json:"origin"`      // the unit with which it ends
	OriginGone  bool     `json:"origin_gone"` // that one was restarted or stopped since: the next heavy command stops the scope
	Cgroup      string   `json:"cgroup"`
}

func describeScope(r scope.Running, now time.Time) listed {
	number := func(file string) *uint64 {
		n, err := r.Group.Limit(file)
		if err != nil || n == limits.Infinity {
			return nil
		}
		return &n
	}
	l := listed{
		Unit: r.Unit, Description: r.Description, UID: r.UID, Origin: r.Origin, OriginGone: r.Orphaned, Cgroup: r.Group.Path,
		Memory: number("memory.current"), Peak: number("memory.peak"), Limit: number("memory.max"),
		Swap: number("memory.swap.current"), Tasks: number("pids.current"),
		Kills: r.Group.Event("memory.events", "oom_kill"),
	}
	l.Command, l.Rule = subjectOf(r.Description)
	l.Class = classOf(l.Rule)
	if !r.Since.IsZero() {
		seconds := math.Round(now.Sub(r.Since).Seconds()*10) / 10
		l.Since, l.Seconds = r.Since.Format(time.RFC3339), &seconds
	}
	return l
}

// subjectOf takes a description apart again; see words.Description. One that somebody chose with --description is the command.
func subjectOf(description string) (command, rule string) {
	command = strings.TrimPrefix(description, "heavy-run: ")
	if body, ok := strings.CutSuffix(command, "]"); ok {
		if i := strings.LastIndex(body, " ["); i >= 0 {
			return command[:i], body[i+2:]
		}
	}
	return command, ""
}

func classOf(rule string) string {
	for _, r := range detect.Rules() {
		if r.ID == rule {
			return r.Class.String()
		}
	}
	if rule == "config.heavy" { // a Heavy= line
		return detect.Heavy.String()
	}
	return ""
}

func (v voice) list(runtimeDir string, asJSON bool) int {
	ctx, cancel := context.WithTimeout(context.Background(), askWait)
	defer cancel()
	running, err := scope.List(ctx, runtimeDir)
	if err != nil {
		return v.cannotAsk(err)
	}
	now := time.Now()
	rows := make([]listed, 0, len(running)) // not nil, which JSON would write as null
	for _, r := range running {
		rows = append(rows, describeScope(r, now))
	}
	if asJSON {
		return v.json(rows)
	}
	return v.print(table(rows))
}

// watch lists again and again, on a terminal in the same place, until it is interrupted.
func (v voice) watch(runtimeDir string, asJSON bool) int {
	clear := ""
	if isTerminal(v.stdout) && !asJSON {
		clear = "\x1b[H\x1b[2J"
	}
	for {
		screen := new(strings.Builder)
		if status := (voice{v.Voice, screen}).list(runtimeDir, asJSON); status != 0 {
			return status
		}
		if status := v.print(clear + screen.String()); status != 0 {
			return status
		}
		time.Sleep(redraw)
	}
}

func table(rows []listed) string {
	if len(rows) == 0 {
		return "no command is running in a scope of heavy-run\n"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "UNIT\tCLASS\tCOMMAND\tAGE\tMEMORY\tPEAK\tLIMIT\tTASKS\tKILLS\tFROM")
	for _, r := range rows {
		since := "-"
		if r.Seconds != nil {
			since = age(time.Duration(*r.Seconds * float64(time.Second)))
		}
		tasks := "-"
		if r.Tasks != nil {
			tasks = fmt.Sprint(*r.Tasks)
		}
		from := orDash(r.Origin)
		if r.OriginGone {
			from += " (gone)"
		}
		if r.UID != os.Geteuid() {
			from += fmt.Sprintf(" (uid %d)", r.UID)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", r.Unit, orDash(r.Class), printable(r.Command), since,
			size(r.Memory), size(r.Peak), size(r.Limit), tasks, r.Kills, from)
	}
	w.Flush()
	return b.String()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func size(n *uint64) string {
	if n == nil {
		return "-"
	}
	return limits.FormatSize(*n)
}

// stop ends the scopes with the given names, or all where none is given. Its status is 1 where one could not be stopped.
func (v voice) stop(runtimeDir string, names []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	running, err := scope.List(ctx, runtimeDir)
	if err != nil {
		return v.cannotAsk(err)
	}
	chosen, unknown := choose(running, names)
	for _, name := range unknown {
		v.Say(fmt.Sprintf("no scope of heavy-run is called %q; heavy-run --list shows them", name))
	}
	if len(unknown) > 0 {
		return 1
	}
	ended := make(chan error, len(chosen))
	for _, r := range chosen {
		go func() {
			err := r.Stop(ctx)
			if err != nil {
				err = fmt.Errorf("cannot stop %s: %w", r.Unit, err)
			}
			ended <- err
		}()
	}
	status := 0
	for range chosen {
		if err := <-ended; err != nil {
			v.Say(err.Error())
			status = 1
		}
	}
	return status
}

// choose finds scopes by the name of the unit, with or without what all names have in common. No names mean all.
func choose(running []scope.Running, names []string) (chosen []scope.Running, unknown []string) {
	if len(names) == 0 {
		return running, nil
	}
	byName := map[string]scope.Running{}
	for _, r := range running {
		byName[r.Unit] = r
	}
	for _, name := range names {
		full := scope.UnitPrefix + strings.TrimSuffix(strings.TrimPrefix(name, scope.UnitPrefix), ".scope") + ".scope"
		if r, ok := byName[full]; ok {
			chosen = append(chosen, r)
		} else {
			unknown = append(unknown, name)
		}
	}
	return chosen, unknown
}

func (v voice) cannotAsk(err error) int {
	lines := []string{fmt.Sprintf("cannot list the scopes: %v", err)}
	if mend := mendOf(err); mend != "" {
		lines = append(lines, "to mend it: "+mend)
	}
	v.Say(lines...)
	return words.StatusRefused
}
