package config

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/heavy-run/heavy-run/internal/limits"
)

// setting finds one value among the effective ones.
func setting(t *testing.T, s *Settings, section, key string) (values []string, lines []int) {
	t.Helper()
	for _, e := range s.Effective(8 * gib) {
		if e.Section == section && e.Key == key {
			line := 0
			if e.Origin != nil {
				line = e.Origin.Line
			}
			values, lines = append(values, e.Value), append(lines, line)
		}
	}
	return values, lines
}

// TestTheExampleEqualsTheDefaults: every key is in the example file, and taking all its lines changes nothing.
func TestTheExampleEqualsTheDefaults(t *testing.T) {
	data, err := os.ReadFile("../../heavy-run.conf.example")
	if err != nil {
		t.Fatal(err)
	}
	asIs := Load([]Source{{write(t, string(data)), true}})
	if len(asIs.Origins) > 0 || len(asIs.Problems) > 0 {
		t.Errorf("the example sets %v, problems %v", asIs.Origins, asIs.Problems)
	}
	var uncommented strings.Builder
	for line := range strings.Lines(string(data)) {
		if key, ok := strings.CutPrefix(line, "#"); ok && key[0] >= 'A' && key[0] <= 'Z' {
			line = key
		}
		uncommented.WriteString(line)
	}
	all := Load([]Source{{write(t, uncommented.String()), true}})
	if len(all.Problems) > 0 {
		t.Errorf("problems %v", all.Problems)
	}
	for _, bound := range []uint64{gib / 2, 4 * gib, 15 * gib, 64 * gib} {
		want, got := defaults().Effective(bound), all.Effective(bound)
		if len(want) != len(got) {
			t.Fatalf("%d settings, want %d", len(got), len(want))
		}
		for i := range want {
			if want[i].Value != got[i].Value {
				t.Errorf("%s %s=%s, the default is %s", want[i].Section, want[i].Key, got[i].Value, want[i].Value)
			}
			if got[i].Origin == nil {
				t.Errorf("%s %s is not in the example", want[i].Section, want[i].Key)
			}
		}
		if !reflect.DeepEqual(all.Limits(bound), defaults().Limits(bound)) {
			t.Errorf("limits %+v, want %+v", all.Limits(bound), defaults().Limits(bound))
		}
	}
}

func TestEffectiveNamesTheLineThatDecides(t *testing.T) {
	s := load(t, `[Exec]
Enforcement=adjust
Heavy=one
Heavy=two build
[Scope]
MemoryMax=2G
TasksMax=500
[Slice]
MemoryMax=50%
`, `[Exec]
Enforcement=isolate
Heavy=three
WaitSec=1h
[Scope]
MemoryMax=4G
TasksMax=100
`)
	for _, c := range []struct {
		section, key string
		values       []string
		lines        []int
	}{
		{"[Exec]", "Enforcement", []string{"isolate"}, []int{2}},
		{"[Exec]", "Heavy", []string{"one", "two build", "three"}, []int{3, 4, 3}},
		{"[Exec]", "Light", []string{""}, []int{0}},
		{"[Exec]", "WaitSec", []string{"10min"}, []int{0}},
		{"[Scope]", "MemoryMax", []string{"2G"}, []int{6}},
		{"[Scope]", "TasksMax", []string{"100"}, []int{7}},
		{"[Scope]", "OOMPolicy", []string{"continue"}, []int{0}},
		{"[Slice]", "MemoryMax", []string{"4G"}, []int{9}},
	} {
		if values, lines := setting(t, s, c.section, c.key); !reflect.DeepEqual(values, c.values) || !reflect.DeepEqual(lines, c.lines) {
			t.Errorf("%s %s: %q from lines %v, want %q from %v", c.section, c.key, values, lines, c.values, c.lines)
		}
	}
	if err := s.Tighten("MemoryMax=1G"); err != nil {
		t.Fatal(err)
	}
	for _, e := range s.Effective(8 * gib) {
		if e.Section == "[Scope]" && e.Key == "MemoryMax" && (e.Value != "1G" || e.Origin.File != "command line") {
			t.Errorf("after a flag: %+v", e)
		}
	}
}

// TestEveryKeyHasAValue writes every key as it is in force into a file of its own and reads it back.
func TestEveryKeyHasAValue(t *testing.T) {
	s := load(t, `[Exec]
Enforcement=refuse
Shell=/bin/zsh
Sandboxed=adjust
All=yes
Heavy=a
Light=b
Wrapper=/c
MaxRunning=3
WaitSec=infinity
[Scope]
Slice=other.slice
MemoryMax=2G
MemorySwapMax=infinity
TasksMax=infinity
CPUWeight=20
CPUQuota=150%
IOWeight=30
OOMPolicy=kill
RuntimeMaxSec=5400
[Slice]
MemoryMax=3G
`, "")
	var text strings.Builder
	for _, e := range s.Effective(8 * gib) {
		if e.Value == "" || e.Origin == nil {
			t.Errorf("%s %s has no value: add it to Settings.value, or a line of it above", e.Section, e.Key)
		}
		text.WriteString(e.Section + "\n" + e.Key + "=" + e.Value + "\n")
	}
	again := load(t, text.String(), "")
	if len(again.Problems) > 0 {
		t.Errorf("problems %v in\n%s", again.Problems, text.String())
	}
	for i, e := range again.Effective(8 * gib) {
		if want := s.Effective(8 * gib)[i]; e.Value != want.Value {
			t.Errorf("%s %s=%s, read back %s", e.Section, e.Key, want.Value, e.Value)
		}
	}
}

func TestAnEmptyValueIsTheDefault(t *testing.T) {
	s := load(t, `[Exec]
Enforcement=off
Enforcement=
Heavy=one
Heavy=
Heavy=two
[Scope]
MemoryMax=1G
TasksMax=70
MemoryMax=
`, "[Scope]\nMemoryMax=\nTasksMax=\n")
	l := s.Limits(8 * gib)
	if s.Enforcement != Isolate || l.MemoryMax != defaults().Limits(8*gib).MemoryMax || l.TasksMax != 70 {
		t.Errorf("%v, %+v", s.Enforcement, l)
	}
	if len(s.Problems) != 2 {
		t.Errorf("a user may not take the operator's limits back: problems %v", s.Problems)
	}
	if values, _ := setting(t, s, "[Exec]", "Heavy"); !reflect.DeepEqual(values, []string{"two"}) {
		t.Errorf("Heavy=%q", values)
	}
	if l.TasksMax == limits.DefaultTasks {
		t.Error("TasksMax was taken back with MemoryMax")
	}
}
