// Package cgroup reads where this process stands in the cgroup v2 hierarchy and what limits and events apply there. It only
// reads: moving a process or setting a limit is another's job. See cgroups(7) and Documentation/admin-guide/cgroup-v2.rst.
package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/heavy-run/heavy-run/internal/limits"
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
	data, err := os.ReadFile("/proc/self/cgroup")
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

// locate finds the files of the cgroup p. The usual mount point is tried first; a hybrid host or a container that mounts a
// part of the hierarchy is looked up in /proc/self/mountinfo.
func locate(p string) (Group, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return Group{}, err
	}
	for line := range strings.Lines(string(mounts)) {
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
			return Group{Path: p, dir: path.Join(f[4], below)}, nil
		}
	}
	return Group{}, ErrNoHierarchy
}

// Parent is the cgroup above g; the second value is false at the root of what is mounted.
func (g Group) Parent() (Group, bool) {
	if g.Path == "/" || g.Path == "" {
		return Group{}, false
	}
	return Group{Path: path.Dir(g.Path), dir: path.Dir(g.dir)}, true
}

// Name is the last component of the path: the unit's name for a scope, slice or service.
func (g Group) Name() string { return path.Base(g.Path) }

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
	data, err := os.ReadFile(path.Join(g.dir, file))
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

// Event reads one counter of a file such as memory.events.local; 0 where it is missing.
func (g Group) Event(file, key string) uint64 {
	data, _ := os.ReadFile(path.Join(g.dir, file))
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

// HasSwap says whether the machine has any swap space. Unreadable counts as yes: the answer guards a limit.
func HasSwap() bool {
	n, err := meminfo("SwapTotal")
	return err != nil || n > 0
}

// meminfo reads one line of /proc/meminfo, in bytes.
func meminfo(key string) (uint64, error) {
	data, err := os.ReadFile("/proc/meminfo")
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
