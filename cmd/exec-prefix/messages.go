package main

import (
	"fmt"
	"io"
	"syscall"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/journal"
	"github.com/heavy-run/heavy-run/internal/launch"
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

// tell says a notice and adds it to the journal. Nobody has to read that: an error changes nothing.
func (v voice) tell(n words.Notice) {
	if len(n.Lines) > 0 {
		v.say(n.Lines...)
	}
	journal.Write("exec-prefix", n.Entry)
}

func (v voice) refused(n words.Notice, settings *config.Settings) int {
	v.problems(settings)
	v.tell(n)
	return statusRefused
}

func (v voice) noRoom(n words.Notice) int {
	v.tell(n)
	return statusNoRoom
}

// problems names lines of configuration files that were ignored: the operator may have meant the command to run.
func (v voice) problems(settings *config.Settings) {
	for _, p := range settings.Problems {
		v.say("ignored " + p.String())
	}
}

// ended gives the status of a supervised command, after explaining a kill by the kernel. 137 where the shell itself was the
// victim: dying of the same signal would let a client print "Killed" and nothing else.
func (v voice) ended(about words.Command, receipt scope.Receipt, outcome guard.Outcome) int {
	if outcome.Killed {
		v.tell(about.OutOfMemory(receipt, outcome.Kill))
		if outcome.Signal() == syscall.SIGKILL {
			return outcome.Status()
		}
	}
	return outcome.Repeat()
}
