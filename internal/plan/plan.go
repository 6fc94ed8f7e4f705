// Package plan decides what is done with a command: from the verdict on its text, the settings, how it was called and where
// it stands. It is a pure function of these; both programs and heavy-run --explain ask it, so that they cannot disagree.
package plan

import (
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
)

// Step is how a command is started.
type Step int

// The steps. In the table of the README: adjust-and-exec is Exec, a scope is Move or Supervise, refused is Refuse.
const (
	Exec      Step = iota // become the command
	Move                  // move this process into a scope, then become the command: same pid, no report
	Supervise             // move into a scope, run the command as a child, report an out-of-memory kill
	Refuse                // run nothing
)

var steps = [...]string{Exec: "exec", Move: "move", Supervise: "supervise", Refuse: "refuse"}

// String is the stable name of the step, for JSON.
func (s Step) String() string { return steps[s] }

// Plan is what will be done.
type Plan struct {
	Step   Step
	Adjust bool // raise oom_score_adj first
	Must   bool // Move or Supervise: when isolation fails, refuse rather than run without it
}

// Situation is what a plan depends on beside the verdict.
type Situation struct {
	Settings *config.Settings
	// Supervisable: the command is one that its client waits for and reads the output of, a -c string or the Bash tool's.
	// Hooks, status lines and MCP servers are not: they must be the spawned pid.
	Supervisable bool
	// Standing: the process is already in a limited scope, of ours or of its client.
	Standing bool
}

// For decides. The order is: what the operator switched off, what is isolated already, what must be isolated.
func For(class detect.Class, s Situation) Plan {
	switch enforcement := s.Settings.Enforcement; {
	case enforcement == config.Off:
		return Plan{Step: Exec}
	case enforcement == config.Adjust, s.Standing:
		return Plan{Step: Exec, Adjust: true}
	case enforcement == config.Refuse:
		if class == detect.Heavy {
			return Plan{Step: Refuse}
		}
		return Plan{Step: Exec, Adjust: true}
	}
	switch {
	case class == detect.Heavy && s.Supervisable:
		return Plan{Step: Supervise, Adjust: true, Must: true}
	case class == detect.Heavy:
		return Plan{Step: Move, Adjust: true, Must: true}
	case class == detect.MaybeHeavy, s.Settings.All && class == detect.Light:
		return Plan{Step: Move, Adjust: true}
	}
	return Plan{Step: Exec, Adjust: true}
}
