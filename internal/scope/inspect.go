package scope

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// Manager is a service manager that answers.
type Manager struct {
	Socket  string
	System  bool // the system's, not a user's
	Version string
	Group   cgroup.Group // below which it puts its units
}

// FindManager asks who answers first, of those that Enter would ask. The error is an *Error.
func FindManager(ctx context.Context, runtimeDir string) (Manager, error) {
	var found Manager
	err := firstOf(sockets(runtimeDir, os.Geteuid()), func(s socket) error {
		m, err := dial(ctx, s)
		if err != nil {
			return err
		}
		defer m.Close()
		found = Manager{Socket: s.path, System: s.system}
		if version, err := m.GetManagerProperty("Version"); err == nil {
			found.Version = strings.Trim(version, `"`)
		}
		if p, err := m.GetManagerProperty("ControlGroup"); err == nil {
			found.Group, _ = cgroup.Named(path.Clean("/" + strings.Trim(p, `"`)))
		}
		return nil
	})
	return found, err
}

// AskSystemBus says whether the system bus answers. Its socket's file outlives it.
func AskSystemBus(ctx context.Context) error {
	m, err := dial(ctx, systemBus)
	if err == nil {
		m.Close()
	}
	return err
}

// Service is a unit that runs agents' commands, with the settings that decide how those end.
type Service struct {
	Unit        string
	System      bool // a unit of the system manager
	Active      bool
	OOMPolicy   string
	Environment []string // as the unit file sets it
	// Obstacle is why its commands cannot be isolated, by a setting of the unit: NoUnixSockets, SocketHidden or Restricted.
	Obstacle *Error
}

// Services looks for units by a pattern such as "gateway*.service", at the managers that List asks and at the system's.
func Services(ctx context.Context, runtimeDir, pattern string) []Service {
	var out []Service
	visit := func(m *manager, s socket) error {
		units, err := m.ListUnitsByPatternsContext(ctx, nil, []string{pattern})
		if err != nil {
			return nil // as if it had none: this is a look around, nothing depends on it
		}
		for _, u := range units {
			if u.LoadState == "loaded" {
				out = append(out, m.service(ctx, u.Name, s.system, u.ActiveState == "active"))
			}
		}
		return nil
	}
	eachManager(ctx, runtimeDir, visit)
	if os.Geteuid() != 0 {
		// Only root may use the system manager's own socket; reading is allowed to everybody on the bus.
		if m, err := dial(ctx, systemBus); err == nil {
			visit(m, systemBus)
			m.Close()
		}
	}
	return out
}

func (m *manager) service(ctx context.Context, unit string, system, active bool) Service {
	out := Service{Unit: unit, System: system, Active: active}
	props, err := m.GetUnitTypePropertiesContext(ctx, unit, "Service")
	if err != nil {
		return out
	}
	out.OOMPolicy, _ = props["OOMPolicy"].(string)
	out.Environment, _ = props["Environment"].([]string)
	if setting := restriction(props); setting != "" {
		out.Obstacle = &Error{Cause: Restricted, Err: errors.New(setting)}
	}
	if home, _ := props["ProtectHome"].(string); home == "yes" || home == "tmpfs" {
		out.Obstacle = &Error{Cause: SocketHidden, Err: errors.New("ProtectHome=" + home)}
	}
	paths, _ := props["InaccessiblePaths"].([]string)
	for _, p := range paths {
		if bare := strings.TrimLeft(p, "-+"); bare == "/run" || bare == "/run/user" || strings.HasPrefix(bare, "/run/user/") {
			out.Obstacle = &Error{Cause: SocketHidden, Err: errors.New("InaccessiblePaths=" + p)}
		}
	}
	// (bas): the list is what is allowed when the first is true, else what is forbidden.
	if families, ok := props["RestrictAddressFamilies"].([]any); ok && len(families) == 2 {
		allowed, _ := families[0].(bool)
		list, _ := families[1].([]string)
		if (allowed || len(list) > 0) && slices.Contains(list, "AF_UNIX") != allowed {
			out.Obstacle = &Error{Cause: NoUnixSockets, Err: errors.New("RestrictAddressFamilies=")}
		}
	}
	return out
}
