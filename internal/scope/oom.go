package scope

import (
	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/limits"
)

// Whose limit was reached when the kernel killed a process of a scope.
const (
	ScopeLimit = "scope" // the scope's own MemoryMax
	SliceLimit = "slice" // the MemoryMax of all heavy commands together
	HostLimit  = "host"  // the machine itself, or a limit above the slice
)

// Counters are a scope's out-of-memory events at one moment, as memory.events.local of the cgroup counts them.
type Counters struct {
	kills              uint64
	scopeOOM, sliceOOM uint64
}

// Kill describes what the kernel's OOM killer did in a scope.
type Kill struct {
	Processes uint64 // how many were killed
	Limit     string // ScopeLimit, SliceLimit or HostLimit
	Max       uint64 // that limit in bytes; limits.Infinity for the host's
	Peak      uint64 // most memory that the scope ever used, bytes; 0 on kernels before 5.19
}

// Counters reads the events of the scope and its slice.
func (r Receipt) Counters() Counters {
	slice, _ := r.Group.Ancestor(r.Slice)
	return Counters{
		kills:    r.Group.Event("memory.events.local", "oom_kill"),
		scopeOOM: r.Group.Event("memory.events.local", "oom"),
		sliceOOM: slice.Event("memory.events.local", "oom"),
	}
}

// KilledSince says what the kernel killed in the scope since the counters were read, and at whose limit. The exit status of
// a command does not tell: 137 is also a RuntimeMaxSec= whose SIGTERM was ignored, and a victim in front of `| tail` leaves 0.
func (r Receipt) KilledSince(before Counters) (Kill, bool) {
	now := r.Counters()
	if now.kills == before.kills {
		return Kill{}, false
	}
	k := Kill{Processes: now.kills - before.kills, Limit: HostLimit, Max: limits.Infinity}
	k.Peak, _ = r.Group.Limit("memory.peak")
	slice, _ := r.Group.Ancestor(r.Slice)
	// Below a limit of its own, oom counts up with the kill; a victim of somebody else's limit has the kill alone.
	switch {
	case now.scopeOOM > before.scopeOOM:
		k.Limit, k.Max = ScopeLimit, limitOr(r.Group, r.MemoryMax)
	case now.sliceOOM > before.sliceOOM:
		k.Limit, k.Max = SliceLimit, limitOr(slice, limits.Infinity)
	}
	return k, true
}

func limitOr(g cgroup.Group, otherwise uint64) uint64 {
	if max, err := g.Limit("memory.max"); err == nil {
		return max
	}
	return otherwise
}
