package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

const gib = 1 << 30

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func load(t *testing.T, operator, user string) *Settings {
	t.Helper()
	return Load([]Source{{write(t, operator), true}, {write(t, user), false}})
}

func TestNoFilesGiveTheDefaults(t *testing.T) {
	s := Load([]Source{{"/nonexistent/heavy-run.conf", true}})
	if s.Enforcement != Isolate || s.Slice != scope.DefaultSlice || s.All || s.SandboxedAdjust || len(s.Problems) > 0 {
		t.Errorf("%+v", s)
	}
	l, slice := s.Limits(4*gib), s.SliceMax(4*gib)
	if l.MemoryMax != 3*gib || l.MemorySwapMax != 0 || l.TasksMax != limits.DefaultTasks || l.OOMPolicy != "continue" || slice != 3*gib {
		t.Errorf("limits %+v, slice %d", l, slice)
	}
}

func TestTheOperatorSets(t *testing.T) {
	s := load(t, `
# a comment
; and another
[Exec]
Enforcement=adjust
Shell=/bin/zsh
Sandboxed=adjust
All=yes
Heavy=mytool build*
Wrapper=/usr/local/bin/run-capped
MaxRunning=3
WaitSec=2min

[Scope]
Slice=agents.slice
MemoryMax=50%
MemorySwapMax=1G
TasksMax=100
CPUWeight=20
CPUQuota=150%
IOWeight=30
OOMPolicy=kill
RuntimeMaxSec=1h 30min
[Slice]
MemoryMax=5G
`, "")
	if len(s.Problems) > 0 {
		t.Fatalf("problems: %v", s.Problems)
	}
	if s.Enforcement != Adjust || s.Shell != "/bin/zsh" || !s.SandboxedAdjust || !s.All || s.Slice != "agents.slice" {
		t.Errorf("%+v", s)
	}
	if s.MaxRunning(4*gib) != 3 || s.Wait() != 2*time.Minute {
		t.Errorf("MaxRunning %d, wait %v", s.MaxRunning(4*gib), s.Wait())
	}
	want := scope.Limits{MemoryMax: 4 * gib, MemorySwapMax: gib, TasksMax: 100, CPUWeight: 20, CPUQuota: 1500 * time.Millisecond,
		IOWeight: 30, OOMPolicy: "kill", RuntimeMax: 90 * time.Minute}
	if l, slice := s.Limits(8*gib), s.SliceMax(8*gib); l != want || slice != 5*gib {
		t.Errorf("limits %+v, slice %d", l, slice)
	}
}

func TestTheUserOnlyTightens(t *testing.T) {
	s := load(t, "[Scope]\nMemoryMax=2G\nTasksMax=500\nCPUWeight=50\n[Slice]\nMemoryMax=3G\n", `[Exec]
Enforcement=off
Shell=/tmp/sh
Sandboxed=adjust
All=no
Light=pnpm install
Wrapper=/tmp/heavy-run
Heavy=mytool
[Scope]
Slice=other.slice
MemoryMax=4G
MemorySwapMax=infinity
TasksMax=100
CPUWeight=10000
[Slice]
MemoryMax=100G
`)
	l, slice := s.Limits(8*gib), s.SliceMax(8*gib)
	if s.Enforcement != Isolate || s.Shell != "" || s.SandboxedAdjust || s.Slice != scope.DefaultSlice {
		t.Errorf("the user loosened: %+v", s)
	}
	if l.MemoryMax != 2*gib || l.MemorySwapMax != 0 || l.TasksMax != 100 || l.CPUWeight != 50 || slice != 3*gib {
		t.Errorf("the user loosened: %+v, slice %d", l, slice)
	}
	var loosened []string
	for _, p := range s.Problems {
		loosened = append(loosened, p.Key)
	}
	if got := strings.Join(loosened, " "); got != "Enforcement Shell Sandboxed All Light Wrapper Slice" {
		t.Errorf("named: %s", got)
	}
	if s := load(t, "", "[Exec]\nEnforcement=refuse\n"); s.Enforcement != Refuse {
		t.Error("the user may be stricter")
	}
}

func TestTheUserWaitsLessAndRunsFewer(t *testing.T) {
	s := load(t, "", "[Exec]\nMaxRunning=9\nWaitSec=1h\n")
	if s.MaxRunning(64*gib) != 4 || s.Wait() != DefaultWait {
		t.Errorf("the user loosened: %d, %v", s.MaxRunning(64*gib), s.Wait())
	}
	s = load(t, "[Exec]\nMaxRunning=3\nWaitSec=infinity\n", "[Exec]\nMaxRunning=2\nWaitSec=5\n")
	if s.MaxRunning(64*gib) != 2 || s.Wait() != 5*time.Second {
		t.Errorf("%d, %v", s.MaxRunning(64*gib), s.Wait())
	}
	for _, text := range []string{"MaxRunning=0", "MaxRunning=-1", "MaxRunning=many", "WaitSec=soon"} {
		if s := load(t, "[Exec]\n"+text+"\n", ""); len(s.Problems) != 1 {
			t.Errorf("%s: problems %v", text, s.Problems)
		}
	}
}

func TestUnsetWeightsCannotBeRaised(t *testing.T) {
	s := load(t, "", "[Scope]\nCPUWeight=10000\nIOWeight=50\n")
	if l := s.Limits(8 * gib); l.CPUWeight > 100 || l.IOWeight != 50 {
		t.Errorf("%+v: systemd's own weight is 100", l)
	}
}

func TestBadLinesAreNamedAndTheRestStands(t *testing.T) {
	s := load(t, `stray=1
[Exec]
Enforcment=off
Enforcement=maybe
not a line
[Nonsense]
MemoryMax=1G
[Scope]
MemoryMax=lots
MemoryMax=1M
MemoryMax=infinity
TasksMax=64
OOMPolicy=panic
CPUQuota=50
`, "")
	want := []string{
		":1: a line before the first section",
		":3: Enforcment: unknown key in [Exec], did you mean Enforcement",
		`:4: Enforcement: "maybe" is none of isolate, refuse, adjust, off`,
		":5: not a line of the form Key=Value",
		":6: unknown section [Nonsense]",
		`:9: MemoryMax: "lots" is not a size`,
		":10: MemoryMax: 1M is below 16M",
		":11: MemoryMax: infinity is no limit",
		`:13: OOMPolicy: "panic" is none of continue, stop, kill`,
		`:14: CPUQuota: "50" is not a percentage`,
	}
	if len(s.Problems) != len(want) {
		t.Errorf("%d problems, want %d", len(s.Problems), len(want))
	}
	for i, p := range s.Problems {
		if i < len(want) && !strings.Contains(p.String(), want[i]) {
			t.Errorf("problem %q, want %q", p, want[i])
		}
	}
	if l := s.Limits(8 * gib); l.TasksMax != 64 || s.Enforcement != Isolate {
		t.Errorf("the good line did not count: %+v", l)
	}
}

func TestFilesThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	os.Symlink(loop, loop)
	for name, path := range map[string]string{"FIFO": fifo, "directory": dir, "device": "/dev/zero", "symlink loop": loop} {
		t.Run(name, func(t *testing.T) {
			if s := Load([]Source{{path, true}}); len(s.Problems) != 1 || s.Enforcement != Isolate {
				t.Errorf("problems %v", s.Problems)
			}
		})
	}
}

func TestFlagsTighten(t *testing.T) {
	s := load(t, "[Scope]\nMemoryMax=2G\n", "")
	for _, flag := range []string{"MemoryMax=1G", "TasksMax=10", "RuntimeMaxSec=60"} {
		if err := s.Tighten(flag); err != nil {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if l := s.Limits(8 * gib); l.MemoryMax != gib || l.TasksMax != 10 || l.RuntimeMax != time.Minute {
		t.Errorf("%+v", l)
	}
	for flag, want := range map[string]string{
		"MemoryMax":    "not of the form NAME=VALUE",
		"MemoryMx=1G":  "did you mean MemoryMax",
		"MemoryMax=1M": "below 16M",
		"Slice=x":      "unknown property",
		"":             "not of the form",
	} {
		if err := s.Tighten(flag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Tighten(%q): %v, want %q", flag, err, want)
		}
	}
}
