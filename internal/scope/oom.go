package scope

import (
	"strings"

	"golang.org/x/sys/unix"

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
	Victim    string // the name of the last of them, as ps shows it; empty where the kernel's log may not be read
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
	k.Victim = lastVictim(r.Unit)
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

// lastVictim looks into the kernel's log for whom it has killed in unit. That may be for root only (dmesg_restrict, see proc(5)),
// and the kernel leaves lines out when it kills often: then nobody is named.
func lastVictim(unit string) (name string) {
	log, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(log)
	for record := make([]byte, 8192); ; {
		n, err := unix.Read(log, record)
		switch {
		case err == unix.EPIPE || err == unix.EINTR: // overwritten before it was read: the next read goes on behind it
		case err != nil || n <= 0:
			return name // EAGAIN: this was all
		default:
			if victim, ok := victimIn(string(record[:n]), unit); ok {
				name = victim
			}
		}
	}
}

// victimIn reads one record of the log: "6,512,7420,-;oom-kill:constraint=…,task_memcg=/…/UNIT,task=NAME,pid=12,uid=1000".
func victimIn(record, unit string) (name string, ok bool) {
	_, text, _ := strings.Cut(record, ";")
	if !strings.HasPrefix(text, "oom-kill:") {
		return "", false
	}
	_, rest, ok := strings.Cut(text, "/"+unit+",task=")
	end := strings.LastIndex(rest, ",pid=") // the name may hold anything
	if !ok || end < 0 {
		return "", false
	}
	return rest[:end], true
}
