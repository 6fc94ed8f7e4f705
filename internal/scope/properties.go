package scope

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	sd "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"

	"github.com/heavy-run/heavy-run/internal/limits"
)

// property is a unit property that is asked for. An optional one may be left out where an older systemd refuses it or the
// unit that it names is unknown; without the others there is no isolation worth the name.
type property struct {
	name     string
	value    any
	optional bool
}

// control is one of the limits: the property that a manager is asked for, and what it makes of it in the scope's cgroup, see
// systemd.resource-control(5) and the kernel's admin-guide/cgroup-v2.
type control struct {
	property
	controller, file, text string // no file where the kernel knows no such limit
}

// quotaPeriod is the kernel's own, of which a quota takes no less than 1 ms.
const quotaPeriod = 100 * time.Millisecond

// controls are the limits that are set.
func (l Limits) controls() []control {
	out := []control{
		{property{"MemoryMax", l.MemoryMax, false}, "memory", "memory.max", number(l.MemoryMax)},
		{property{"MemorySwapMax", l.MemorySwapMax, false}, "memory", "memory.swap.max", number(l.MemorySwapMax)},
		{property{"TasksMax", l.TasksMax, false}, "pids", "pids.max", number(l.TasksMax)},
	}
	// systemd's default, stop, sends SIGTERM to the whole scope after one OOM kill: 143, no word, and nothing after `;` runs.
	if l.OOMPolicy != "" {
		group := "0"
		if l.OOMPolicy == "kill" {
			group = "1"
		}
		out = append(out, control{property{"OOMPolicy", l.OOMPolicy, true}, "memory", "memory.oom.group", group})
	}
	if l.CPUWeight != 0 {
		out = append(out, control{property{"CPUWeight", l.CPUWeight, true}, "cpu", "cpu.weight", number(l.CPUWeight)})
	}
	if l.CPUQuota != 0 {
		quota := max(l.CPUQuota*quotaPeriod/time.Second, time.Millisecond)
		out = append(out, control{property{"CPUQuotaPerSecUSec", uint64(l.CPUQuota.Microseconds()), false},
			"cpu", "cpu.max", fmt.Sprintf("%d %d", quota.Microseconds(), quotaPeriod.Microseconds())})
	}
	if l.IOWeight != 0 {
		out = append(out, control{property{"IOWeight", l.IOWeight, true}, "io", "io.weight", number(l.IOWeight)})
	}
	if l.RuntimeMax != 0 { // without a manager the supervisor sees to it
		out = append(out, control{property: property{"RuntimeMaxUSec", uint64(l.RuntimeMax.Microseconds()), false}})
	}
	return out
}

// number writes a number as cgroup files take it.
func number(n uint64) string {
	if n == limits.Infinity {
		return "max"
	}
	return strconv.FormatUint(n, 10)
}

// scopeProperties are those of a scope for the calling process. PIDs=[0] means the sender, by its credentials: unlike a pid
// it means the same in every pid namespace, and unlike PIDFDs= it does not make sd-bus drop the connection.
func scopeProperties(req Request, origin string) []property {
	props := []property{
		{"PIDs", []uint32{0}, false},
		{"Slice", leafSlice(req), false},
		{"Description", req.Description, true},
		// The unit is gone with its last process, however that ended.
		{"CollectMode", "inactive-or-failed", true},
		{"TimeoutStopUSec", uint64(stopTimeout.Microseconds()), true},
	}
	for _, c := range req.Limits.controls() {
		props = append(props, c.property)
	}
	// The command ends with the gateway that it came from: BindsTo on a stop or crash, StopPropagatedFrom on a restart too.
	// Not After=: with it the gateway's own stop would wait for the scope.
	if origin != "" {
		props = append(props,
			property{"BindsTo", []string{origin}, true},
			property{"StopPropagatedFrom", []string{origin}, true})
	}
	return props
}

// leafSlice is the slice that the scope is put into. systemd takes the dashes of a slice's name as its path: a-b.slice lies
// in a.slice.
func leafSlice(req Request) string {
	if req.SubSlice == "" {
		return req.Slice
	}
	return strings.TrimSuffix(req.Slice, ".slice") + "-" + req.SubSlice + ".slice"
}

// without leaves out what the manager's refusal is about: the optional properties that it names, those that name the unit
// that it does not know, or else all optional ones. It returns nil when nothing is left to leave out.
func without(props []property, refusal string) []property {
	named := func(p property) bool {
		if !p.optional {
			return false
		}
		if units, ok := p.value.([]string); ok && strings.Contains(refusal, units[0]) {
			return true
		}
		for word := range strings.FieldsFuncSeq(refusal, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == '\'' }) {
			if word == p.name {
				return true
			}
		}
		return false
	}
	any := func(p property) bool { return p.optional }
	for _, leave := range []func(property) bool{named, any} {
		var kept []property
		for _, p := range props {
			if !leave(p) {
				kept = append(kept, p)
			}
		}
		if len(kept) < len(props) {
			return kept
		}
	}
	return nil
}

func wire(props []property) []sd.Property {
	out := make([]sd.Property, len(props))
	for i, p := range props {
		out[i] = sd.Property{Name: p.name, Value: dbus.MakeVariant(p.value)}
	}
	return out
}
