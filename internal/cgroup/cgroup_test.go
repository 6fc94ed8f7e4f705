package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/heavy-run/heavy-run/internal/limits"
)

func TestDirectory(t *testing.T) {
	const (
		unified = "24 1 0:22 / /proc rw - proc proc rw\n36 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid  = "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n31 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		part    = "36 24 0:30 /system.slice/box.scope /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
		legacy  = "30 24 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	)
	for name, c := range map[string]struct{ mounts, path, want string }{
		"unified":                 {unified, "/user.slice/x.scope", "/sys/fs/cgroup/user.slice/x.scope"},
		"the root":                {unified, "/", "/sys/fs/cgroup"},
		"hybrid":                  {hybrid, "/user.slice", "/sys/fs/cgroup/unified/user.slice"},
		"a part of the hierarchy": {part, "/system.slice/box.scope/a", "/sys/fs/cgroup/a"},
		"outside of that part":    {part, "/system.slice/box.scope2", ""},
		"cgroup v1":               {legacy, "/user.slice", ""},
		"nothing":                 {"garbage\n - cgroup2 \n", "/x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := directory(c.mounts, c.path); got != c.want || ok != (c.want != "") {
				t.Errorf("%q, %v, want %q", got, ok, c.want)
			}
		})
	}
}

// made is a cgroup of plain files: enough to read.
func made(t *testing.T, path string, files map[string]string) Group {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Group{Path: path, dir: dir}
}

func TestLimitsAndEvents(t *testing.T) {
	g := made(t, "/a/b.scope", map[string]string{
		"memory.max": "67108864\n", "memory.swap.max": "max\n", "pids.max": "garbage\n",
		"memory.events.local": "low 0\noom 3\noom_kill 2\n", "cgroup.events": "populated 1\nfrozen 0\n", "cgroup.procs": "12\n345\n",
		"memory.current": "100\n", "memory.stat": "anon 30\nfile 70\ninactive_file 50\nactive_file 20\nshmem 0\n",
	})
	if n, err := g.Limit("memory.max"); n != 64<<20 || err != nil {
		t.Errorf("memory.max %d, %v", n, err)
	}
	if held := g.Held(); held != 30 {
		t.Errorf("%d held, want what is in use less the cached files", held)
	}
	if n, err := g.Limit("memory.swap.max"); n != limits.Infinity || err != nil {
		t.Errorf("memory.swap.max %d, %v", n, err)
	}
	if _, err := g.Limit("memory.high"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := g.Limit("pids.max"); err == nil {
		t.Error("garbage is no limit")
	}
	if k, o := g.Event("memory.events.local", "oom_kill"), g.Event("memory.events.local", "oom"); k != 2 || o != 3 {
		t.Errorf("oom_kill %d, oom %d", k, o)
	}
	if n := g.Event("nosuchfile", "oom"); n != 0 {
		t.Errorf("a missing file counts %d", n)
	}
	if pids, _ := g.Processes(); len(pids) != 2 || pids[1] != 345 {
		t.Errorf("processes %v", pids)
	}
	if !g.Populated() {
		t.Error("populated")
	}
}

func TestNamesAndAncestors(t *testing.T) {
	g := Group{Path: "/user.slice/heavy.slice/heavy-run.slice/heavy-run-1.scope"}
	if g.Name() != "heavy-run-1.scope" || (Group{}).Name() != "" {
		t.Errorf("names %q, %q", g.Name(), Group{}.Name())
	}
	if slice, ok := g.Ancestor("heavy.slice"); !ok || slice.Path != "/user.slice/heavy.slice" {
		t.Errorf("%v, %v", slice, ok)
	}
	if _, ok := g.Ancestor("heavy-run-1.scope"); ok {
		t.Error("a group is not its own ancestor")
	}
	if _, ok := g.Ancestor("app.slice"); ok {
		t.Error("no such ancestor")
	}
}

func TestAwaitEndOfNothing(t *testing.T) {
	if err := (Group{Path: "/gone", dir: filepath.Join(t.TempDir(), "gone")}).AwaitEnd(); err != nil {
		t.Errorf("a cgroup that is gone has ended: %v", err)
	}
	if err := made(t, "/empty", map[string]string{"cgroup.events": "populated 0\n", "cgroup.procs": ""}).AwaitEnd(); err != nil {
		t.Errorf("an empty one too: %v", err)
	}
	restarted := made(t, "/again", map[string]string{"cgroup.events": "populated 1\n", "cgroup.procs": "10\n"})
	ended := make(chan error)
	go func() { ended <- restarted.AwaitEnd() }()
	// Other processes in the same place, as after a restart that nobody saw: written until the watch is there to notice.
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		default:
			os.WriteFile(filepath.Join(restarted.dir, "cgroup.procs"), []byte("20\n"), 0o644)
			os.WriteFile(filepath.Join(restarted.dir, "cgroup.events"), []byte("populated 1\n"), 0o644)
		}
	}
}

func TestPressureAndMemory(t *testing.T) {
	if n, err := Available(); err != nil || n == 0 {
		t.Errorf("available: %d, %v", n, err)
	}
	if p := MemoryPressure(); p < 0 || p > 100 {
		t.Errorf("pressure %v%%", p)
	}
	if n, err := (Group{}).Bound(); err != nil || n == 0 {
		t.Errorf("the machine's own memory: %d, %v", n, err)
	}
}
