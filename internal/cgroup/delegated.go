package cgroup

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// What may be written where a cgroup was delegated to this user; see "Delegation" in Documentation/admin-guide/cgroup-v2.rst.

// Child is the cgroup name below g, whether it is there or not.
func (g Group) Child(name string) Group {
	return Group{Path: path.Join(g.Path, name), dir: path.Join(g.dir, name)}
}

// Make makes g, where its parent is this process's to write. The error satisfies fs.ErrExist where g is there already.
func (g Group) Make() error { return os.Mkdir(g.dir, 0o755) }

// Writable says whether this process may make cgroups in g.
func (g Group) Writable() bool { return unix.Access(g.dir, unix.W_OK) == nil }

// Remove removes g. The kernel refuses where a process or another cgroup is in it.
func (g Group) Remove() error { return unix.Rmdir(g.dir) }

// Set writes a file of g. The error satisfies fs.ErrNotExist where the controller is not enabled for g.
func (g Group) Set(file, value string) error {
	f, err := os.OpenFile(path.Join(g.dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	f.Close() // nothing is buffered: the write has said all
	return err
}

// Enter moves this process into g. Zero means the sender in every pid namespace.
func (g Group) Enter() error { return g.Set("cgroup.procs", "0") }

// Attribute reads an extended attribute of g, such as systemd's user.delegate; empty where there is none.
func (g Group) Attribute(name string) string {
	value := make([]byte, 512)
	n, err := unix.Getxattr(g.dir, name, value)
	if err != nil {
		return ""
	}
	return string(value[:n])
}

// SetAttribute writes one; kernels before 5.7 know none of users' own.
func (g Group) SetAttribute(name, value string) error {
	return unix.Setxattr(g.dir, name, []byte(value), 0)
}

// Since is when g was made, or the last cgroup in it was made or removed.
func (g Group) Since() time.Time {
	info, err := os.Stat(g.dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Owner is the user to whom g was given; -1 where it is gone.
func (g Group) Owner() int {
	var stat unix.Stat_t
	if unix.Stat(g.dir, &stat) != nil {
		return -1
	}
	return int(stat.Uid)
}

// Below lists the cgroups below g whose name matches a pattern of path.Match.
func (g Group) Below(pattern string) (out []Group) {
	filepath.WalkDir(g.dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // one that ended meanwhile
		}
		if ok, _ := path.Match(pattern, d.Name()); ok {
			relative, _ := filepath.Rel(g.dir, file)
			out = append(out, g.Child(relative))
		}
		return nil
	})
	return out
}
