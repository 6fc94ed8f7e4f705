package scope

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// unitStatus is one entry of ListUnitsByPatterns; see org.freedesktop.systemd1(5).
type unitStatus struct {
	Name, Description, Load, Active, Sub, Followed string
	Path                                           dbus.ObjectPath
	JobID                                          uint32
	JobType                                        string
	JobPath                                        dbus.ObjectPath
}

func TestManagersOfRootAreEverybodys(t *testing.T) {
	if got := managers("", 1000); len(got) != 1 || len(got[0]) != 2 {
		t.Errorf("a user's: %+v", got)
	}
	got := managers("", 0)
	if len(got) < 2 || got[1][0].path != "/run/systemd/private" || !got[1][0].system {
		t.Errorf("root's: %+v", got)
	}
}

// TestList asks a manager that has two scopes, one of which ends before it can be looked at.
func TestList(t *testing.T) {
	here, err := cgroup.Current()
	if err != nil {
		t.Skip(err)
	}
	m := newFakeManager(t, succeed)
	m.others = map[string]func(*dbus.Message) []*dbus.Message{
		"ListUnitsByPatterns": func(call *dbus.Message) []*dbus.Message {
			if patterns := call.Body[1].([]string); !slices.Equal(patterns, []string{"heavy-run-*.scope"}) {
				t.Errorf("asked for %q", patterns)
			}
			return []*dbus.Message{reply(call, []unitStatus{
				{Name: "heavy-run-1.scope", Description: "heavy-run: pnpm install [pnpm.install]", Path: "/a", JobPath: "/"},
				{Name: "heavy-run-gone.scope", Path: "/b", JobPath: "/"},
			})}
		},
		"Get": func(call *dbus.Message) []*dbus.Message {
			if path := call.Headers[dbus.FieldPath].Value(); path != dbus.ObjectPath("/org/freedesktop/systemd1/unit/heavy_2drun_2d1_2escope") {
				return []*dbus.Message{refusal(call, "org.freedesktop.DBus.Error.UnknownObject", "gone")}
			}
			value := map[string]any{
				"ControlGroup":         here.Path,
				"ActiveEnterTimestamp": uint64(1_700_000_000_000_000),
				"BindsTo":              []string{"gateway.service"},
			}[call.Body[1].(string)]
			return []*dbus.Message{reply(call, dbus.MakeVariant(value))}
		},
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var found []Running
	s := socket{path: filepath.Join(m.dir, "systemd/private"), owner: os.Geteuid()}
	conn, err := dial(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if found, err = conn.running(ctx, s); err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	want := Running{Unit: "heavy-run-1.scope", Description: "heavy-run: pnpm install [pnpm.install]", UID: os.Geteuid(),
		Since: time.Unix(1_700_000_000, 0), Origin: "gateway.service", Group: here, socket: s}
	if found[0] != want {
		t.Errorf("%+v\nwant %+v", found[0], want)
	}
}

// TestStopWaitsForTheJob: the reply alone only means that it is queued.
func TestStopWaitsForTheJob(t *testing.T) {
	for result, wantErr := range map[string]bool{"done": false, "canceled": true} {
		m := newFakeManager(t, succeed)
		m.others = map[string]func(*dbus.Message) []*dbus.Message{
			"StopUnit": func(call *dbus.Message) []*dbus.Message {
				return []*dbus.Message{reply(call, job), jobRemoved(job, call.Body[0].(string), result)}
			},
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		r := Running{Unit: "heavy-run-1.scope", socket: socket{path: filepath.Join(m.dir, "systemd/private"), owner: os.Geteuid()}}
		if err := r.Stop(ctx); (err != nil) != wantErr {
			t.Errorf("%s: %v", result, err)
		}
	}
}
