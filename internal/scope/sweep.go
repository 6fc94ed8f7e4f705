package scope

import "context"

// sweep stops the scopes of ours whose service has been restarted or is gone since they began. BindsTo= should have ended
// them, and on systemd 252 does not when the service is restarted; the parent that watches for it may have been killed. Errors
// change nothing: the next heavy command sweeps again.
func (m *manager) sweep(ctx context.Context) {
	units, err := m.ListUnitsByPatternsContext(ctx, []string{"active"}, []string{scopePattern})
	if err != nil {
		return
	}
	for _, u := range units {
		if origin := m.boundTo(ctx, u.Name); origin != "" && m.orphaned(ctx, u.Name, origin) {
			m.StopUnitContext(ctx, u.Name, "replace", nil)
		}
	}
}

// boundTo is the service that a scope of ours is bound to; empty for none, which was started by hand or from a service of
// another manager.
func (m *manager) boundTo(ctx context.Context, scope string) string {
	if origins, _ := m.property(ctx, scope, "BindsTo").([]string); len(origins) == 1 {
		return origins[0]
	}
	return ""
}

// orphaned says that a service which is down, or was started later than the scope, is not the one that the scope came from.
func (m *manager) orphaned(ctx context.Context, scope, origin string) bool {
	began, ok := m.property(ctx, scope, "ActiveEnterTimestampMonotonic").(uint64)
	if !ok {
		return false
	}
	started, ok := m.property(ctx, origin, "InactiveExitTimestampMonotonic").(uint64)
	state, known := m.property(ctx, origin, "ActiveState").(string)
	return ok && known && (started > began || state == "inactive" || state == "failed")
}

// property is a property of a unit, nil when it cannot be had.
func (m *manager) property(ctx context.Context, unit, name string) any {
	p, err := m.GetUnitPropertyContext(ctx, unit, name)
	if err != nil {
		return nil
	}
	return p.Value.Value()
}
