package detect

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// The oracle: every row is run by a real shell in which the programs of the table are stubs that log how they were called.
// Whatever heavy stub ran must have been predicted. It is one way only: what might run counts, what did not run proves
// nothing. It runs in bubblewrap, with a read-only file system, without network; where that is missing it is skipped, and in CI fails.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every row in real shells")
	}
	boxes := make([]sandbox, 8) // most of the time goes by waiting for rows that never end
	for i := range boxes {
		boxes[i] = newSandbox(t)
	}
	rows := append(commandRows(t), tableRows(t, "bypass.tsv")...)
	rows = append(rows, tableRows(t, "own.tsv")...)
	for _, shell := range []struct {
		name    string
		dialect Dialect
	}{{"bash", Bash}, {"zsh", Zsh}} {
		if _, err := exec.LookPath(shell.name); err != nil {
			continue
		}
		var heavy atomic.Int64
		var workers sync.WaitGroup
		next := make(chan row)
		for _, box := range boxes {
			workers.Go(func() {
				for r := range next {
					v := Classify(Input{Text: r.Command, Dialect: shell.dialect})
					for _, call := range box.run(t, shell.name, r.Command) {
						if called := Classify(Input{Text: call}); called.Class != Heavy {
							continue
						}
						heavy.Add(1)
						if v.Class != Heavy && !v.Opaque {
							t.Errorf("%s ran %s, but %q is %s (%s)", shell.name, call, r.Command, v.Class, v.Rule)
						}
					}
				}
			})
		}
		for _, r := range rows {
			next <- r
		}
		close(next)
		workers.Wait()
		if heavy.Load() == 0 {
			t.Errorf("no heavy stub ever ran in %s: the oracle is blind", shell.name)
		}
		t.Logf("%s: %d heavy calls", shell.name, heavy.Load())
	}
}

// A sandbox is a scratch directory with stubs in bin, seen by programs in bubblewrap.
type sandbox struct{ dir string }

// Harmless programs that commands need to get anywhere; they are the host's own.
const realPrograms = "sh bash zsh dash env timeout nice nohup setsid stdbuf xargs find cat tee head tail grep egrep sed awk tr cut sort uniq wc " +
	"base64 mktemp dirname basename chmod mkdir rm cp mv touch ls printf echo true false test seq flock script watch time ionice " +
	"taskset chrt prlimit choom unshare setpriv ed tclsh perl patch"

func newSandbox(t *testing.T) sandbox {
	t.Helper()
	testbin.Need(t, "bwrap")
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	stub := filepath.Join(dir, "stub")
	if err := os.WriteFile(stub, []byte("#!/bin/bash\n{ printf '%q ' \"${0##*/}\" \"$@\"; echo; } >> "+dir+"/log\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"git", "gh", "npx", "pnpx", "bunx", "corepack", "node", "python3", "curl", "docker", "npm", "gradlew", "which", "yarn", "uv", "sleep"}
	for _, r := range rules {
		names = append(names, r.Program)
	}
	for _, name := range names {
		os.Symlink(stub, filepath.Join(bin, name)) // a second one of the same name fails, as it should
	}
	for name := range strings.FieldsSeq(realPrograms) {
		if real, err := exec.LookPath(name); err == nil {
			os.Remove(filepath.Join(bin, name))
			os.Symlink(real, filepath.Join(bin, name))
		}
	}
	box := sandbox{dir}
	if calls := box.run(t, "bash", "make probe"); len(calls) != 1 {
		if os.Getenv("CI") != "" {
			t.Fatal("bubblewrap does not work here")
		}
		t.Skip("bubblewrap does not work here")
	}
	return box
}

// run runs a command in a fresh working directory and returns the stubs' calls.
func (box sandbox) run(t *testing.T, shell, command string) []string {
	t.Helper()
	log := filepath.Join(box.dir, "log")
	os.Remove(log)
	work := filepath.Join(box.dir, "work")
	os.RemoveAll(work)
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Error(err)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", box.dir, box.dir,
		"--unshare-all", "--die-with-parent", "--new-session", "--chdir", work, "--clearenv", "--setenv", "PATH", box.dir+"/bin", "--setenv", "HOME", work,
		// A missing directory must not keep the rest of a command from running.
		"--setenv", "BASH_FUNC_cd%%", "() { builtin cd \"$@\" 2>/dev/null || true; }",
		"--setenv", "BASH_FUNC_command_not_found_handle%%", "() { true; }",
		"prlimit", "--as=1000000000", "--nproc=4096", shell, "-c", command)
	cmd.Stdout, cmd.Stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.WaitDelay = time.Second
	cmd.Run() // most rows fail, which is as good as success here
	data, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
