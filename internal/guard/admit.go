package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// errNoRoom means that a heavy command waited as long as it may, and still had no slot or no memory.
var errNoRoom = errors.New("no room now")

// queueDir is where the heavy commands of this user queue. Not below XDG_RUNTIME_DIR, which whoever runs the command sets.
func queueDir() string {
	if uid := os.Geteuid(); uid != 0 {
		return filepath.Join("/run/user", strconv.Itoa(uid), "heavy-run")
	}
	return "/run/heavy-run"
}

// Admit waits until a heavy command may start: for a slot, and for memory. waits is called once, when waiting begins. An error
// means that there was no room in time: where no queue can be kept, on a read-only /run say, the command starts, and the slice
// still limits it. The place is held until this process ends, or Leave.
func Admit(settings *config.Settings, subject string, waits func(others []admission.Place, why string)) (*admission.Ticket, error) {
	group, err := cgroup.Current()
	if err != nil || scope.IsOurs(group) { // a part of a command that has its place, and would wait for itself
		return nil, nil
	}
	bound, err := group.Bound()
	if err != nil {
		return nil, nil
	}
	ticket, err := admission.Enter(queueDir(), subject)
	if err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), settings.Wait())
	defer cancel()
	need := limits.Need(bound, settings.Limits(bound).MemoryMax)
	if err := ticket.Wait(ctx, settings.MaxRunning(bound), room(need, settings), waits); err != nil {
		ticket.Leave()
		return nil, errNoRoom
	}
	return ticket, nil
}

// maxPressure is the memory pressure, in percent of time, above which nothing heavy is started: the machine is busy reclaiming.
const maxPressure = 25

// room says whether a command that will take need bytes may start beside those that run: each is taken to grow to as much,
// if it has not yet. Both the machine and the slice of all heavy commands must hold them, or the kernel kills one. What else is
// in the slice, a dev server say, is not waited for: it may stay for ever.
func room(need uint64, settings *config.Settings) func(running []admission.Place) (bool, string) {
	return func(running []admission.Place) (bool, string) {
		available, err := cgroup.Available()
		if err != nil {
			return true, ""
		}
		growth, together := need, need
		var slice cgroup.Group // not known before one of them has said where it runs
		for _, place := range running {
			used := uint64(0)
			if g, err := cgroup.Named(place.Where); err == nil && place.Where != "" {
				used = g.Held()
				slice, _ = g.Ancestor(settings.Slice)
			}
			growth += need - min(need, used)
			together += max(need, used)
		}
		if available < growth {
			return false, fmt.Sprintf("%s available, %s wanted", limits.FormatSize(available), limits.FormatSize(growth))
		}
		if max := sliceMax(slice, settings); max < together && len(running) > 0 { // alone it may try
			return false, fmt.Sprintf("%s for all heavy commands, %s wanted", limits.FormatSize(max), limits.FormatSize(together))
		}
		if p := cgroup.MemoryPressure(); p > maxPressure {
			return false, fmt.Sprintf("memory pressure %.0f%%", p)
		}
		return true, ""
	}
}

// sliceMax is the limit of the slice, or what the machine makes of it while the slice is not known.
func sliceMax(slice cgroup.Group, settings *config.Settings) uint64 {
	if slice.Path != "" {
		if max, err := slice.Limit("memory.max"); err == nil {
			return max
		}
	}
	machine, err := cgroup.Group{}.Bound()
	if err != nil {
		return limits.Infinity
	}
	memory, _ := settings.SliceLimits(machine)
	return memory
}
