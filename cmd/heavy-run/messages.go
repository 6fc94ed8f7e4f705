package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/journal"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/scope"
	"github.com/heavy-run/heavy-run/internal/words"
)

// statusRefused is the exit status for everything that this program itself could not do; never 2, see the README.
const statusRefused = 125

// statusNoRoom is EX_TEMPFAIL of sysexits.h: nothing is wrong, try again later.
const statusNoRoom = 75

// voice says whatever a user of this program reads, and knows the exit status that goes with it.
type voice struct{ stdout, stderr io.Writer }

func (v voice) say(lines ...string) {
	text := ""
	for _, line := range lines {
		text += "heavy-run: " + line + "\n"
	}
	io.WriteString(v.stderr, text)
}

func (v voice) usage(err error) int {
	v.say(err.Error() + "; heavy-run -h shows the options")
	return statusRefused
}

func (v voice) print(text string) int {
	if _, err := io.WriteString(v.stdout, text); err != nil {
		v.say(fmt.Sprintf("cannot write: %v", err))
		return statusRefused
	}
	return 0
}

func (v voice) cannotRun(name string, err error) int {
	v.say(fmt.Sprintf("cannot run %q: %v", name, err))
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
	journal.Write("heavy-run", n.Entry)
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

// problems names lines of configuration files that were ignored.
func (v voice) problems(settings *config.Settings) {
	for _, p := range settings.Problems {
		v.say("ignored " + p.String())
	}
}

func (v voice) ended(about words.Command, receipt scope.Receipt, outcome guard.Outcome) int {
	if outcome.Killed {
		v.tell(about.OutOfMemory(receipt, outcome.Kill))
		if outcome.Signal() == syscall.SIGKILL {
			return outcome.Status()
		}
	}
	return outcome.Repeat()
}

// build is the tag and commit that scripts/build.sh was given or found.
var build string

// version says what this was built from, and with what.
func version() string {
	from := build
	if info, ok := debug.ReadBuildInfo(); ok && from == "" { // by `go install`
		from = info.Main.Version
	}
	return fmt.Sprintf("heavy-run %s, %s, %s/%s\n", from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
