package scope

import "context"

// sweep stops the scopes of ours whose service has been restarted or is gone since they began. BindsTo= should have ended
// them, and on systemd 252 does not when the service is restarted; the parent that watches for it may have been killed. Errors
// change nothing: the next heavy command sweeps again.
func (m *manager) sweep(ctx context.Context) {
	units, err := m.ListUnitsByPatternsContext(ctx, []string{"active"}, []string{UnitPrefix + "*.scope"})
	if err != nil {
		return
	}
	for _, u := range units {
		origins, ok := m.property(ctx, u.Name, "BindsTo").([]string)
		if !ok || len(origins) != 1 {
			continue // bound to nothing: started by hand, or from a service of another manager
		}
		began, ok := m.property(ctx, u.Name, "ActiveEnterTimestampMonotonic").(uint64)
		if !ok {
			continue
		}
		// A service that is down or was started later is not the one that the scope came from.
		started, ok := m.property(ctx, origins[0], "InactiveExitTimestampMonotonic").(uint64)
		state, known := m.property(ctx, origins[0], "ActiveState").(string)
		if ok && known && (started > began || state == "inactive" || state == "failed") {
			m.StopUnitContext(ctx, u.Name, "replace", nil)
		}
	}
}

// property is a property of a unit, nil when it cannot be had.
func (m *manager) property(ctx context.Context, unit, name string) any {
	p, err := m.GetUnitPropertyContext(ctx, unit, name)
	if err != nil {
		return nil
	}
	return p.Value.Value()
}
