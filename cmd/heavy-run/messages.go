package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/words"
)

// statusRefused is the exit status for everything that this program itself could not do; never 2, see the README.
const statusRefused = 125

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
	return outcome.Status()
}

// version is the module's version as the linker recorded it, and what it was built from and with.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "heavy-run (unknown build)\n"
	}
	text := "heavy-run " + info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text += " " + s.Value
		}
	}
	return text + " " + info.GoVersion + "\n"
}
