package scope

import (
	"strings"

	sd "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"
)

// property is a unit property that is asked for. An optional one may be left out where an older systemd refuses it or the
// unit that it names is unknown; without the others there is no isolation worth the name.
type property struct {
	name     string
	value    any
	optional bool
}

// scopeProperties are those of a scope for the calling process. PIDs=[0] means the sender, by its credentials: unlike a pid
// it means the same in every pid namespace, and unlike PIDFDs= it does not make sd-bus drop the connection.
func scopeProperties(req Request, origin string) []property {
	l := req.Limits
	props := []property{
		{"PIDs", []uint32{0}, false},
		{"Slice", leafSlice(req), false},
		{"MemoryMax", l.MemoryMax, false},
		{"MemorySwapMax", l.MemorySwapMax, false},
		{"TasksMax", l.TasksMax, false},
		{"Description", req.Description, true},
		// The unit is gone with its last process, however that ended.
		{"CollectMode", "inactive-or-failed", true},
		{"TimeoutStopUSec", uint64(stopTimeout.Microseconds()), true},
	}
	// systemd's default, stop, sends SIGTERM to the whole scope after one OOM kill: 143, no word, and nothing after `;` runs.
	if l.OOMPolicy != "" {
		props = append(props, property{"OOMPolicy", l.OOMPolicy, true})
	}
	if l.CPUWeight != 0 {
		props = append(props, property{"CPUWeight", l.CPUWeight, true})
	}
	if l.CPUQuota != 0 {
		props = append(props, property{"CPUQuotaPerSecUSec", uint64(l.CPUQuota.Microseconds()), false})
	}
	if l.IOWeight != 0 {
		props = append(props, property{"IOWeight", l.IOWeight, true})
	}
	if l.RuntimeMax != 0 {
		props = append(props, property{"RuntimeMaxUSec", uint64(l.RuntimeMax.Microseconds()), false})
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
