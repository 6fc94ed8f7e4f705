package plan

import (
	"testing"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
)

// TestPlanTable is the table of SPEC section 3 and of the README.
func TestPlanTable(t *testing.T) {
	adjust := Plan{Step: Exec, Adjust: true}
	move := Plan{Step: Move, Adjust: true}
	must := Plan{Step: Move, Adjust: true, Must: true}
	supervise := Plan{Step: Supervise, Adjust: true, Must: true}
	classes := []detect.Class{detect.Light, detect.Isolated, detect.MaybeHeavy, detect.Heavy}
	for _, row := range []struct {
		name string
		s    Situation
		want [4]Plan // in the order of classes
	}{
		{"isolate", Situation{Settings: &config.Settings{Enforcement: config.Isolate}, Supervisable: true},
			[4]Plan{adjust, adjust, move, supervise}},
		{"isolate, a hook or MCP server", Situation{Settings: &config.Settings{Enforcement: config.Isolate}},
			[4]Plan{adjust, adjust, move, must}},
		{"isolate, All=yes", Situation{Settings: &config.Settings{Enforcement: config.Isolate, All: true}, Supervisable: true},
			[4]Plan{move, adjust, move, supervise}},
		{"isolate, in a scope already", Situation{Settings: &config.Settings{Enforcement: config.Isolate}, Supervisable: true, Standing: true},
			[4]Plan{adjust, adjust, adjust, adjust}},
		{"refuse", Situation{Settings: &config.Settings{Enforcement: config.Refuse}, Supervisable: true},
			[4]Plan{adjust, adjust, adjust, {Step: Refuse}}},
		{"refuse, in a scope already", Situation{Settings: &config.Settings{Enforcement: config.Refuse}, Standing: true},
			[4]Plan{adjust, adjust, adjust, adjust}},
		{"adjust", Situation{Settings: &config.Settings{Enforcement: config.Adjust}, Supervisable: true},
			[4]Plan{adjust, adjust, adjust, adjust}},
		{"off", Situation{Settings: &config.Settings{Enforcement: config.Off}, Supervisable: true},
			[4]Plan{{}, {}, {}, {}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			for i, class := range classes {
				if got := For(class, row.s); got != row.want[i] {
					t.Errorf("%v: %+v, want %+v", class, got, row.want[i])
				}
			}
		})
	}
}
