package words

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// TestHeavyRunIsExact: what a refusal suggests is what a shell reads back as the command that was refused.
func TestHeavyRunIsExact(t *testing.T) {
	for _, command := range []string{
		"pnpm install", "pnpm lint:core --fix", "cd web && pnpm build", "echo 'it''s' | vitest", "pnpm test\nmake", "vitest \"$X\" *.ts",
	} {
		v := detect.Verdict{Inner: command, Command: command}
		script := strings.Replace(HeavyRun("heavy-run", v), "heavy-run ", "printf '%s\\n' ", 1)
		out, err := exec.Command("sh", "-c", script).Output()
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(command), "\n")
		if got := string(out); got != "-c\n"+command+"\n" && got != "--\n"+words+"\n" {
			t.Errorf("%q: %s", command, HeavyRun("heavy-run", v))
		}
	}
	if got := HeavyRun("heavy-run", detect.Verdict{Inner: strings.Repeat("x", 1000)}); len(got) > 100 {
		t.Errorf("a long command is repeated: %s", got)
	}
}

func TestQuote(t *testing.T) {
	for _, word := range []string{"", "plain", "a b", "it's", "$HOME", "a\nb", "~", "#x", "a=b", "ü", "*", "!x"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("Quote(%q) = %s reads back as %q, %v", word, Quote(word), out, err)
		}
	}
}

func TestTheLastLineSaysWhatToDo(t *testing.T) {
	err := error(&scope.Error{Cause: scope.NoManager, Err: errors.New("no such file")})
	about := func(subject string) Command { return Command{Subject: subject} }
	for name, c := range map[string]struct {
		notice Notice
		want   []string
	}{
		"not isolated": {about("pnpm install").NotIsolated(err), []string{"no systemd user manager", "enable-linger", "nothing was run"}},
		"no room":      {about("make").NoRoom(10 * time.Minute), []string{"no room for \"make\" after 10m0s", "try again later"}},
		"scope limit": {about("vitest").OutOfMemory(scope.Receipt{}, scope.Kill{Processes: 1, Limit: scope.ScopeLimit, Max: 64 << 20, Peak: 64 << 20}),
			[]string{"a process of \"vitest\"", "MemoryMax=64M, peak 64M", "fewer workers"}},
		"slice limit": {about("vitest").OutOfMemory(scope.Receipt{}, scope.Kill{Processes: 3, Limit: scope.SliceLimit, Max: 1 << 30}),
			[]string{"3 processes", "all heavy commands together (1G)", "run it again alone"}},
		"known victim": {about("vitest").OutOfMemory(scope.Receipt{}, scope.Kill{Processes: 1, Victim: "node", Limit: scope.ScopeLimit, Max: 64 << 20}),
			[]string{`killed a process ("node") of "vitest"`, "use fewer workers"}},
		"known victims": {about("vitest").OutOfMemory(scope.Receipt{}, scope.Kill{Processes: 3, Victim: "node", Limit: scope.ScopeLimit, Max: 64 << 20}),
			[]string{`killed 3 processes (the last was "node") of "vitest"`, "use fewer workers"}},
		"host": {about("vitest").OutOfMemory(scope.Receipt{}, scope.Kill{Processes: 1, Limit: scope.HostLimit, Max: limits.Infinity}),
			[]string{"the machine ran out", "wait until the machine has free memory"}},
	} {
		t.Run(name, func(t *testing.T) {
			lines := c.notice.Lines
			all := strings.Join(lines, "\n")
			at := 0
			for _, want := range c.want {
				i := strings.Index(all[at:], want)
				if i < 0 {
					t.Fatalf("no %q in\n%s", want, all)
				}
				at += i
			}
			if last := lines[len(lines)-1]; !strings.Contains(last, c.want[len(c.want)-1]) || len(last) > 140 {
				t.Errorf("the last line is %q", last)
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	got := Command{Subject: "tsc"}.Waiting([]admission.Place{{Subject: "pnpm test", Since: 250 * time.Second, Running: true}, {Subject: "make"}}, "").Lines[0]
	if want := `waiting for its turn: 1 running, "pnpm test" 4m10s; 1 ahead`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (Command{}).Waiting(nil, "12M available, 64M wanted").Lines[0]; got != "waiting for memory (12M available, 64M wanted): 0 running" {
		t.Errorf("%q", got)
	}
}

// TestTheJournalHoldsNoSecrets: whatever the command says, entries are made of the rule's words.
func TestTheJournalHoldsNoSecrets(t *testing.T) {
	const secret = "hunter2"
	text := "TOKEN=" + secret + " pnpm install --password=" + secret + " # " + secret
	v := detect.Classify(detect.Input{Text: text})
	if v.Class != detect.Heavy || !strings.Contains(v.Inner, secret) {
		t.Fatalf("%+v", v)
	}
	c := Command{Subject(v), v}
	receipt := scope.Receipt{Unit: "heavy-run-1.scope", MemoryMax: 1 << 30}
	for _, n := range []Notice{c.Isolated(receipt), c.Bypassed(guard.Bypass{Unit: "gateway.service"}), c.NotIsolated(errors.New("x")), c.RefusedByPolicy("heavy-run"), c.RefusedByPolicy(""),
		c.Waiting(nil, ""), c.NoRoom(time.Minute), c.OutOfMemory(receipt, scope.Kill{Limit: scope.ScopeLimit})} {
		for key, value := range n.Entry.Fields() {
			if strings.Contains(value, secret) {
				t.Errorf("%s: %s=%s", n.Entry.Event, key, value)
			}
		}
		if strings.Contains(n.Entry.Message, secret) || n.Entry.Message == "" {
			t.Errorf("%s: message %q", n.Entry.Event, n.Entry.Message)
		}
	}
	if d := Description(Subject(v), v); strings.Contains(d, secret) || !strings.Contains(d, "pnpm install") {
		t.Errorf("description %q", d)
	}
}

// TestBug: no trace and no status 2, whatever goes wrong inside.
func TestBug(t *testing.T) {
	var said strings.Builder
	run := func() (status int) {
		defer Voice{Program: "exec-prefix", Stderr: &said}.Bug(&status)
		var none []string
		return len(none[3])
	}
	if got := run(); got != StatusRefused || !strings.HasPrefix(said.String(), "exec-prefix: a bug in exec-prefix") || strings.Contains(said.String(), "goroutine") {
		t.Errorf("status %d: %s", got, said.String())
	}
}
