package admission

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func always([]Place) (bool, string) { return true, "" }

// TestMain lets the test binary be another process of the queue: it enters, says so, and holds its place until stdin ends.
func TestMain(m *testing.M) {
	dir := os.Getenv("ADMISSION_DIR")
	if dir == "" {
		os.Exit(m.Run())
	}
	ticket, err := Enter(dir, os.Getenv("ADMISSION_SUBJECT"))
	if err != nil {
		panic(err)
	}
	err = ticket.Wait(context.Background(), 1, always, func([]Place, string) { fmt.Println("waits") })
	if err != nil {
		panic(err)
	}
	fmt.Println("runs")
	bufio.NewReader(os.Stdin).ReadString('\n')
}

type other struct {
	*exec.Cmd
	out *bufio.Reader
	end func()
}

// enter starts another process and returns once it waits or runs.
func enter(t *testing.T, dir, subject, want string) *other {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ADMISSION_DIR="+dir, "ADMISSION_SUBJECT="+subject)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := &other{cmd, bufio.NewReader(out), func() { in.Close(); cmd.Wait() }}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	o.expect(t, want)
	return o
}

func (o *other) expect(t *testing.T, want string) {
	t.Helper()
	line, err := o.out.ReadString('\n')
	if strings.TrimSpace(line) != want {
		t.Fatalf("another process says %q (%v), want %q", line, err, want)
	}
}

func wait(t *testing.T, ticket *Ticket, limit int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return ticket.Wait(ctx, limit, always, nil)
}

func TestOneAfterTheOtherInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queue")
	first := enter(t, dir, "pnpm test", "runs")
	second := enter(t, dir, "cargo build", "waits")
	third := enter(t, dir, "make", "waits")
	first.end()
	second.expect(t, "runs")
	second.end()
	third.expect(t, "runs")
	third.end()
	if left, _ := os.ReadDir(dir); len(left) > 1 { // nobody comes after the third to sweep its ticket
		t.Errorf("%d tickets are left", len(left))
	}
}

func TestAKilledRunnerOrWaiterFreesItsPlace(t *testing.T) {
	dir := t.TempDir()
	runner := enter(t, dir, "runner", "runs")
	waiter := enter(t, dir, "waiter", "waits")
	last := enter(t, dir, "last", "waits")
	waiter.Process.Kill()
	waiter.Wait()
	runner.Process.Kill()
	runner.Wait()
	last.expect(t, "runs")
}

func TestWhoIsInTheWayIsTold(t *testing.T) {
	dir := t.TempDir()
	enter(t, dir, "pnpm test", "runs")
	ticket, err := Enter(dir, "me")
	if err != nil {
		t.Fatal(err)
	}
	defer ticket.Leave()
	ctx, cancel := context.WithCancel(context.Background())
	var told []Place
	err = ticket.Wait(ctx, 1, always, func(others []Place, why string) { told = others; cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(told) != 1 || told[0].Subject != "pnpm test" || !told[0].Running || told[0].Since <= 0 || told[0].Since > time.Minute {
		t.Errorf("told %+v", told)
	}
}

func TestNoRoomKeepsTheQueueWaiting(t *testing.T) {
	dir := t.TempDir()
	ticket, err := Enter(dir, "me")
	if err != nil {
		t.Fatal(err)
	}
	defer ticket.Leave()
	asked := 0
	room := func(running []Place) (bool, string) {
		if len(running) != 0 {
			t.Errorf("%v run, want none", running)
		}
		asked++
		return asked > 2, "12M free"
	}
	reason := ""
	if err := ticket.Wait(context.Background(), 5, room, func(_ []Place, why string) { reason = why }); err != nil {
		t.Fatal(err)
	}
	if asked != 3 || reason != "12M free" {
		t.Errorf("asked %d times, told %q", asked, reason)
	}
}

func TestLimitTwo(t *testing.T) {
	dir := t.TempDir()
	enter(t, dir, "one", "runs")
	ticket, err := Enter(dir, "two")
	if err != nil {
		t.Fatal(err)
	}
	defer ticket.Leave()
	if err := wait(t, ticket, 2); err != nil {
		t.Errorf("the second of two: %v", err)
	}
}

func TestWhereARunnerIs(t *testing.T) {
	dir := t.TempDir()
	runner, err := Enter(dir, "one")
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Leave()
	if err := wait(t, runner, 1); err != nil {
		t.Fatal(err)
	}
	runner.Runs("/x.scope")
	ticket, err := Enter(dir, "two")
	if err != nil {
		t.Fatal(err)
	}
	defer ticket.Leave()
	var got []Place
	room := func(running []Place) (bool, string) { got = running; return true, "" }
	if err := ticket.Wait(context.Background(), 2, room, nil); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Where != "/x.scope" || got[0].Subject != "one" {
		t.Errorf("runners: %+v", got)
	}
}

func TestADirectoryThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := Enter(filepath.Join(file, "queue"), "me"); err == nil {
		t.Error("no error")
	}
}
