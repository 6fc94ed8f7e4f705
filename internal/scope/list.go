package scope

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// Running is a scope of ours that a manager has.
type Running struct {
	Unit        string
	Description string
	UID         int       // whose manager has it
	Since       time.Time // zero where the manager does not say
	Origin      string    // the unit that it is bound to; empty for none
	Orphaned    bool      // that unit has been restarted or is down since: the next heavy command stops the scope
	Group       cgroup.Group

	socket    socket
	delegated bool // known to no manager
}

// List finds our scopes at every manager that may be asked: the user's own, and for root the system's and all users'; and those
// that no manager knows. The error is the first manager's where none answers, unless this is a place that needs none.
func List(ctx context.Context, runtimeDir string) ([]Running, error) {
	var out []Running
	err := eachManager(ctx, runtimeDir, func(m *manager, s socket) error {
		running, err := m.running(ctx, s)
		out = append(out, running...)
		return err
	})
	delegated := runningDelegated()
	if len(delegated) > 0 || isDelegated() {
		out, err = append(out, delegated...), nil
	}
	slices.SortFunc(out, func(a, b Running) int { return a.Since.Compare(b.Since) })
	return out, err
}

// running lists our scopes at one manager.
func (m *manager) running(ctx context.Context, s socket) (out []Running, err error) {
	units, err := m.ListUnitsByPatternsContext(ctx, nil, []string{scopePattern})
	if err != nil {
		return nil, noAnswer(err)
	}
	for _, u := range units {
		r := Running{Unit: u.Name, Description: u.Description, UID: s.owner, socket: s}
		if err := m.fill(ctx, &r); err == nil { // else it has ended since
			out = append(out, r)
		}
	}
	return out, nil
}

// fill asks for the rest, one property at a time: all of a unit's are two hundred.
func (m *manager) fill(ctx context.Context, r *Running) error {
	group, err := m.GetUnitTypePropertyContext(ctx, r.Unit, "Scope", "ControlGroup")
	if err != nil {
		return err
	}
	p, _ := group.Value.Value().(string)
	if r.Group, err = cgroup.Named(p); err != nil || p == "" {
		return errors.New("no cgroup")
	}
	if since, err := m.GetUnitPropertyContext(ctx, r.Unit, "ActiveEnterTimestamp"); err == nil {
		if usec, _ := since.Value.Value().(uint64); usec > 0 {
			r.Since = time.UnixMicro(int64(usec))
		}
	}
	if r.Origin = m.boundTo(ctx, r.Unit); r.Origin != "" {
		r.Orphaned = m.orphaned(ctx, r.Unit, r.Origin)
	}
	return nil
}

// Stop ends the scope: SIGTERM to all of its processes, SIGKILL to what is left after stopTimeout. It returns when they are
// gone.
func (r Running) Stop(ctx context.Context) error {
	if r.delegated {
		return endDelegated(ctx, r.Group)
	}
	m, err := dial(ctx, r.socket)
	if err != nil {
		return err
	}
	defer m.Close()
	done := make(chan string, 1)
	if _, err := m.StopUnitContext(ctx, r.Unit, "replace", done); err != nil {
		return err
	}
	select {
	case result := <-done:
		if result != "done" {
			return fmt.Errorf("the job ended with %q", result)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// eachManager dials every manager once, by the first of its sockets that answers, and hands it to visit. It fails when none
// answers, or with what visit says.
func eachManager(ctx context.Context, runtimeDir string, visit func(*manager, socket) error) error {
	var first error
	answered := false
	for _, alternatives := range managers(runtimeDir, os.Geteuid()) {
		for _, s := range alternatives {
			m, err := dial(ctx, s)
			if err != nil {
				if first == nil {
					first = err
				}
				continue
			}
			err = visit(m, s)
			m.Close()
			if err != nil {
				return err
			}
			answered = true
			break
		}
	}
	if answered {
		return nil
	}
	return first
}

// managers groups sockets by the manager that they lead to. Root may ask every user's.
func managers(runtimeDir string, uid int) [][]socket {
	own := sockets(runtimeDir, uid)
	if uid != 0 {
		return [][]socket{own}
	}
	out := [][]socket{own[:len(own)-1], own[len(own)-1:]} // the last one is the system manager's
	private, _ := filepath.Glob("/run/user/*/systemd/private")
	for _, file := range private {
		owner, err := strconv.Atoi(strings.Split(file, "/")[3])
		info, statErr := os.Lstat(path.Dir(file))
		if err == nil && statErr == nil && owner != 0 && int(info.Sys().(*syscall.Stat_t).Uid) == owner {
			out = append(out, []socket{{path: file, owner: owner}})
		}
	}
	return out
}
