// Package words holds what both programs say, to the reader of stderr and to the journal, about a command that was isolated,
// refused, made to wait or killed. Lines come without the program's name; the last one is the short imperative one, because
// clients show a model the tail of the output. Nothing is written but by a Voice, to where its program says.
package words

import (
	"fmt"
	"strings"
	"time"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/journal"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// Notice is what is said about one event.
type Notice struct {
	Lines []string // for stderr; none where silence is right
	Entry journal.Entry
}

// Command is what a notice is about.
type Command struct {
	Subject string // see Subject
	Verdict detect.Verdict
}

// notice completes an entry: its message is the first line, unless it has one of its own.
func (c Command) notice(e journal.Entry, lines ...string) Notice {
	e.Verdict = c.Verdict
	if e.Message == "" {
		e.Message = lines[0]
	}
	return Notice{lines, e}
}

// Isolated is for the journal alone.
func (c Command) Isolated(r scope.Receipt) Notice {
	return c.notice(journal.Entry{Event: journal.Isolated, Unit: r.Unit, Origin: r.Origin.Name(), Max: r.MemoryMax,
		Message: fmt.Sprintf("%s runs in %s with MemoryMax=%s", c.Subject, r.Unit, limits.FormatSize(r.MemoryMax))})
}

// Bypassed is for the journal alone: the operator asked for it, in the environment of a unit or, without one, in a file.
func (c Command) Bypassed(b guard.Bypass) Notice {
	where := "the operator's file"
	if b.Unit != "" {
		where = "the environment of " + b.Unit
	}
	return c.notice(journal.Entry{Event: journal.Bypassed, Origin: b.Unit,
		Message: fmt.Sprintf("%s runs with Enforcement=%s, set in %s", c.Subject, b.Enforcement, where)})
}

// NotIsolated is the refusal of a command that must be isolated and cannot be.
func (c Command) NotIsolated(err error) Notice {
	lines := []string{fmt.Sprintf("refused %q, it cannot be isolated: %v", c.Subject, err)}
	cause := "other"
	if c, ok := scope.CauseOf(err); ok {
		cause = c.String()
		lines = append(lines, "the operator can mend it: "+c.Mend())
	}
	lines = append(lines, "nothing was run: run something lighter, or ask the operator for isolation")
	return c.notice(journal.Entry{Event: journal.Refused, Cause: cause}, lines...)
}

// RefusedByPolicy is the refusal under Enforcement=refuse. It may repeat the command to its sender, but not to the journal.
// heavyRun is how heavy-run can be called there; empty where it is not installed.
func (c Command) RefusedByPolicy(heavyRun string) Notice {
	v := c.Verdict
	instead := "run something lighter, or ask the operator for heavy-run"
	if heavyRun != "" {
		instead = "use " + HeavyRun(heavyRun, v)
	}
	return c.notice(journal.Entry{Event: journal.Refused, Cause: "policy", Message: c.Subject + " was refused: Enforcement=refuse"},
		fmt.Sprintf("refused %q (%s): %s", v.Command, v.Rule, v.Reason),
		"nothing was run: "+instead)
}

// Waiting is said once, when a heavy command begins to wait.
func (c Command) Waiting(others []admission.Place, why string) Notice {
	var running []string
	ahead := 0
	for _, o := range others {
		if o.Running {
			running = append(running, fmt.Sprintf("%q %s", o.Subject, o.Since.Round(time.Second)))
		} else {
			ahead++
		}
	}
	text := "waiting for its turn: "
	if why != "" {
		text = "waiting for memory (" + why + "): "
	}
	text += fmt.Sprintf("%d running", len(running))
	if len(running) > 0 {
		text += ", " + strings.Join(running, ", ")
	}
	if ahead > 0 {
		text += fmt.Sprintf("; %d ahead", ahead)
	}
	return c.notice(journal.Entry{Event: journal.Waited, Message: c.Subject + " is " + text}, text)
}

// NoRoom is said when the wait was in vain.
func (c Command) NoRoom(waited time.Duration) Notice {
	return c.notice(journal.Entry{Event: journal.NoRoom},
		fmt.Sprintf("no room for %q after %s: other heavy commands hold the machine", c.Subject, waited.Round(time.Second)),
		"nothing was run: try again later")
}

// OutOfMemory explains a kill by the kernel.
func (c Command) OutOfMemory(r scope.Receipt, k scope.Kill) Notice {
	processes, last := "a process", ""
	if k.Processes > 1 {
		processes, last = fmt.Sprintf("%d processes", k.Processes), "the last was "
	}
	if k.Victim != "" {
		processes += fmt.Sprintf(" (%s%q)", last, k.Victim)
	}
	peak := ""
	if k.Peak > 0 {
		peak = ", peak " + limits.FormatSize(k.Peak)
	}
	const fewer = "use fewer workers or less input"
	var lines [2]string
	switch k.Limit {
	case scope.ScopeLimit:
		lines = [2]string{
			fmt.Sprintf("out of memory: the kernel killed %s of %q at this command's limit (MemoryMax=%s%s)",
				processes, c.Subject, limits.FormatSize(k.Max), peak),
			fewer + ", or ask the operator for a higher MemoryMax= in " + config.SystemFile,
		}
	case scope.SliceLimit:
		lines = [2]string{
			fmt.Sprintf("out of memory: the kernel killed %s of %q at the limit of all heavy commands together (%s%s)",
				processes, c.Subject, limits.FormatSize(k.Max), peak),
			"run it again alone, or " + fewer,
		}
	default:
		lines = [2]string{
			fmt.Sprintf("out of memory: the machine ran out and the kernel killed %s of %q below its own limit%s", processes, c.Subject, peak),
			"wait until the machine has free memory, or " + fewer,
		}
	}
	return c.notice(journal.Entry{Event: journal.OutOfMemory, Unit: r.Unit, Origin: r.Origin.Name(), Max: k.Max, Peak: k.Peak}, lines[:]...)
}

// maxQuoted is the length up to which a command is repeated in full for the reader to copy.
const maxQuoted = 400

// HeavyRun is the command line that runs the judged string isolated, by a heavy-run that is called program.
func HeavyRun(program string, v detect.Verdict) string {
	switch {
	case len(v.Inner) > maxQuoted:
		return program + " -c '…the same command…'"
	case strings.TrimSpace(v.Inner) == v.Command && !strings.ContainsAny(v.Command, "\n;&|<>()$`#*?[{~!"):
		return program + " -- " + v.Command
	}
	return program + " -c " + Quote(v.Inner)
}

// Subject names a command by the words of its rule. Unit listings, messages and logs use it, since arguments and environment
// values may hold secrets.
func Subject(v detect.Verdict) string {
	switch {
	case v.Program == "":
		return v.Class.String() + " command"
	case v.Subcommand == "":
		return v.Program
	}
	return v.Program + " " + v.Subcommand
}

// Description is the Description= of the scope of a command that is named subject.
func Description(subject string, v detect.Verdict) string {
	if v.Rule == "" {
		return "heavy-run: " + subject
	}
	return "heavy-run: " + subject + " [" + v.Rule + "]"
}

// Quote writes a word so that a POSIX shell reads it back as it is.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:=@%+,-", r))
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''''`) + "'"
}
