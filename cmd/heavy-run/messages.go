package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/launch"
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

func (v voice) waiting(others []admission.Place, why string) {
	v.say(words.Waiting(others, why))
}

func (v voice) noRoom(subject string, settings *config.Settings) int {
	v.say(words.NoRoom(subject, settings.Wait())...)
	return statusNoRoom
}

func (v voice) notIsolated(subject string, settings *config.Settings, err error) int {
	v.problems(settings)
	v.say(words.NotIsolated(subject, err)...)
	return statusRefused
}

// problems names lines of configuration files that were ignored.
func (v voice) problems(settings *config.Settings) {
	for _, p := range settings.Problems {
		v.say("ignored " + p.String())
	}
}

func (v voice) ended(subject string, outcome guard.Outcome) int {
	if !outcome.Killed {
		return outcome.Repeat()
	}
	v.say(words.OutOfMemory(subject, outcome.Kill)...)
	if outcome.Signal() == syscall.SIGKILL {
		return outcome.Status()
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
