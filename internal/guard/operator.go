package guard

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// enforcementVariables may hold an enforcement. In the environment of a command they can only tighten: a model sets what it
// likes there. In that of the gateway's main process they are the operator's word.
var enforcementVariables = []string{"HEAVY_RUN_ENFORCEMENT", "OPENCLAW_EXEC_HEAVY_ENFORCEMENT"}

// TightenByEnvironment takes an enforcement from the command's own environment, where it is stricter.
func TightenByEnvironment(settings *config.Settings, env launch.Environment) {
	for _, name := range enforcementVariables {
		if e, ok := config.ParseEnforcement(env.Get(name)); ok && e > settings.Enforcement {
			settings.Enforcement = e
		}
	}
}

// operatorsWord is the enforcement that the operator has set in the environment of the service that this process comes from,
// where that is looser than the one in force. The manager must name that service's main process, since a command can start
// processes anywhere below it, and the unit must not be one that a command has made.
func operatorsWord(settings *config.Settings, runtimeDir string) (enforcement config.Enforcement, unit string, found bool) {
	group, err := cgroup.Current()
	if err != nil {
		return 0, "", false
	}
	// Asking the manager takes a millisecond, looking whether anybody there has the variable at all a tenth of one.
	if !scope.OriginProcesses(group, func(pid int) bool { _, ok := enforcementOf(pid); return ok }) {
		return 0, "", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), mayWait)
	defer cancel()
	u, ok, err := scope.OriginUnit(ctx, runtimeDir, group)
	if !ok || err != nil || u.Transient || u.MainPID == 0 {
		return 0, "", false // fails closed: nobody's word is not the operator's
	}
	e, ok := enforcementOf(u.MainPID)
	if !ok || e >= settings.Enforcement {
		return 0, "", false
	}
	return e, u.Name, true
}

// enforcementOf reads the variables in the environment that process pid was started with.
func enforcementOf(pid int) (config.Enforcement, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return 0, false
	}
	for entry := range bytes.SplitSeq(data, []byte{0}) {
		for _, name := range enforcementVariables {
			if value, ok := strings.CutPrefix(string(entry), name+"="); ok {
				if e, ok := config.ParseEnforcement(value); ok {
					return e, true
				}
			}
		}
	}
	return 0, false
}
