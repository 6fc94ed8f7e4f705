package words

import (
	"fmt"
	"io"
	"syscall"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/journal"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// Exit statuses of our own. Not 126 or 127 for a refusal, which OpenClaw takes for a missing program, and never 2, which a
// Claude Code hook takes for "block this tool".
const (
	StatusRefused = 125 // nothing was run
	StatusNoRoom  = 75  // EX_TEMPFAIL of sysexits.h: nothing is wrong, try again later
)

// Voice is a program speaking on its stderr. Its methods that give an int give the exit status that goes with what they say.
type Voice struct {
	Program string
	Stderr  io.Writer
}

// Say writes lines under the program's name, in one write: several commands may share the file.
func (v Voice) Say(lines ...string) {
	text := ""
	for _, line := range lines {
		text += v.Program + ": " + line + "\n"
	}
	io.WriteString(v.Stderr, text)
}

// Tell says a notice and adds it to the journal. Nobody has to read that: an error changes nothing.
func (v Voice) Tell(n Notice) {
	if len(n.Lines) > 0 {
		v.Say(n.Lines...)
	}
	journal.Write(v.Program, n.Entry)
}

// Problems names lines of configuration files that were ignored: the operator may have meant the command to run.
func (v Voice) Problems(settings *config.Settings) {
	for _, p := range settings.Problems {
		v.Say("ignored " + p.String())
	}
}

// Refused tells a refusal.
func (v Voice) Refused(n Notice, settings *config.Settings) int {
	v.Problems(settings)
	v.Tell(n)
	return StatusRefused
}

// NoRoom tells that the wait was in vain.
func (v Voice) NoRoom(n Notice) int {
	v.Tell(n)
	return StatusNoRoom
}

// Bug is deferred by what runs a program: it turns a panic into one line and a refusal. The Go runtime would end with a trace
// and status 2, which a Claude Code hook takes for "block this tool".
func (v Voice) Bug(status *int) {
	if cause := recover(); cause != nil {
		v.Say(fmt.Sprintf("a bug in %s, please report it: %v", v.Program, cause), "nothing was run, or not to its end")
		*status = StatusRefused
	}
}

// CannotRun says why a program could not be started.
func (v Voice) CannotRun(name string, err error) int {
	v.Say(fmt.Sprintf("cannot run %q: %v", name, err))
	return launch.FailureStatus(err)
}

// NotRaised warns that the kernel will not prefer this command. It matters only where isolation was wanted too.
func (v Voice) NotRaised(err error) {
	v.Say(fmt.Sprintf("going on with the oom_score_adj that is: %v", err))
}

// Ended gives the status of a supervised command, after explaining a kill by the kernel. 137 where the shell itself was the
// victim: dying of the same signal would let a client print "Killed" and nothing else.
func (v Voice) Ended(c Command, r scope.Receipt, outcome guard.Outcome) int {
	if outcome.Killed {
		v.Tell(c.OutOfMemory(r, outcome.Kill))
		if outcome.Signal() == syscall.SIGKILL {
			return outcome.Status()
		}
	}
	return outcome.Repeat()
}
