package doctor

import (
	"testing"
	"testing/fstest"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/scope"
)

const (
	v2mounts = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n"
	v1mounts = "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
	noSwaps  = "Filename\tType\tSize\tUsed\tPriority\n"
)

// healthy is a host on which nothing is to be mended; a test takes something away.
func healthy() (Host, fstest.MapFS) {
	files := fstest.MapFS{
		"proc/self/mounts":                 file(v2mounts),
		"sys/fs/cgroup/cgroup.controllers": file("cpu io memory pids\n"),
		"proc/cmdline":                     file("quiet\n"),
		"proc/swaps":                       file(noSwaps + "/dev/zram0 partition 1 0 -2\n"),
		"var/lib/systemd/linger/agent":     file(""),
		"run/user/1000/bus":                file(""),
		"usr/local/bin/exec-prefix":        file(""),
		"bin/bash":                         file(""),
	}
	return Host{Root: files, UID: 1000, User: "agent", RuntimeDir: "run/user/1000", Wrapper: "/usr/local/bin/exec-prefix", Build: "v1", WrapperBuild: "v1",
		Manager:  scope.Manager{Socket: "/run/user/1000/systemd/private", Version: "257"},
		Services: []scope.Service{{Unit: "gateway.service", OOMPolicy: "continue", Environment: []string{"SHELL=/usr/local/bin/exec-prefix"}}},
	}, files
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestAHealthyHostNeedsNothing(t *testing.T) {
	h, _ := healthy()
	for _, f := range Examine(h) {
		if f.Status != OK || f.Mend != "" || f.What == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestOneWantIsNamedOnce: with the memory controller in a hierarchy of cgroup v1, nothing that cgroup v2 has is the mend.
func TestOneWantIsNamedOnce(t *testing.T) {
	h, files := healthy()
	files["proc/self/mounts"] = file(v1mounts)
	files["sys/fs/cgroup/unified/cgroup.controllers"] = file("hugetlb\n")
	for _, f := range Examine(h) {
		if f.Status != OK && f.ID != "cgroup2" {
			t.Errorf("%+v", f)
		}
	}
}

func TestEachWantIsNamedWithItsMend(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(h *Host, files fstest.MapFS)
		id         string
		status     Status
		what, mend string
	}{
		"heavy-run alone": {func(_ *Host, f fstest.MapFS) { delete(f, "usr/local/bin/exec-prefix") },
			"programs", Warning, "there is no exec-prefix beside /usr/local/bin/heavy-run", "install both with scripts/install.sh"},
		"an older exec-prefix": {func(h *Host, _ fstest.MapFS) { h.WrapperBuild = "v0" },
			"programs", Warning, "/usr/local/bin/exec-prefix is not of the build of heavy-run, which is v1", "install both with scripts/install.sh"},
		"cgroup v1": {func(_ *Host, f fstest.MapFS) { f["proc/self/mounts"] = file(v1mounts) },
			"cgroup2", Problem, "this host has no cgroup v2 hierarchy: cgroup v1 has the memory controller", scope.NoHierarchy.Mend()},
		"no cgroup at all": {func(_ *Host, f fstest.MapFS) { delete(f, "proc/self/mounts") },
			"cgroup2", Problem, "this host has no cgroup v2 hierarchy", scope.NoHierarchy.Mend()},
		"memory switched off": {func(_ *Host, f fstest.MapFS) {
			f["sys/fs/cgroup/cgroup.controllers"] = file("cpu pids\n")
			f["proc/cmdline"] = file("quiet cgroup_disable=memory\n")
		}, "controllers", Problem, "the memory controller is not enabled for the user manager: the hierarchy has cpu, pids",
			"remove cgroup_disable=memory from the kernel command line and boot again"},
		"memory not delegated": {func(h *Host, _ fstest.MapFS) {
			h.Manager.Group = cgroup.Group{Path: "/user.slice/user@1000.service"}
		}, "controllers", Problem, "the memory controller is not enabled for the user manager: user@1000.service has no controllers",
			`sudo mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\nDelegate=cpu memory pids\n' | sudo tee /etc/systemd/system/user@.service.d/delegate.conf && sudo systemctl daemon-reload, then log in again`},
		"no pids": {func(_ *Host, f fstest.MapFS) { f["sys/fs/cgroup/cgroup.controllers"] = file("memory\n") },
			"controllers", Warning, "the hierarchy has no pids controller: TasksMax= limits nothing", delegate([]string{"memory"})},
		"no manager": {func(h *Host, _ fstest.MapFS) { h.ManagerErr = &scope.Error{Cause: scope.NoManager} },
			"manager", Problem, "no systemd user manager answers", "sudo loginctl enable-linger agent"},
		"no systemd": {func(h *Host, _ fstest.MapFS) { h.ManagerErr = &scope.Error{Cause: scope.NoSystemd} },
			"manager", Problem, "systemd does not run here", scope.NoSystemd.Mend()},
		"a hidden socket": {func(h *Host, _ fstest.MapFS) { h.ManagerErr = &scope.Error{Cause: scope.SocketHidden} },
			"manager", Problem, "the user manager's socket is out of reach", scope.SocketHidden.Mend()},
		"no lingering": {func(_ *Host, f fstest.MapFS) { delete(f, "var/lib/systemd/linger/agent") },
			"lingering", Warning, "the manager of agent ends with the last login: a gateway that goes on cannot isolate any more", "sudo loginctl enable-linger agent"},
		"no session bus": {func(_ *Host, f fstest.MapFS) { delete(f, "run/user/1000/bus") },
			"session-bus", Warning, "no session bus: the manager can only be asked through its private socket", "sudo apt-get install dbus-user-session"},
		"no system bus": {func(h *Host, _ fstest.MapFS) { h.SystemBusErr = &scope.Error{Cause: scope.NoManager} },
			"system-bus", Warning, "the system bus does not answer: what runs outside of the user manager (a login, a system service) cannot be moved into a scope", "sudo systemctl enable --now dbus.socket && systemctl --user daemon-reexec"},
		"no swap": {func(_ *Host, f fstest.MapFS) { f["proc/swaps"] = file(noSwaps) },
			"swap", Warning, "no swap: when the machine itself runs out, it stalls for minutes before the kernel kills", "any"},
		"swap that nobody counts": {func(_ *Host, f fstest.MapFS) { f["sys/fs/cgroup/memory.max"] = file("max\n") },
			"swap", Problem, "there is swap, and the kernel does not count who uses it: a memory limit would be no limit", "add swapaccount=1 to the kernel command line and boot again, or swapoff"},
		"oomd": {func(_ *Host, f fstest.MapFS) { f["run/systemd/oom/io.systemd.ManagedOOM"] = file("") },
			"oomd", Warning, "systemd-oomd runs: under memory pressure it kills whole units, and OOMPolicy= does not hold it back", "any"},
		"docker": {func(_ *Host, f fstest.MapFS) { f[".dockerenv"] = file("") },
			"container", Warning, "inside a container (docker): what bounds it counts as the machine", ""},
		"nspawn": {func(_ *Host, f fstest.MapFS) { f["run/systemd/container"] = file("systemd-nspawn\n") },
			"container", Warning, "inside a container (systemd-nspawn): what bounds it counts as the machine", ""},
		"OOMPolicy": {func(h *Host, _ fstest.MapFS) { h.Services[0].OOMPolicy = "stop" },
			"gateway", Warning, "gateway.service has OOMPolicy=stop: it is restarted when the kernel kills one process in it",
			"systemctl --user edit gateway.service, under [Service]: OOMPolicy=continue, then systemctl --user restart gateway.service"},
		"a system service": {func(h *Host, _ fstest.MapFS) { h.Services[0].System, h.Services[0].Environment = true, nil },
			"gateway", Warning, "gateway.service sets no SHELL: its commands do not pass through exec-prefix",
			"sudo systemctl edit gateway.service, under [Service]: Environment=SHELL=/usr/local/bin/exec-prefix, then systemctl restart gateway.service"},
		"another shell": {func(h *Host, _ fstest.MapFS) { h.Services[0].Environment = []string{"SHELL=/bin/bash"} },
			"gateway", Warning, "gateway.service has SHELL=/bin/bash: its commands do not pass through exec-prefix", "any"},
		"a shell that is gone": {func(h *Host, _ fstest.MapFS) { h.Services[0].Environment = []string{"SHELL=/opt/exec-prefix"} },
			"gateway", Warning, "gateway.service has SHELL=/opt/exec-prefix, which is not there: every command fails", "any"},
		"a unit that hides the manager": {func(h *Host, _ fstest.MapFS) { h.Services[0].Obstacle = &scope.Error{Cause: scope.NoUnixSockets} },
			"gateway", Warning, "for commands of gateway.service: unix sockets are forbidden here", scope.NoUnixSockets.Mend()},
		"switched off": {func(h *Host, _ fstest.MapFS) {
			h.Services[0].Environment = append(h.Services[0].Environment, "HEAVY_RUN_ENFORCEMENT=off")
		}, "gateway", Warning, "gateway.service sets HEAVY_RUN_ENFORCEMENT=off: its heavy commands are not isolated",
			"systemctl --user edit gateway.service: take HEAVY_RUN_ENFORCEMENT out, then systemctl --user restart gateway.service"},
		"no gateway": {func(h *Host, _ fstest.MapFS) { h.Services = nil }, "gateway", OK, "no gateway unit is loaded here", ""},
	} {
		t.Run(name, func(t *testing.T) {
			h, files := healthy()
			c.change(&h, files)
			for _, f := range Examine(h) {
				if f.ID != c.id {
					continue
				}
				if f.Status != c.status || f.What != c.what || (f.Mend != c.mend && (c.mend != "any" || f.Mend == "")) {
					t.Errorf("%v %q, mend %q\nwant %v %q, mend %q", f.Status, f.What, f.Mend, c.status, c.what, c.mend)
				}
				return
			}
			t.Errorf("no finding %q", c.id)
		})
	}
}
