// Package doctor says for each thing that isolation needs whether this host has it, and the command or setting that mends
// it. It only looks: files below a root that is handed in, and what package scope was told by the managers. What counts in
// the end is the trial, a real scope that its caller has tried.
package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/heavy-run/heavy-run/internal/scope"
)

// Status is how much a finding matters.
type Status int

// The statuses. A Problem makes isolation impossible, a Warning makes it weaker.
const (
	OK Status = iota
	Warning
	Problem
)

var statuses = [...]string{OK: "ok", Warning: "warn", Problem: "problem"}

// String is the stable name of the status, for JSON.
func (s Status) String() string { return statuses[s] }

// Finding is the answer to one question.
type Finding struct {
	ID     string // stable, for JSON
	Status Status
	What   string
	Mend   string // what to do; empty where nothing is to be done
}

// Host is what is examined.
type Host struct {
	Root         fs.FS // the file system
	UID          int
	User         string // name of the user; may be empty
	RuntimeDir   string // without its leading slash, as Root takes it
	Manager      scope.Manager
	ManagerErr   error // why none answers
	SystemBusErr error // why the system bus does not
	Services     []scope.Service
	Wrapper      string // path of the exec-prefix that a gateway should have as its SHELL
	Build        string // of heavy-run itself
	WrapperBuild string // of the exec-prefix at Wrapper; empty where it does not say
}

// Examine goes through everything, in the order in which one needs the other.
func Examine(h Host) []Finding {
	findings := []Finding{h.programs(), h.hierarchy(), h.controllers(), h.manager(), h.lingering(), h.sessionBus(), h.systemBus(), h.swap(), h.oomd(), h.container()}
	for _, s := range h.Services {
		findings = append(findings, h.gateway(s)...)
	}
	if len(h.Services) == 0 {
		findings = append(findings, Finding{ID: "gateway", What: "no gateway unit is loaded here"})
	}
	return slices.DeleteFunc(findings, func(f Finding) bool { return f.ID == "" })
}

func (h Host) exists(name string) bool {
	_, err := fs.Stat(h.Root, name)
	return err == nil
}

// same says whether two names mean the same file: exec-prefix may go by the name of a shell.
func (h Host) same(a, b string) bool {
	one, err := fs.Stat(h.Root, strings.TrimPrefix(a, "/"))
	two, err2 := fs.Stat(h.Root, strings.TrimPrefix(b, "/"))
	return err == nil && err2 == nil && os.SameFile(one, two)
}

func (h Host) read(name string) string {
	data, _ := fs.ReadFile(h.Root, name)
	return string(data)
}

// mounted gives the mount point of the first file system of that type whose options hold option.
func (h Host) mounted(fstype, option string) (string, bool) {
	for line := range strings.Lines(h.read("proc/self/mounts")) {
		f := strings.Fields(line)
		if len(f) >= 4 && f[2] == fstype && (option == "" || slices.Contains(strings.Split(f[3], ","), option)) {
			return strings.TrimPrefix(f[1], "/"), true
		}
	}
	return "", false
}

// programs looks at the other program: what heavy-run says about commands is true of an exec-prefix of the same build.
func (h Host) programs() Finding {
	f := Finding{ID: "programs", Status: Warning, Mend: "install both with scripts/install.sh"}
	switch {
	case !h.exists(strings.TrimPrefix(h.Wrapper, "/")):
		f.What = "there is no exec-prefix beside " + path.Join(path.Dir(h.Wrapper), "heavy-run")
	case h.WrapperBuild != h.Build:
		f.What = h.Wrapper + " is not of the build of heavy-run, which is " + h.Build
	default:
		return Finding{ID: f.ID, What: "exec-prefix and heavy-run are of one build: " + h.Build}
	}
	return f
}

func (h Host) hierarchy() Finding {
	f := Finding{ID: "cgroup2"}
	unified, v2 := h.mounted("cgroup2", "")
	_, v1 := h.mounted("cgroup", "memory")
	switch {
	case !v2:
		return f.failed(scope.NoHierarchy, nil)
	case v1:
		return f.failed(scope.NoHierarchy, errors.New("cgroup v1 has the memory controller"))
	}
	f.What = "cgroup v2 is mounted at /" + unified
	return f
}

// failed words the finding as a command that meets the cause is told.
func (f Finding) failed(cause scope.Cause, err error) Finding {
	e := scope.Error{Cause: cause, Err: err}
	f.Status, f.What, f.Mend = Problem, e.Error(), cause.Mend()
	return f
}

// controllers looks where the manager puts its units: systemd delegates memory to every user's since 238, and an
// administrator may have taken it away.
func (h Host) controllers() Finding {
	f := Finding{ID: "controllers"}
	unified, ok := h.mounted("cgroup2", "")
	if _, v1 := h.mounted("cgroup", "memory"); !ok || v1 {
		return Finding{} // the hierarchy is what is wrong
	}
	all := strings.Fields(h.read(path.Join(unified, "cgroup.controllers")))
	where, have := "the hierarchy", all
	if h.Manager.Group.Path != "" && h.Manager.Group.Path != "/" {
		where, have = h.Manager.Group.Name(), h.Manager.Group.Controllers()
	}
	switch {
	case !slices.Contains(have, "memory"):
		f = f.failed(scope.NoController, fmt.Errorf("%s has %s", where, orNone(have)))
		if slices.Contains(all, "memory") {
			f.Mend = delegate(have)
		} else if strings.Contains(h.read("proc/cmdline"), "cgroup_disable=memory") {
			f.Mend = "remove cgroup_disable=memory from the kernel command line and boot again"
		}
	case !slices.Contains(have, "pids"):
		f.Status, f.What, f.Mend = Warning, where+" has no pids controller: TasksMax= limits nothing", delegate(have)
	default:
		f.What = where + " has " + orNone(have)
	}
	return f
}

func delegate(have []string) string {
	const dir = "/etc/systemd/system/user@.service.d"
	return fmt.Sprintf(`sudo mkdir -p %s && printf '[Service]\nDelegate=%s\n' | sudo tee %s/delegate.conf && sudo systemctl daemon-reload, then log in again`,
		dir, strings.Join(union(have, "cpu", "memory", "pids"), " "), dir)
}

func union(have []string, also ...string) []string {
	out := slices.Concat(have, also)
	slices.Sort(out)
	return slices.Compact(out)
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "no controllers"
	}
	return strings.Join(words, ", ")
}

func (h Host) manager() Finding {
	f := Finding{ID: "manager"}
	if h.ManagerErr != nil {
		f.Status, f.What = Problem, h.ManagerErr.Error()
		if cause, ok := scope.CauseOf(h.ManagerErr); ok {
			f.Mend = cause.Mend()
			if cause == scope.NoManager && h.UID != 0 {
				f.Mend = h.enableLinger()
			}
		}
		return f
	}
	kind := "the user manager"
	if h.Manager.System {
		kind = "the system manager"
	}
	f.What = fmt.Sprintf("%s answers at %s (systemd %s)", kind, h.Manager.Socket, h.Manager.Version)
	return f
}

func (h Host) enableLinger() string { return "sudo loginctl enable-linger " + h.user() }

func (h Host) user() string {
	if h.User != "" {
		return h.User
	}
	return strconv.Itoa(h.UID)
}

func (h Host) lingering() Finding {
	f := Finding{ID: "lingering"}
	switch {
	case h.UID == 0:
		f.What = "root needs none: it has the system manager"
	case h.exists(path.Join("var/lib/systemd/linger", h.user())):
		f.What = "the manager of " + h.user() + " runs without a login"
	default:
		f.Status, f.Mend = Warning, h.enableLinger()
		f.What = "the manager of " + h.user() + " ends with the last login: a gateway that goes on cannot isolate any more"
	}
	return f
}

func (h Host) sessionBus() Finding {
	f := Finding{ID: "session-bus"}
	switch {
	case h.UID == 0:
		return Finding{}
	case h.exists(path.Join(h.RuntimeDir, "bus")):
		f.What = "there is a session bus"
	default:
		f.Status, f.Mend = Warning, "sudo apt-get install dbus-user-session"
		f.What = "no session bus: the manager can only be asked through its private socket"
	}
	return f
}

func (h Host) systemBus() Finding {
	f := Finding{ID: "system-bus"}
	if h.SystemBusErr == nil {
		f.What = "the system bus answers"
		return f
	}
	f.Status, f.Mend = Warning, "sudo systemctl enable --now dbus.socket && systemctl --user daemon-reexec"
	f.What = "the system bus does not answer: what runs outside of the user manager (a login, a system service) cannot be moved into a scope"
	return f
}

func (h Host) swap() Finding {
	f := Finding{ID: "swap"}
	swaps := strings.Split(strings.TrimSpace(h.read("proc/swaps")), "\n")[1:]
	unified, _ := h.mounted("cgroup2", "")
	group := path.Join(unified, h.Manager.Group.Path)
	switch {
	case len(swaps) == 0:
		f.Status = Warning
		f.What = "no swap: when the machine itself runs out, it stalls for minutes before the kernel kills"
		f.Mend = "sudo apt-get install systemd-zram-generator, or a swap file: sudo fallocate -l 2G /swapfile && sudo chmod 600 /swapfile && sudo mkswap /swapfile && sudo swapon /swapfile"
	case h.exists(path.Join(group, "memory.max")) && !h.exists(path.Join(group, "memory.swap.max")):
		f.Status, f.Mend = Problem, "add swapaccount=1 to the kernel command line and boot again, or swapoff"
		f.What = "there is swap, and the kernel does not count who uses it: a memory limit would be no limit"
	case strings.Contains(swaps[0], "zram"):
		f.What = "swap on zram, of which an isolated command gets MemorySwapMax="
	default:
		f.What = "swap, of which an isolated command gets MemorySwapMax="
	}
	return f
}

// oomd looks for the socket that systemd-oomd listens on.
func (h Host) oomd() Finding {
	f := Finding{ID: "oomd"}
	if !h.exists("run/systemd/oom/io.systemd.ManagedOOM") {
		f.What = "systemd-oomd does not run"
		return f
	}
	f.Status, f.Mend = Warning, "ManagedOOMPreference=avoid in the [Service] section of the gateway's unit"
	f.What = "systemd-oomd runs: under memory pressure it kills whole units, and OOMPolicy= does not hold it back"
	return f
}

func (h Host) container() Finding {
	f := Finding{ID: "container", What: "no container"}
	kind := strings.TrimSpace(h.read("run/systemd/container"))
	switch {
	case kind != "":
	case h.exists(".dockerenv"):
		kind = "docker"
	case h.exists("run/.containerenv"):
		kind = "podman"
	default:
		return f
	}
	f.Status, f.What = Warning, "inside a container ("+kind+"): what bounds it counts as the machine"
	return f
}

// gateway looks at a unit whose commands should be isolated.
func (h Host) gateway(s scope.Service) []Finding {
	user, edit := "--user ", "systemctl --user edit "+s.Unit
	if s.System {
		user, edit = "", "sudo systemctl edit "+s.Unit
	}
	restart := ", then systemctl " + user + "restart " + s.Unit
	var out []Finding
	warn := func(what, line string) {
		out = append(out, Finding{"gateway", Warning, s.Unit + " " + what, edit + ", under [Service]: " + line + restart})
	}
	if s.OOMPolicy != "continue" {
		warn("has OOMPolicy="+s.OOMPolicy+": it is restarted when the kernel kills one process in it", "OOMPolicy=continue")
	}
	if s.Obstacle != nil {
		out = append(out, Finding{"gateway", Warning, "for commands of " + s.Unit + ": " + s.Obstacle.Error(), s.Obstacle.Cause.Mend()})
	}
	shell, set := "", false
	for _, entry := range s.Environment {
		switch name, value, _ := strings.Cut(entry, "="); {
		case name == "SHELL":
			shell, set = value, true
		case strings.HasSuffix(name, "_ENFORCEMENT") && (value == "off" || value == "adjust"): // the operator's word; see guard
			out = append(out, Finding{"gateway", Warning, s.Unit + " sets " + entry + ": its heavy commands are not isolated",
				edit + ": take " + name + " out" + restart})
		}
	}
	switch {
	case !set:
		warn("sets no SHELL: its commands do not pass through exec-prefix", "Environment=SHELL="+h.Wrapper)
	case !h.exists(strings.TrimPrefix(shell, "/")):
		warn("has SHELL="+shell+", which is not there: every command fails", "Environment=SHELL="+h.Wrapper)
	case !h.same(shell, h.Wrapper) && path.Base(shell) != "exec-prefix":
		warn("has SHELL="+shell+": its commands do not pass through exec-prefix", "Environment=SHELL="+h.Wrapper)
	case len(out) == 0:
		out = append(out, Finding{ID: "gateway", What: s.Unit + " runs its commands through " + shell})
	}
	return out
}
