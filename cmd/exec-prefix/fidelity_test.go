package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// TestNothingChanges compares everything that a process can inherit, as a command sees it in bare bash and behind
// exec-prefix, for callers in ordinary and in odd states.
func TestNothingChanges(t *testing.T) {
	probe := testbin.Probe(t)
	prefix := testbin.Path(t, "exec-prefix")
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	const everySignal = "1,2,3,5,6,10,12,13,14,15,16,17,20,21,22,23,24,25,26,27,28,29,30,31,34,40,64"
	for name, state := range map[string][]string{
		"ordinary":            nil,
		"SIGTERM blocked":     {"PROBE_BLOCK=15"},
		"all signals blocked": {"PROBE_BLOCK=all"},
		"nohup":               {"PROBE_IGNORE=1"},
		"all signals ignored": {"PROBE_IGNORE=" + everySignal},
		"stdin closed":        {"PROBE_CLOSE=0"},
		"settings of Go's":    {"GODEBUG=inittrace=1,gctrace=1", "GOMEMLIMIT=no size", "GOGC=off", "GOMAXPROCS=7", "GOTRACEBACK=crash"},
		"all standard closed": {"PROBE_CLOSE=012"},
		"everything at once":  {"PROBE_CLOSE=02", "PROBE_BLOCK=all", "PROBE_IGNORE=" + everySignal},
	} {
		for form, args := range map[string][]string{
			"prefix": {prefix, "%s"},
			"shell":  {prefix, "-c", "%s", "arg0", "one", "two words"},
		} {
			t.Run(name+"/"+form, func(t *testing.T) {
				report := func(args []string) string {
					out := t.TempDir() + "/report"
					words := append([]string{"prepare"}, args...)
					for i, w := range words {
						// $0 and $@ show argv[0] of the shell and its arguments.
						words[i] = strings.Replace(w, "%s", probe+` report "$0" "$@" >`+out, 1)
					}
					cmd := exec.Command(probe, words...)
					cmd.Env = append([]string{"SHELL=" + bash, "PATH=/usr/bin:/bin", "EMPTY=", "=odd", "novalue", "BYTES=\xff\xfe\n", "DUP=1", "DUP=2"}, state...)
					cmd.Dir = "/usr/bin"
					output, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%q: %v\n%s", words, err, output)
					}
					text, err := os.ReadFile(out)
					if err != nil {
						t.Fatal(err)
					}
					if !strings.Contains(string(text), "\nfd 99 ") || !strings.Contains(string(text), "\nSigBlk:") {
						t.Fatalf("the probe reports too little:\n%s", text)
					}
					return strings.ReplaceAll(string(output)+string(text), out, "OUT")
				}
				bare := append([]string{bash}, args[1:]...)
				if form == "prefix" {
					bare = []string{bash, "-c", "%s"}
				}
				if want, got := report(bare), report(args); got != want {
					t.Errorf("behind exec-prefix:\n%s", diff(want, got))
				}
			})
		}
	}
}

// diff lists the lines that only one side has.
func diff(want, got string) string {
	var b strings.Builder
	count := map[string]int{}
	for line := range strings.Lines(want) {
		count[line]++
	}
	for line := range strings.Lines(got) {
		count[line]--
		if count[line] < 0 {
			b.WriteString("+ " + line)
		}
	}
	for line := range strings.Lines(want) {
		if count[line] > 0 {
			b.WriteString("- " + line)
		}
	}
	return b.String()
}

// TestEveryStatusPasses runs all exit statuses and all deadly signals through a light command.
func TestEveryStatusPasses(t *testing.T) {
	prefix := testbin.Path(t, "exec-prefix")
	run := func(command string) syscall.WaitStatus {
		cmd := exec.Command(prefix, command)
		cmd.Env = []string{"SHELL=/bin/bash", "PATH=/usr/bin:/bin"}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Run()
		if stderr.Len() > 0 {
			t.Errorf("%s: unexpected words on stderr: %s", command, stderr.String())
		}
		return cmd.ProcessState.Sys().(syscall.WaitStatus)
	}
	for status := range 256 {
		if got := run(fmt.Sprintf("exit %d", status)); !got.Exited() || got.ExitStatus() != status {
			t.Errorf("exit %d: %v", status, got)
		}
	}
	for sig := syscall.Signal(1); sig < 32; sig++ {
		switch sig {
		case syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGURG, syscall.SIGWINCH:
			continue // end nothing
		case syscall.SIGQUIT:
			continue // bash itself ignores it
		}
		if got := run(fmt.Sprintf("ulimit -c 0; kill -%d $$", sig)); !got.Signaled() || got.Signal() != sig {
			t.Errorf("kill -%d: %v", sig, got)
		}
	}
}

// TestSamePid shows that a light command takes the place of exec-prefix: nothing stays resident.
func TestSamePid(t *testing.T) {
	cmd := exec.Command(testbin.Path(t, "exec-prefix"), "echo $$; exec cat")
	cmd.Env = []string{"SHELL=/bin/bash", "PATH=/usr/bin:/bin"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanln(stdout, &pid); err != nil {
		t.Fatal(err)
	}
	if pid != cmd.Process.Pid {
		t.Errorf("the command runs as pid %d, exec-prefix was %d", pid, cmd.Process.Pid)
	}
	stdin.Close()
	cmd.Wait()
}
