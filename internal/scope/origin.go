package scope

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// Unit is what a service manager says about a service of its own.
type Unit struct {
	Name      string
	MainPID   int
	Transient bool // made by a program at run time, by no operator's file

	restricted string // see restriction
}

// systemBus is where anybody may ask the system manager about its units; its private socket is for root.
var systemBus = socket{path: "/run/dbus/system_bus_socket", owner: 0, bus: true, system: true}

// OriginUnit asks the manager of the service that group belongs to about it. The second value is false where group belongs to
// no service.
func OriginUnit(ctx context.Context, runtimeDir string, group cgroup.Group) (Unit, bool, error) {
	service, system := originService(group)
	if service.Path == "" {
		return Unit{}, false, nil
	}
	from := sockets(runtimeDir, os.Geteuid())
	if system {
		from = []socket{systemBus}
		if os.Geteuid() == 0 {
			from = []socket{{path: "/run/systemd/private", owner: 0, system: true}}
		}
	}
	var u Unit
	err := firstOf(from, func(s socket) (err error) {
		u, err = askUnit(ctx, s, service.Name())
		return err
	})
	// That no socket at all can be had is a cause of its own, and so is a container in which no systemd runs.
	if cause, _ := CauseOf(err); err != nil && system && cause != NoUnixSockets && cause != NoSystemd {
		err = &Error{Cause: NoSystemBus, Err: err}
	}
	return u, true, err
}

// OriginProcesses says whether any process of the service that group belongs to satisfies is. Processes in groups below the
// service's own are passed over: its main process is in none, or (DelegateSubgroup=) is then not found.
func OriginProcesses(group cgroup.Group, is func(pid int) bool) bool {
	service, _ := originService(group)
	if service.Path == "" {
		return false
	}
	pids, _ := service.Processes()
	return slices.ContainsFunc(pids, is)
}

func askUnit(ctx context.Context, s socket, name string) (Unit, error) {
	m, err := dial(ctx, s)
	if err != nil {
		return Unit{}, err
	}
	defer m.Close()
	u, err := m.unit(ctx, name)
	if err != nil {
		return Unit{}, err
	}
	transient, err := m.GetUnitPropertyContext(ctx, name, "Transient")
	if err != nil {
		return Unit{}, noAnswer(err)
	}
	u.Transient, _ = transient.Value.Value().(bool)
	return u, nil
}

// unit asks about a service of this manager's, all but Transient, which is another call.
func (m *manager) unit(ctx context.Context, name string) (Unit, error) {
	service, err := m.GetUnitTypePropertiesContext(ctx, name, "Service")
	if err != nil {
		return Unit{}, noAnswer(err)
	}
	u := Unit{Name: name, restricted: restriction(service)}
	pid, _ := service["MainPID"].(uint32)
	u.MainPID = int(pid)
	return u, nil
}

// unrestricted refuses to leave restrictions of the service behind that this process comes from. bound is its name where m runs it;
// else its own manager is asked. It fails closed: what is not known is not left behind.
func (m *manager) unrestricted(ctx context.Context, runtimeDir string, from cgroup.Group, bound string) error {
	ask := func() (Unit, bool, error) { return OriginUnit(ctx, runtimeDir, from) }
	if bound != "" {
		ask = func() (u Unit, ok bool, err error) { u, err = m.unit(ctx, bound); return u, true, err }
	}
	u, ok, err := ask()
	if ok && err == nil && u.restricted != "" {
		err = &Error{Cause: Restricted, Err: fmt.Errorf("%s has %s", u.Name, u.restricted)}
	}
	return err
}

// restriction names the first setting of a service that its cgroup enforces, by a BPF program or a device list. A process that
// moves to another cgroup leaves it behind: with IPAddressDeny=any and DevicePolicy=strict on the gateway, network and devices
// were reachable again. See systemd.resource-control(5).
func restriction(service map[string]any) string {
	if policy, _ := service["DevicePolicy"].(string); policy != "" && policy != "auto" {
		return "DevicePolicy=" + policy
	}
	for _, list := range []string{"DeviceAllow", "IPAddressAllow", "IPAddressDeny", "SocketBindAllow", "SocketBindDeny",
		"IPIngressFilterPath", "IPEgressFilterPath", "BPFProgram"} {
		if !isEmpty(service[list]) {
			return list + "="
		}
	}
	// These two are pairs: whether the list allows, and the list.
	for _, pair := range []string{"RestrictNetworkInterfaces", "RestrictFileSystems"} {
		if value, ok := service[pair].([]any); ok && len(value) == 2 && !isEmpty(value[1]) {
			return pair + "="
		}
	}
	return ""
}

func isEmpty(list any) bool {
	switch l := list.(type) {
	case nil:
		return true
	case []string:
		return len(l) == 0
	case [][]any:
		return len(l) == 0
	}
	return fmt.Sprint(list) == "[]"
}
