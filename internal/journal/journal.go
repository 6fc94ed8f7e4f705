// Package journal writes what was done with a heavy command to the systemd journal: one entry for each command that was
// isolated, refused, made to wait or let pass on the operator's word, and for each out-of-memory kill. Entries are made of the
// words of the rule table, never of arguments or environment values, which hold secrets.
//
// journalctl --user -t exec-prefix shows them; see systemd.journal-fields(7).
package journal

import (
	"strconv"

	sd "github.com/coreos/go-systemd/v22/journal"

	"github.com/heavy-run/heavy-run/internal/detect"
)

// Event is a kind of entry. Its text is the field HEAVY_RUN_EVENT.
type Event string

// The events.
const (
	Isolated    Event = "isolate"
	Refused     Event = "refuse"
	Waited      Event = "wait"
	NoRoom      Event = "no-room"
	Bypassed    Event = "bypass"
	OutOfMemory Event = "oom"
)

// messageID is the field MESSAGE_ID of an event: random once, and then for ever the same. See sd_id128_get_machine(3).
func (e Event) messageID() string {
	switch e {
	case Isolated:
		return "8ca1e29b49d6423ab1a353cc321e9cd0"
	case Refused:
		return "9bc9315686b64635b4f1f7b8cfe058b0"
	case Waited:
		return "5683614f3cb7459380bb527e8d7830dd"
	case NoRoom:
		return "74d11812cc474020b6bb736f5cc84e15"
	case Bypassed:
		return "390f17bb769a48cf8349d88ce3f0de4c"
	}
	return "13b68e81dfb24a9a8af8408e6c9e706d"
}

// priority is syslog's: an out-of-memory kill and a refusal want a look, the rest is for the record.
func (e Event) priority() sd.Priority {
	switch e {
	case OutOfMemory, Refused, Bypassed:
		return sd.PriWarning
	}
	return sd.PriInfo
}

// Entry is what one entry says.
type Entry struct {
	Event   Event
	Message string // one line, without the user's words
	Verdict detect.Verdict
	Unit    string // the scope
	Origin  string // the service that the command came from
	Cause   string // why it was refused, by the stable name of the cause
	Max     uint64 // bytes: the limit that was reached or set
	Peak    uint64 // bytes
}

// Fields are the entry's own fields; see the man page for what they mean.
func (e Entry) Fields() map[string]string {
	fields := map[string]string{
		"MESSAGE_ID":      e.Event.messageID(),
		"HEAVY_RUN_EVENT": string(e.Event),
		"HEAVY_RUN_CLASS": e.Verdict.Class.String(),
	}
	add := func(key, value string) {
		if value != "" {
			fields[key] = value
		}
	}
	add("HEAVY_RUN_RULE", e.Verdict.Rule)
	add("HEAVY_RUN_PROGRAM", e.Verdict.Program)
	add("HEAVY_RUN_SUBCOMMAND", e.Verdict.Subcommand)
	add("HEAVY_RUN_UNIT", e.Unit)
	add("HEAVY_RUN_ORIGIN", e.Origin)
	add("HEAVY_RUN_CAUSE", e.Cause)
	if e.Max != 0 {
		add("HEAVY_RUN_MEMORY_MAX", strconv.FormatUint(e.Max, 10))
	}
	if e.Peak != 0 {
		add("HEAVY_RUN_MEMORY_PEAK", strconv.FormatUint(e.Peak, 10))
	}
	return fields
}

// Write sends the entry under the name of program. An error means that nobody listens; the caller goes on.
func Write(program string, e Entry) error {
	fields := e.Fields()
	fields["SYSLOG_IDENTIFIER"] = program
	return sd.Send(e.Message, e.Event.priority(), fields)
}
