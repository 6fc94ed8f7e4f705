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
	l := s.Limits(4 * gib)
	slice, swap := s.SliceLimits(4 * gib)
	if swap != 0 || l.MemoryMax != 3*gib || l.MemorySwapMax != 0 || l.TasksMax != limits.DefaultTasks || l.OOMPolicy != "continue" || slice != 3*gib {
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
	slice, swap := s.SliceLimits(8 * gib)
	if l := s.Limits(8 * gib); l != want || slice != 5*gib || swap != gib {
		t.Errorf("limits %+v, slice %d and swap %d", l, slice, swap)
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
	l := s.Limits(8 * gib)
	slice, _ := s.SliceLimits(8 * gib)
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
	// less than the operator allows is what is asked for, though it is more than the default
	s = load(t, "[Exec]\nMaxRunning=8\n", "[Exec]\nMaxRunning=7\nMaxRunning=5\nMaxRunning=6\n")
	if s.MaxRunning(4*gib) != 5 {
		t.Errorf("%d of 5", s.MaxRunning(4*gib))
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
	s = load(t, "[Scope]\nCPUWeight=500\nIOWeight=500\n", "[Scope]\nCPUWeight=200\nIOWeight=600\n")
	if l := s.Limits(8 * gib); l.CPUWeight != 200 || l.IOWeight != 500 {
		t.Errorf("%+v: the operator's weight is 500", l)
	}
}

// TestTheSliceIsTheOperators: what one command may take less of is not everybody's limit.
func TestTheSliceIsTheOperators(t *testing.T) {
	s := load(t, "[Scope]\nMemorySwapMax=2G\n", "[Scope]\nMemorySwapMax=1G\n")
	if err := s.Tighten("MemorySwapMax=0"); err != nil {
		t.Fatal(err)
	}
	if _, swap := s.SliceLimits(8 * gib); swap != 2*gib || s.Limits(8*gib).MemorySwapMax != 0 {
		t.Errorf("the slice may swap %d, the command %d", swap, s.Limits(8*gib).MemorySwapMax)
	}
}

func TestSlices(t *testing.T) {
	for name, ok := range map[string]bool{"agents.slice": true, "user-agents.slice": true, "a.b_c:d.slice": true, "agents": false, ".slice": false,
		"-.slice": false, "-a.slice": false, "a-.slice": false, "a--b.slice": false, "a/b.slice": false, "a$b.slice": false, "ü.slice": false} {
		s := load(t, "[Scope]\nSlice="+name+"\n", "")
		if (s.Slice == name) != ok || (len(s.Problems) == 0) != ok {
			t.Errorf("%q: %v, problems %v", name, s.Slice, s.Problems)
		}
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

// TestFilesOfOtherEditors: a byte order mark, line ends of DOS, no line end at all, and lines that go on as systemd's do.
func TestFilesOfOtherEditors(t *testing.T) {
	for name, text := range map[string]string{
		"byte order mark":      "\ufeff[Exec]\nHeavy=mytool build test\nEnforcement=refuse\n",
		"DOS":                  "[Exec]\r\nHeavy=mytool build test\r\nEnforcement=refuse\r\n",
		"no last line end":     "[Exec]\nHeavy=mytool build test\nEnforcement=refuse",
		"continued":            "[Exec]\nHeavy=mytool \\\n  build \\\n  test\nEnforcement=refuse\n",
		"continued, DOS":       "[Exec]\r\nHeavy=mytool \\\r\n  build test\r\nEnforcement=refuse\r\n",
		"a comment in between": "[Exec]\nHeavy=mytool \\\n# not this\n  ; nor this\n  build test\nEnforcement=refuse\n",
		"continued at the end": "[Exec]\nEnforcement=refuse\nHeavy=mytool build test \\",
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, text, "")
			if len(s.Problems) > 0 || s.Enforcement != Refuse {
				t.Errorf("%v, problems %v", s.Enforcement, s.Problems)
			}
			if values, _ := setting(t, s, "[Exec]", "Heavy"); len(values) != 1 || values[0] != "mytool build test" {
				t.Errorf("Heavy=%q", values)
			}
		})
	}
}

// TestAHomeThatIsNone: a service's user may have /dev/null or a file for its home, which is no mistake in a setting.
func TestAHomeThatIsNone(t *testing.T) {
	if s := Load(Sources("", "/dev/null")); len(s.Problems) > 0 {
		t.Errorf("problems %v", s.Problems)
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
	for _, flag := range []string{"MemoryMax=1G", "TasksMax=40", "RuntimeMaxSec=60"} {
		if err := s.Tighten(flag); err != nil {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if l := s.Limits(8 * gib); l.MemoryMax != gib || l.TasksMax != 40 || l.RuntimeMax != time.Minute {
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
