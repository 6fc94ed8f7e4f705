package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/doctor"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/oomadj"
	"github.com/heavy-run/heavy-run/internal/scope"
	"github.com/heavy-run/heavy-run/internal/words"
)

// gatewayUnits are the units whose commands --doctor expects to be isolated.
const gatewayUnits = "openclaw-gateway*.service"

// examination is what --doctor --json writes. Fields are only ever added.
type examination struct {
	Isolation bool    `json:"isolation"` // the trial succeeded
	Checks    []check `json:"checks"`
	Trial     outcome `json:"trial"`
}

type check struct {
	ID     string `json:"id"`
	Status string `json:"status"` // ok, warn or problem
	What   string `json:"what"`
	Mend   string `json:"mend,omitempty"`
}

// outcome is what became of the trial.
type outcome struct {
	Receipt *receipt `json:"receipt,omitempty"`
	Cause   string   `json:"cause,omitempty"` // stable; see internal/scope/errors.go
	Error   string   `json:"error,omitempty"`
	Mend    string   `json:"mend,omitempty"`
}

// receipt is what the kernel said inside the scope.
type receipt struct {
	Unit          string `json:"unit"`
	Cgroup        string `json:"cgroup"`
	MemoryMax     uint64 `json:"memory_max"`
	MemorySwapMax uint64 `json:"memory_swap_max"`
	TasksMax      uint64 `json:"tasks_max"`
	OOMScoreAdj   int    `json:"oom_score_adj"`
}

// trialMemory is the limit of the scope that is tried, trialWait how long it may take: longer than guard waits.
const (
	trialMemory = "32M"
	trialWait   = 20 * time.Second
)

// doctor examines the host and tries a scope. Its status is 1 where the trial failed, whatever the reasons: only it proves
// that a heavy command can be isolated from here.
func (v voice) doctor(self launch.Self, runtimeDir string, settings *config.Settings, asJSON bool) int {
	tried := try(self)
	checks := []check{settingsCheck(settings)}
	for _, f := range doctor.Examine(host(self, runtimeDir)) {
		c := check{f.ID, f.Status.String(), f.What, f.Mend}
		if tried.Receipt != nil && f.Status == doctor.Problem {
			c.Status = doctor.Warning.String() // it works all the same
		}
		checks = append(checks, c)
	}
	e := examination{tried.Receipt != nil, checks, tried}
	status := 0
	if asJSON {
		status = v.json(e)
	} else {
		status = v.print(e.text())
	}
	if status == 0 && !e.Isolation {
		status = 1
	}
	return status
}

func host(self launch.Self, runtimeDir string) doctor.Host {
	ctx, cancel := context.WithTimeout(context.Background(), askWait)
	defer cancel()
	if runtimeDir == "" {
		runtimeDir = "/run/user/" + strconv.Itoa(os.Geteuid())
	}
	h := doctor.Host{
		Root:       os.DirFS("/"),
		UID:        os.Geteuid(),
		RuntimeDir: strings.TrimPrefix(path.Clean(runtimeDir), "/"),
		Wrapper:    path.Join(path.Dir(self.Path), "exec-prefix"),
		Build:      words.Version(),
	}
	h.WrapperBuild = wrapperBuild(ctx, h.Wrapper)
	if u, err := user.Current(); err == nil {
		h.User = u.Username
	}
	h.Manager, h.ManagerErr = scope.FindManager(ctx, runtimeDir)
	h.SystemBusErr = scope.AskSystemBus(ctx)
	h.Services = scope.Services(ctx, runtimeDir, gatewayUnits)
	return h
}

// wrapperBuild asks an exec-prefix for its version, by the name that it has for that. One that does not know it becomes a shell
// without a command.
func wrapperBuild(ctx context.Context, file string) string {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, file)
	cmd.Args[0] = words.VersionName
	cmd.Stderr = &stderr
	cmd.Run()
	build, _ := strings.CutPrefix(strings.TrimSpace(stderr.String()), "exec-prefix: ")
	return build
}

func settingsCheck(settings *config.Settings) check {
	const show = "heavy-run --show-config"
	switch {
	case len(settings.Problems) > 0:
		return check{"settings", doctor.Warning.String(), "ignored " + settings.Problems[0].String(), "correct it, and look at " + show}
	case settings.Enforcement < config.Isolate:
		return check{"settings", doctor.Warning.String(), "Enforcement=" + settings.Enforcement.String() + ": heavy commands are not isolated",
			"Enforcement=isolate in " + config.SystemFile}
	}
	return check{"settings", doctor.OK.String(), "Enforcement=" + settings.Enforcement.String(), ""}
}

// try moves a child of this program, not this process, into a scope.
func try(self launch.Self) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), trialWait)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "--trial")
	cmd.Args[0] = self.Path
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var o outcome
	if json.Unmarshal(stdout.Bytes(), &o) == nil && (o.Receipt != nil || o.Error != "") {
		return o
	}
	return outcome{Error: fmt.Sprintf("the trial ended with %v: %s", err, strings.TrimSpace(stderr.String()))}
}

// trial is that child: it enters a tiny scope, reads back what the kernel says and reports it as JSON.
func (v voice) trial(runtimeDir string, settings *config.Settings) int {
	if err := settings.Tighten("MemoryMax=" + trialMemory); err != nil {
		return v.usage(err)
	}
	oomadj.Raise(oomadj.Max)
	score, _ := oomadj.Raise(0)
	r, err := guard.Isolate(guard.Isolation{Settings: settings, RuntimeDir: runtimeDir, Description: "heavy-run: doctor", Must: true})
	if err != nil {
		o := outcome{Error: err.Error(), Mend: mendOf(err)}
		if cause, ok := scope.CauseOf(err); ok {
			o.Cause = cause.String()
		}
		return v.json(o)
	}
	got := receipt{Unit: r.Unit, Cgroup: r.Group.Path, MemoryMax: r.MemoryMax, OOMScoreAdj: score}
	got.MemorySwapMax, _ = r.Group.Limit("memory.swap.max")
	got.TasksMax, _ = r.Group.Limit("pids.max")
	r.Leave()
	return v.json(outcome{Receipt: &got})
}

// mendOf is what mends a failure to isolate; empty for other errors.
func mendOf(err error) string {
	if cause, ok := scope.CauseOf(err); ok {
		return cause.Mend()
	}
	return ""
}

func (e examination) text() string {
	var b strings.Builder
	line := func(status, id, what, mend string) {
		fmt.Fprintf(&b, "%-7s  %-11s  %s\n", status, id, printable(what))
		if mend != "" {
			fmt.Fprintf(&b, "%-7s  %-11s  mend: %s\n", "", "", mend)
		}
	}
	for _, c := range e.Checks {
		line(c.Status, c.ID, c.What, c.Mend)
	}
	if r := e.Trial.Receipt; r != nil {
		line("ok", "trial", fmt.Sprintf("a process was in %s: memory.max %s, memory.swap.max %s, pids.max %s, oom_score_adj %d", r.Unit,
			limits.FormatSize(r.MemoryMax), limits.FormatSize(r.MemorySwapMax), limits.FormatCount(r.TasksMax), r.OOMScoreAdj), "")
		b.WriteString("\nisolation works: heavy commands run in scopes of their own\n")
	} else {
		line("problem", "trial", e.Trial.Error, e.Trial.Mend)
		b.WriteString("\nisolation is impossible: heavy commands are refused until this is mended\n")
	}
	return b.String()
}
