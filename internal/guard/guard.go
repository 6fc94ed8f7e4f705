// Package guard carries out a plan for both programs: it moves the process into its scope and becomes or supervises the
// command there. It decides nothing (package plan does) and words nothing (package words does).
package guard

import (
	"context"
	"time"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/oomadj"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// How long a manager may take to move the process. A command that must be isolated waits through a storm of daemon-reloads
// (1.2 s were measured); one that will run anyway does not wait for a manager that hangs.
const (
	mustWait = 10 * time.Second
	mayWait  = 3 * time.Second
)

// supervisorScore is the highest oom_score_adj of the supervising parent. At 1000 like its command it was the first victim
// when tried, and nobody was left to tell why.
const supervisorScore = 500

// Limits resolves the limits for a process that stands in group.
func Limits(settings *config.Settings, group cgroup.Group) (scope.Limits, error) {
	bound, err := group.Bound()
	if err != nil {
		return scope.Limits{}, err
	}
	return settings.Limits(bound), nil
}

// standing says whether this process already is where an isolated command would be put, and names that place. Not knowing means
// no: the attempt to isolate then says what is wrong.
func standing(settings *config.Settings) (string, bool) {
	group, err := cgroup.Current()
	if err != nil {
		return "", false
	}
	return scope.Standing(group, settings.Slice, func(bound uint64) uint64 { return settings.Limits(bound).MemoryMax })
}

// Isolation is what a scope is asked for.
type Isolation struct {
	Settings    *config.Settings
	RuntimeDir  string // XDG_RUNTIME_DIR
	Unit        string // name without prefix; empty for a unique one
	SubSlice    string // name of a slice below the one of the settings; empty for that itself
	Description string
	Must        bool // the command will not run otherwise
}

// Isolate moves this process into a scope of its own.
func Isolate(i Isolation) (scope.Receipt, error) {
	group, err := cgroup.Current()
	if err != nil {
		return scope.Receipt{}, &scope.Error{Cause: scope.NoHierarchy, Err: err}
	}
	l, err := Limits(i.Settings, group)
	if err != nil {
		return scope.Receipt{}, err
	}
	wait := mustWait
	if !i.Must {
		wait = mayWait
		l.RuntimeMax = 0 // servers and watchers end when they are told to
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	request := scope.Request{
		RuntimeDir:  i.RuntimeDir,
		Unit:        i.Unit,
		Slice:       i.Settings.Slice,
		SubSlice:    i.SubSlice,
		Description: i.Description,
		Limits:      l,
		Sweep:       i.Must,
		SliceLimits: i.Settings.SliceLimits,
	}
	receipt, err := scope.Enter(ctx, request)
	if err != nil {
		receipt, err = scope.EnterDelegated(request, err)
	}
	return receipt, err
}

// Outcome is how a supervised command ended.
type Outcome struct {
	launch.Ending
	Kill   scope.Kill
	Killed bool // the kernel killed in the scope: Kill says what
}

// Supervise runs the command in the scope of receipt and waits for it. score is what this process's oom_score_adj was
// before the command's was raised; runtimeDir is XDG_RUNTIME_DIR.
func Supervise(command launch.Command, receipt scope.Receipt, score int, runtimeDir string) (Outcome, error) {
	if receipt.RuntimeMax > 0 {
		time.AfterFunc(receipt.RuntimeMax, func() { end(receipt, runtimeDir) })
	}
	before := receipt.Counters()
	ending, err := command.Supervise(func() {
		oomadj.Lower(min(score, supervisorScore)) // fails open: the command is limited all the same
		// A service that was nothing but this command is empty now, and no reason to end it.
		switch {
		case receipt.Origin.Path == "" || !receipt.Origin.Populated():
		case receipt.Bound, receipt.Delegated:
			go endWithOrigin(receipt, runtimeDir)
		default:
			startKeeper(receipt, runtimeDir)
		}
	})
	if err != nil {
		return Outcome{}, err
	}
	kill, killed := receipt.KilledSince(before)
	receipt.Leave()
	return Outcome{Ending: ending, Kill: kill, Killed: killed}, nil
}

// endWithOrigin stops the scope when the service that the command came from is gone. BindsTo= does so where both have the same
// manager, but for a restart on systemd 252.
func endWithOrigin(receipt scope.Receipt, runtimeDir string) {
	if receipt.Origin.AwaitEnd() != nil {
		return // fails open: the command ends by itself, as one that was started by hand
	}
	end(receipt, runtimeDir)
}

func end(receipt scope.Receipt, runtimeDir string) {
	ctx, cancel := context.WithTimeout(context.Background(), mustWait)
	defer cancel()
	receipt.End(ctx, runtimeDir)
}
