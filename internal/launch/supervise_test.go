package launch

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/inherit"
	"github.com/heavy-run/heavy-run/internal/testbin"
)

func TestMain(m *testing.M) { os.Exit(testbin.Main(m, "./internal/launch/testdata/supervise")) }

// subject is a supervisor with a bash script under it, as leader of its own process group.
type subject struct {
	*exec.Cmd
	t     *testing.T
	lines *bufio.Reader
}

func start(t *testing.T, script string, args ...string) *subject {
	t.Helper()
	s := &subject{t: t, Cmd: exec.Command("supervise", append([]string{"/bin/bash", "-c", script, "bash"}, args...)...)}
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewReader(out)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Kill(-s.Process.Pid, unix.SIGKILL)
		s.Wait()
	})
	return s
}

// line reads the next line that the script prints.
func (s *subject) line() string {
	s.t.Helper()
	text, err := s.lines.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the script printed no more: %v", err)
	}
	return strings.TrimSpace(text)
}

// rest is everything else that it prints, and how it ends.
func (s *subject) rest() (string, syscall.WaitStatus) {
	s.t.Helper()
	text, _ := io.ReadAll(s.lines)
	s.Wait()
	return string(text), s.ProcessState.Sys().(syscall.WaitStatus)
}

// await polls for what another process does.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited 20 s until %s", what)
}

func TestEveryEndIsRepeated(t *testing.T) {
	for status := range 256 {
		if _, got := start(t, fmt.Sprintf("exit %d", status)).rest(); !got.Exited() || got.ExitStatus() != status {
			t.Errorf("exit %d: %v", status, got)
		}
	}
	for sig := syscall.Signal(1); sig <= 64; sig++ {
		switch sig {
		case unix.SIGCHLD, unix.SIGCONT, unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGURG, unix.SIGWINCH, 32, 33:
			continue // end nothing, or belong to the C library
		}
		// dash, since bash ignores QUIT.
		_, got := start(t, fmt.Sprintf("ulimit -c 0; exec dash -c 'kill -%d $$'", sig)).rest()
		if !got.Signaled() || got.Signal() != sig {
			t.Errorf("signal %d: %v", sig, got)
		}
	}
}

// counting prints a line for every signal that it gets and ends on TERM.
const counting = `
for s in HUP INT QUIT USR1 USR2; do trap "echo got $s" $s; done
trap 'echo got TERM; exit 3' TERM
echo ready
while :; do sleep 0.01; done`

// TestSignals: whoever is signalled, the command sees each signal once.
func TestSignals(t *testing.T) {
	for name, target := range map[string]func(pid int) int{
		"the group":      func(pid int) int { return -pid },
		"this pid alone": func(pid int) int { return pid },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, counting)
			s.line()
			witness := awaitWitness(t, s.Process.Pid, 0)
			to := target(s.Process.Pid)
			for _, sig := range []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2} {
				unix.Kill(to, sig)
				name := "got " + strings.TrimPrefix(unix.SignalName(sig), "SIG")
				if got := s.line(); got != name {
					t.Fatalf("after %v: %q, want %q", sig, got, name)
				}
				if to < 0 {
					witness = awaitWitness(t, s.Process.Pid, witness)
				}
			}
			unix.Kill(to, unix.SIGTERM)
			if text, status := s.rest(); text != "got TERM\n" || status.ExitStatus() != 3 {
				t.Errorf("then %q, status %d; want the end by TERM and 3", text, status.ExitStatus())
			}
		})
	}
}

// children lists the children of a process by their argv[0].
func children(pid int) map[string]int {
	out := map[string]int{}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range tasks {
		data, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(data)) {
			cmdline, _ := os.ReadFile("/proc/" + child + "/cmdline")
			name, _, _ := strings.Cut(string(cmdline), "\x00")
			out[name], _ = strconv.Atoi(child)
		}
	}
	return out
}

// awaitWitness waits for a witness, other than the one that has just died of a signal to the group.
func awaitWitness(t *testing.T, pid, other int) (witness int) {
	t.Helper()
	await(t, "a witness stands", func() bool {
		witness = children(pid)[inherit.WitnessName]
		return witness != 0 && witness != other
	})
	return witness
}

// TestKillOfThePidAlone leaves of the command what a KILL of the command itself would.
func TestKillOfThePidAlone(t *testing.T) {
	s := start(t, "echo $$; while :; do sleep 0.01; done")
	command, _ := strconv.Atoi(s.line())
	unix.Kill(s.Process.Pid, unix.SIGKILL)
	await(t, "the command is gone", func() bool { return unix.Kill(command, 0) == unix.ESRCH })
}

func TestStopAndContinue(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGSTOP, unix.SIGTSTP} {
		for _, alone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, continued alone: %v", sig, alone), func(t *testing.T) {
				s := start(t, "echo ready; while :; do sleep 0.01; done")
				s.line()
				// The command stops by itself: its own process, not the group.
				command := children(s.Process.Pid)["/bin/bash"]
				unix.Kill(command, unix.SIGSTOP)
				var status unix.WaitStatus
				if _, err := unix.Wait4(s.Process.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
					t.Fatalf("the supervisor did not stop with its command: %v %v", status, err)
				}
				to := -s.Process.Pid
				if alone {
					to = s.Process.Pid
				}
				unix.Kill(to, unix.SIGCONT)
				await(t, "both go on", func() bool { return !stopped(command) && !stopped(s.Process.Pid) })
			})
		}
	}
}

// TestTheGroupIsStopped: this process is stopped with its command then, and must not stop itself for it once both go on.
func TestTheGroupIsStopped(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGSTOP, unix.SIGTTIN, unix.SIGTTOU} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, "echo ready; while :; do sleep 0.01; done")
			s.line()
			command := children(s.Process.Pid)["/bin/bash"]
			for range 20 {
				unix.Kill(-s.Process.Pid, sig)
				await(t, "both are stopped", func() bool { return stopped(command) && stopped(s.Process.Pid) })
				unix.Kill(-s.Process.Pid, unix.SIGCONT)
				await(t, "both go on", func() bool { return !stopped(command) && !stopped(s.Process.Pid) })
			}
			unix.Kill(-s.Process.Pid, unix.SIGTERM)
			await(t, "it ends", func() bool {
				pid, _ := unix.Wait4(s.Process.Pid, nil, unix.WNOHANG, nil)
				return pid == s.Process.Pid
			})
		})
	}
}

// TestNothingIsHeldOpen: a reader of the command's output, or of any other descriptor, sees the end when the command ends or
// closes it, although its parent is still there.
func TestNothingIsHeldOpen(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{t: t, Cmd: exec.Command("supervise", "/bin/bash", "-c", "exec >&- 3>&-; while :; do sleep 0.01; done")}
	s.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.ExtraFiles = []*os.File{w}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	defer func() {
		unix.Kill(-s.Process.Pid, unix.SIGKILL)
		s.Wait()
	}()
	for name, f := range map[string]io.Reader{"stdout": out, "descriptor 3": r} {
		ended := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, f)
			ended <- err
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Errorf("%s is still open", name)
		}
	}
}

func TestFailureStatus(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	os.WriteFile(text, []byte("no program"), 0o644)
	for name, c := range map[string]struct {
		path string
		want int
	}{
		"missing":        {filepath.Join(dir, "none"), 127},
		"not executable": {text, 126},
		"a directory":    {dir, 126},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := (Command{Path: c.path, Args: []string{"x"}}).Supervise(func() {}); FailureStatus(err) != c.want {
				t.Errorf("%v: status %d, want %d", err, FailureStatus(err), c.want)
			}
			if _, err := Look(c.path, "", nil); FailureStatus(err) != c.want {
				t.Errorf("Look: %v: status %d, want %d", err, FailureStatus(err), c.want)
			}
		})
	}
}
