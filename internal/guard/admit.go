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
)

// ErrNoRoom means that a heavy command waited as long as it may, and still had no slot or no memory.
var ErrNoRoom = errors.New("no room now")

// queueDir is where the heavy commands of this user queue. Not below XDG_RUNTIME_DIR, which whoever runs the command sets.
func queueDir() string {
	if uid := os.Geteuid(); uid != 0 {
		return filepath.Join("/run/user", strconv.Itoa(uid), "heavy-run")
	}
	return "/run/heavy-run"
}

// Admit waits until a heavy command may start: for a slot, and for memory. waits is called once, when waiting begins. The error
// is ErrNoRoom or nil: where no queue can be kept, on a read-only /run say, the command starts, and the slice still limits it.
// The place is held until this process ends, or Leave.
func Admit(settings *config.Settings, subject string, waits func(others []admission.Place, why string)) (*admission.Ticket, error) {
	group, err := cgroup.Current()
	if err != nil {
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
	if err := ticket.Wait(ctx, settings.MaxRunning(bound), room(need), waits); err != nil {
		ticket.Leave()
		return nil, ErrNoRoom
	}
	return ticket, nil
}

// maxPressure is the memory pressure, in percent of time, above which nothing heavy is started: the machine is busy reclaiming.
const maxPressure = 25

// room says whether a command that will take need bytes may start beside those that run: each is taken to grow to as much,
// if it has not yet.
func room(need uint64) func(running []admission.Place) (bool, string) {
	return func(running []admission.Place) (bool, string) {
		available, err := cgroup.Available()
		if err != nil {
			return true, ""
		}
		expected := need
		for _, place := range running {
			used := uint64(0)
			if g, err := cgroup.Named(place.Where); err == nil && place.Where != "" {
				used, _ = g.Limit("memory.current")
			}
			expected += need - min(need, used)
		}
		if available < expected {
			return false, fmt.Sprintf("%s available, %s wanted", limits.FormatSize(available), limits.FormatSize(expected))
		}
		if p := cgroup.MemoryPressure(); p > maxPressure {
			return false, fmt.Sprintf("memory pressure %.0f%%", p)
		}
		return true, ""
	}
}
