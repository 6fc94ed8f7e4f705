package guard

import (
	"os"
	"path"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/plan"
)

// Judgement is what verdict and plan depend on beside the string itself: where and in which shell it is going to run.
// exec-prefix and heavy-run --explain share it, so that they cannot disagree.
type Judgement struct {
	Shell    string // path of the inner shell: its name gives the dialect
	Dir      string // working directory; empty for this process's own
	Env      launch.Environment
	Self     launch.Self
	Settings *config.Settings
}

// Classify judges a string.
func (j Judgement) Classify(text string) detect.Verdict {
	dir := j.Dir
	if dir == "" {
		dir, _ = os.Getwd() // unknown is fine: relative files are then not looked at
	}
	return detect.Classify(detect.Input{
		Text:    text,
		Dialect: dialect(j.Shell),
		Dir:     dir,
		FS:      os.DirFS("/"),
		Getenv:  j.Env.Lookup,
		Wrapper: func(word string) bool { return j.Self.IsHeavyRun(word, j.Env.Get("PATH")) },
		Extra:   &j.Settings.Rules,
	})
}

// Bypass is the operator's word that a command runs with less than isolation.
type Bypass struct {
	Enforcement config.Enforcement
	Unit        string // in whose environment it is set; empty for the operator's file
}

// Decide asks for the plan. Bypass is nil unless the operator has switched off what would have been done. Where the process
// stands, and the operator's word, are looked up only for what might be isolated: a light command reads nothing that it does
// not need.
func (j Judgement) Decide(v detect.Verdict, supervisable bool) (plan.Plan, *Bypass) {
	situation := plan.Situation{Settings: j.Settings, Supervisable: supervisable}
	if v.Class > detect.Isolated || j.Settings.All {
		_, situation.Standing = standing(j.Settings)
	}
	decided := plan.For(v.Class, situation)
	if decided.Step == plan.Exec {
		if j.Settings.Enforcement == config.Off && v.Class == detect.Heavy {
			return decided, &Bypass{Enforcement: config.Off}
		}
		return decided, nil
	}
	enforcement, unit, ok := operatorsWord(j.Settings, j.Env.Get("XDG_RUNTIME_DIR"))
	if !ok {
		return decided, nil
	}
	settings := *j.Settings
	settings.Enforcement = enforcement
	situation.Settings = &settings
	return plan.For(v.Class, situation), &Bypass{enforcement, unit}
}

// DecideByHand asks for the plan of a command that somebody runs through heavy-run. It is isolated whatever its class; where
// heavy commands are refused, this is the way that the refusal names. already is the limited scope that it stands in, where it
// gets none of its own.
func (j Judgement) DecideByHand() (decided plan.Plan, already string) {
	settings := *j.Settings
	settings.Enforcement = min(settings.Enforcement, config.Isolate)
	situation := plan.Situation{Settings: &settings, Supervisable: true}
	already, situation.Standing = standing(j.Settings)
	return plan.For(detect.Heavy, situation), already
}

func dialect(shell string) detect.Dialect {
	switch path.Base(shell) {
	case "zsh":
		return detect.Zsh
	case "bash":
		return detect.Bash
	}
	return detect.POSIX
}
