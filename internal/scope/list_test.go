package scope

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sd "github.com/coreos/go-systemd/v22/dbus"
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

// withScopes is a fake manager that has one scope of a gateway which runs, one of each kind of gateway that does not run any
// more as it did, one of no gateway, and one that ends before it can be looked at. It gives the names of the units that were
// stopped.
func withScopes(t *testing.T, here cgroup.Group) (*manager, socket, func() []string) {
	t.Helper()
	units := map[string]map[string]any{
		"running.service":   {"InactiveExitTimestampMonotonic": uint64(10), "ActiveState": "active"},
		"restarted.service": {"InactiveExitTimestampMonotonic": uint64(30), "ActiveState": "active"},
		"stopped.service":   {"InactiveExitTimestampMonotonic": uint64(10), "ActiveState": "inactive"},
		"killed.service":    {"InactiveExitTimestampMonotonic": uint64(10), "ActiveState": "failed"},
	}
	statuses := []unitStatus{{Name: "heavy-run-gone.scope", Path: "/a", JobPath: "/"}}
	for i, origin := range []string{"running.service", "restarted.service", "stopped.service", "killed.service", ""} {
		name := "heavy-run-" + strings.TrimSuffix(origin, ".service") + ".scope"
		if origin == "" {
			name = "heavy-run-hand.scope"
		}
		units[name] = map[string]any{"ControlGroup": here.Path, "ActiveEnterTimestamp": uint64(1_700_000_000_000_000 + i),
			"ActiveEnterTimestampMonotonic": uint64(20), "BindsTo": []string{}}
		if origin != "" {
			units[name]["BindsTo"] = []string{origin}
		}
		statuses = append(statuses, unitStatus{Name: name, Description: "heavy-run: pnpm install [pnpm.install]", Path: "/a", JobPath: "/"})
	}
	var mu sync.Mutex
	var stopped []string
	m := newFakeManager(t, succeed)
	m.others = map[string]func(*dbus.Message) []*dbus.Message{
		"ListUnitsByPatterns": func(call *dbus.Message) []*dbus.Message {
			if patterns := call.Body[1].([]string); !slices.Equal(patterns, []string{"heavy-run-*.scope"}) {
				t.Errorf("asked for %q", patterns)
			}
			return []*dbus.Message{reply(call, statuses)}
		},
		"Get": func(call *dbus.Message) []*dbus.Message {
			for name, properties := range units {
				if path.Base(string(call.Headers[dbus.FieldPath].Value().(dbus.ObjectPath))) == sd.PathBusEscape(name) {
					return []*dbus.Message{reply(call, dbus.MakeVariant(properties[call.Body[1].(string)]))}
				}
			}
			return []*dbus.Message{refusal(call, "org.freedesktop.DBus.Error.UnknownObject", "gone")}
		},
		"StopUnit": func(call *dbus.Message) []*dbus.Message {
			mu.Lock()
			defer mu.Unlock()
			stopped = append(stopped, call.Body[0].(string))
			return []*dbus.Message{reply(call, job)}
		},
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	s := socket{path: filepath.Join(m.dir, "systemd/private"), owner: os.Geteuid()}
	conn, err := dial(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn, s, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return stopped
	}
}

func TestList(t *testing.T) {
	here, err := cgroup.Current()
	if err != nil {
		t.Skip(err)
	}
	m, s, _ := withScopes(t, here)
	found, err := m.running(t.Context(), s)
	if err != nil || len(found) != 5 {
		t.Fatalf("%+v, %v", found, err)
	}
	want := Running{Unit: "heavy-run-running.scope", Description: "heavy-run: pnpm install [pnpm.install]", UID: os.Geteuid(),
		Since: time.Unix(1_700_000_000, 0), Origin: "running.service", Group: here, socket: s}
	if found[0] != want {
		t.Errorf("%+v\nwant %+v", found[0], want)
	}
	var orphans []string
	for _, r := range found {
		if r.Orphaned {
			orphans = append(orphans, r.Origin)
		}
	}
	if got := strings.Join(orphans, " "); got != "restarted.service stopped.service killed.service" {
		t.Errorf("orphaned by %s", got)
	}
}

func TestSweepStopsTheOrphans(t *testing.T) {
	here, err := cgroup.Current()
	if err != nil {
		t.Skip(err)
	}
	m, _, stopped := withScopes(t, here)
	m.sweep(t.Context())
	if got := strings.Join(stopped(), " "); got != "heavy-run-restarted.scope heavy-run-stopped.scope heavy-run-killed.scope" {
		t.Errorf("stopped %s", got)
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
