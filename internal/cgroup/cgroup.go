// Package cgroup reads where this process stands in the cgroup v2 hierarchy and what limits and events apply there. Some
// methods (delegated.go) make, limit and enter a cgroup that was delegated to this user; whether it was is another's to judge. No
// other process is ever moved. See cgroups(7) and Documentation/admin-guide/cgroup-v2.rst.
package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/plainfile"
)

// ErrNoHierarchy means that no cgroup v2 hierarchy is mounted: a cgroup v1 host, or a container that hides it.
var ErrNoHierarchy = errors.New("no cgroup v2 hierarchy is mounted")

// Group is one cgroup.
type Group struct {
	Path string // as in /proc/PID/cgroup, relative to the cgroup namespace: "/user.slice/…/x.scope"
	dir  string // where its files are
}

// Current is the cgroup of this process, as the kernel says at this moment.
func Current() (Group, error) {
	data, err := readFile("/proc/self/cgroup")
	if err != nil {
		return Group{}, err
	}
	for line := range strings.Lines(string(data)) {
		if p, ok := strings.CutPrefix(line, "0::"); ok {
			return locate(strings.TrimSuffix(p, "\n"))
		}
	}
	return Group{}, ErrNoHierarchy
}

// mountinfo is read once: several questions are asked in front of a command, and none of them changes what is mounted.
var mountinfo = sync.OnceValues(func() ([]byte, error) { return readFile("/proc/self/mountinfo") })

// locate finds the files of the cgroup p.
func locate(p string) (Group, error) {
	mounts, err := mountinfo()
	if err != nil {
		return Group{}, err
	}
	dir, ok := directory(string(mounts), p)
	if !ok {
		return Group{}, ErrNoHierarchy
	}
	return Group{Path: p, dir: dir}, nil
}

// directory finds where the cgroup p is mounted, in the lines of /proc/self/mountinfo: at /sys/fs/cgroup mostly, elsewhere on a
// hybrid host, and in a container perhaps a part of the hierarchy only.
func directory(mountinfo, p string) (string, bool) {
	for line := range strings.Lines(mountinfo) {
		// 36 35 98:0 /root /mount/point options [optional fields] - fstype source superoptions
		fields, fstype, ok := strings.Cut(line, " - ")
		if !ok || !strings.HasPrefix(fstype, "cgroup2 ") {
			continue
		}
		f := strings.Fields(fields)
		if len(f) < 5 {
			continue
		}
		below, ok := strings.CutPrefix(p, strings.TrimSuffix(f[3], "/"))
		if ok && (below == "" || below[0] == '/') {
			return path.Join(f[4], below), true
		}
	}
	return "", false
}

// Parent is the cgroup above g; the second value is false at the root of what is mounted.
func (g Group) Parent() (Group, bool) {
	if g.Path == "/" || g.Path == "" {
		return Group{}, false
	}
	return Group{Path: path.Dir(g.Path), dir: path.Dir(g.dir)}, true
}

// Name is the last component of the path: the unit's name for a scope, slice or service. Empty for no group.
func (g Group) Name() string {
	if g.Path == "" {
		return ""
	}
	return path.Base(g.Path)
}

// Ancestor is the nearest cgroup above g with that name.
func (g Group) Ancestor(name string) (Group, bool) {
	for g, ok := g.Parent(); ok; g, ok = g.Parent() {
		if g.Name() == name {
			return g, true
		}
	}
	return Group{}, false
}

// Limit reads a file such as memory.max or memory.swap.max, in bytes; "max" is limits.Infinity. The error satisfies
// fs.ErrNotExist where the controller is not enabled for g, and always at the root of the hierarchy.
func (g Group) Limit(file string) (uint64, error) {
	data, err := readFile(path.Join(g.dir, file))
	if err != nil {
		return 0, err
	}
	text := string(bytes.TrimSpace(data))
	if text == "max" {
		return limits.Infinity, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w", file, g.Path, err)
	}
	return n, nil
}

// Held is the memory in g and all that is below it which cannot be had back at once: what is in use but for cached files. 0
// where that is not known.
func (g Group) Held() uint64 {
	used, err := g.Limit("memory.current")
	if err != nil {
		return 0
	}
	return used - min(used, g.Event("memory.stat", "active_file")+g.Event("memory.stat", "inactive_file"))
}

// maxFile is far more than any of the kernel's files has, in bytes.
const maxFile = 64 << 20

func readFile(name string) ([]byte, error) { return plainfile.Read(name, maxFile) }

// Event reads one counter of a file such as memory.events.local; 0 where it is missing.
func (g Group) Event(file, key string) uint64 {
	data, _ := readFile(path.Join(g.dir, file))
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, key+" "); ok {
			n, _ := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// Bound is the memory that really bounds this process, in bytes: the machine's, or the least memory.max of g and all that
// is above it.
func (g Group) Bound() (uint64, error) {
	total, err := meminfo("MemTotal")
	if err != nil {
		return 0, err
	}
	for ok := g.dir != ""; ok; g, ok = g.Parent() {
		if n, err := g.Limit("memory.max"); err == nil {
			total = min(total, n)
		}
	}
	return total, nil
}

// Processes lists the processes in g itself.
func (g Group) Processes() ([]int, error) {
	data, err := readFile(path.Join(g.dir, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	var pids []int
	for field := range strings.FieldsSeq(string(data)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// Populated says whether any process is in g or below it; not when g is gone.
func (g Group) Populated() bool { return g.Event("cgroup.events", "populated") == 1 }

// AwaitEnd returns when the processes that are in g now have all left it: the service that it belongs to was stopped, has
// died or was restarted. The kernel tells by a change of cgroup.events that g became empty; a restart may have filled it again
// before anybody looks, so the processes are compared too. The error is that of watching.
func (g Group) AwaitEnd() error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, path.Join(g.dir, "cgroup.events"), unix.IN_MODIFY|unix.IN_DELETE_SELF)
	before, _ := g.Processes()
	for buf := make([]byte, 4096); err == nil && g.Populated(); {
		now, _ := g.Processes()
		if len(before) > 0 && !slices.ContainsFunc(before, func(pid int) bool { return slices.Contains(now, pid) }) {
			return nil
		}
		if _, err = unix.Read(fd, buf); err == unix.EINTR {
			err = nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Named is the cgroup with that path.
func Named(path string) (Group, error) { return locate(path) }

// Available is the memory that can be had without swapping, in bytes: the kernel's own estimate for the machine.
func Available() (uint64, error) { return meminfo("MemAvailable") }

// MemoryPressure is the share of the last ten seconds, in percent, in which some task waited for memory. It is 0 where the
// kernel does not measure it. See Documentation/accounting/psi.rst.
func MemoryPressure() float64 {
	data, _ := readFile("/proc/pressure/memory")
	var percent float64
	fmt.Sscanf(string(data), "some avg10=%f", &percent)
	return percent
}

// HasSwap says whether the machine has any swap space. Unreadable counts as yes: the answer guards a limit.
func HasSwap() bool {
	n, err := meminfo("SwapTotal")
	return err != nil || n > 0
}

// meminfo reads one line of /proc/meminfo, in bytes.
func meminfo(key string) (uint64, error) {
	data, err := readFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/meminfo", key)
}
