package main

import (
	"fmt"
	"io"
	"syscall"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/journal"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
	"github.com/heavy-run/heavy-run/internal/words"
)

// statusRefused is the exit status of a command that was not run. Not 126 or 127, which OpenClaw takes for a missing program,
// and never 2, which a Claude Code hook takes for "block this tool".
const statusRefused = 125

// statusNoRoom is EX_TEMPFAIL of sysexits.h: nothing is wrong, try again later.
const statusNoRoom = 75

// voice says on stderr whatever a user of this program ever reads, and knows the exit status that goes with it.
type voice struct{ stderr io.Writer }

func (v voice) say(lines ...string) {
	text := ""
	for _, line := range lines {
		text += "exec-prefix: " + line + "\n"
	}
	io.WriteString(v.stderr, text) // in one write: several commands may share the file
}

func (v voice) noShell(c call, err error) int {
	name := c.named
	if name == "" {
		name = "bash, zsh or sh"
	}
	v.say(fmt.Sprintf("no %s to run the command in: %v", name, err), "nothing was run: install bash, or correct PATH")
	return launch.FailureStatus(err)
}

func (v voice) cannotRun(command launch.Command, err error) int {
	v.say(fmt.Sprintf("cannot run %s: %v", command.Path, err))
	return launch.FailureStatus(err)
}

func (v voice) notRaised(err error) {
	v.say(fmt.Sprintf("going on with the oom_score_adj that is: %v", err))
}

// record adds to the journal. Nobody has to read it: an error changes nothing.
func (v voice) record(e journal.Entry) { journal.Write("exec-prefix", e) }

// bypassed is silent but for the journal: the operator asked for it.
func (v voice) bypassed(verdict detect.Verdict, enforcement config.Enforcement, unit string) {
	v.record(journal.Entry{Event: journal.Bypassed, Verdict: verdict, Origin: unit,
		Message: fmt.Sprintf("%s runs with Enforcement=%s, set in the environment of %s", words.Subject(verdict), enforcement, unit)})
}

func (v voice) isolated(verdict detect.Verdict, receipt scope.Receipt) {
	v.record(journal.Entry{Event: journal.Isolated, Verdict: verdict, Unit: receipt.Unit, Origin: receipt.Origin.Name(), Max: receipt.MemoryMax,
		Message: fmt.Sprintf("%s runs in %s with MemoryMax=%s", words.Subject(verdict), receipt.Unit, limits.FormatSize(receipt.MemoryMax))})
}

func (v voice) waiting(verdict detect.Verdict) func([]admission.Place, string) {
	return func(others []admission.Place, why string) {
		text := words.Waiting(others, why)
		v.say(text)
		v.record(journal.Entry{Event: journal.Waited, Verdict: verdict, Message: words.Subject(verdict) + " is " + text})
	}
}

func (v voice) noRoom(verdict detect.Verdict, settings *config.Settings) int {
	lines := words.NoRoom(words.Subject(verdict), settings.Wait())
	v.say(lines...)
	v.record(journal.Entry{Event: journal.NoRoom, Verdict: verdict, Message: lines[0]})
	return statusNoRoom
}

func (v voice) refused(verdict detect.Verdict, settings *config.Settings) int {
	v.problems(settings)
	v.say(words.RefusedByPolicy(verdict)...)
	v.record(journal.Entry{Event: journal.Refused, Verdict: verdict, Cause: "policy",
		Message: words.Subject(verdict) + " was refused: Enforcement=refuse"})
	return statusRefused
}

func (v voice) notIsolated(verdict detect.Verdict, settings *config.Settings, err error) int {
	v.problems(settings)
	lines := words.NotIsolated(words.Subject(verdict), err)
	v.say(lines...)
	v.record(journal.Entry{Event: journal.Refused, Verdict: verdict, Cause: words.Cause(err), Message: lines[0]})
	return statusRefused
}

// problems names lines of configuration files that were ignored: the operator may have meant the command to run.
func (v voice) problems(settings *config.Settings) {
	for _, p := range settings.Problems {
		v.say("ignored " + p.String())
	}
}

// ended gives the status of a supervised command, after explaining a kill by the kernel. 137 where the shell itself was the
// victim: dying of the same signal would let a client print "Killed" and nothing else.
func (v voice) ended(verdict detect.Verdict, receipt scope.Receipt, outcome guard.Outcome) int {
	if !outcome.Killed {
		return outcome.Repeat()
	}
	lines := words.OutOfMemory(words.Subject(verdict), outcome.Kill)
	v.say(lines...)
	v.record(journal.Entry{Event: journal.OutOfMemory, Verdict: verdict, Unit: receipt.Unit, Origin: receipt.Origin.Name(),
		Max: outcome.Kill.Max, Peak: outcome.Kill.Peak, Message: lines[0]})
	if outcome.Signal() == syscall.SIGKILL {
		return outcome.Status()
	}
	return outcome.Repeat()
}
