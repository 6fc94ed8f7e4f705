package main

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/scope"
	"github.com/heavy-run/heavy-run/internal/words"
)

func TestSubjectOfUndoesTheDescription(t *testing.T) {
	for _, v := range []detect.Verdict{{Rule: "pnpm.install"}, {}} {
		command, rule := subjectOf(words.Description("pnpm install", v))
		if command != "pnpm install" || rule != v.Rule {
			t.Errorf("%q, %q", command, rule)
		}
	}
	if command, rule := subjectOf("nightly build"); command != "nightly build" || rule != "" {
		t.Errorf("%q, %q", command, rule)
	}
}

func TestClassOf(t *testing.T) {
	for rule, want := range map[string]string{"pnpm.install": "heavy", "config.heavy": "heavy", "": "", "nonsense": ""} {
		if got := classOf(rule); got != want {
			t.Errorf("classOf(%q) = %q, want %q", rule, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	seconds, memory, limit, tasks := 75.0, uint64(1288490188), uint64(3<<30), uint64(14)
	got := table([]listed{
		{Unit: "heavy-run-1-ab.scope", Class: "heavy", Command: "pnpm install", UID: -1, Seconds: &seconds, Memory: &memory, Limit: &limit, Tasks: &tasks, Origin: "gateway.service", Kills: 2},
		{Unit: "heavy-run-x.scope", Command: "evil \x1b]0;title\a\u009b"},
		{Unit: "heavy-run-y.scope", Command: "jest", UID: os.Geteuid(), Origin: "gateway.service", OriginGone: true},
	})
	rows := strings.Split(got, "\n")
	for i, want := range []string{
		"UNIT CLASS COMMAND AGE MEMORY PEAK LIMIT TASKS KILLS FROM",
		"heavy-run-1-ab.scope heavy pnpm install 1min 15s 1.2G - 3G 14 2 gateway.service (uid -1)",
		"heavy-run-x.scope - evil ?]0;title?? - - - - - 0 -",
		"heavy-run-y.scope - jest - - - - - 0 gateway.service (gone)",
	} {
		if row := strings.Join(strings.Fields(rows[i]), " "); !strings.HasPrefix(row, want) {
			t.Errorf("%q, want %q", row, want)
		}
	}
	if table(nil) == "" {
		t.Error("nothing is said where nothing runs")
	}
}

func TestChoose(t *testing.T) {
	running := []scope.Running{{Unit: "heavy-run-a.scope"}, {Unit: "heavy-run-b-1.scope"}}
	for _, name := range []string{"a", "heavy-run-a", "heavy-run-a.scope", "a.scope"} {
		if chosen, unknown := choose(running, []string{name}); len(unknown) > 0 || !reflect.DeepEqual(chosen, running[:1]) {
			t.Errorf("%s: %v, unknown %q", name, chosen, unknown)
		}
	}
	if chosen, unknown := choose(running, []string{"b-1", "gateway.service", "*"}); len(chosen) != 1 || len(unknown) != 2 {
		t.Errorf("%v, unknown %q", chosen, unknown)
	}
	if chosen, _ := choose(running, nil); len(chosen) != 2 {
		t.Errorf("all: %v", chosen)
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 61 * time.Second: "1min 1s", 125 * time.Minute: "2h 5min", 50 * time.Hour: "2d 2h",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%v) = %q, want %q", d, got, want)
		}
	}
}
