//go:build clients && live

package clienttest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// TestManaged runs Claude Code where a service manager is, and a real OOM killer: in the VM, see scripts/clients/vm.sh.
func TestManaged(t *testing.T) {
	bin := filepath.Join(installed(t, "CLAUDE_CODE"), "node_modules/.bin/claude")
	for _, s := range []struct {
		name, config string
		env          []string
		rows         []row
	}{
		{"isolated", "[Exec]\nMaxRunning=1\nWaitSec=2s\n[Scope]\nMemoryMax=64M\n", nil, managedRows},
		{"time-out", "[Scope]\nMemoryMax=64M\n", []string{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1"}, []row{
			{name: "ends by TERM", command: `jest 'echo before` + untilEnd + `'`, input: object{"timeout": 20_000},
				want: "Exit code 143\nCommand timed out after 20s.*before.*"},
			{name: "ignores TERM", command: `jest 'trap "" TERM` + untilEnd + `'`, input: object{"timeout": 20_000}, want: "Exit code 143\nCommand timed out after 20s.*"},
			{name: "afterwards", command: `sleep 3; echo later`, want: "later"}, // Claude Code ends without the KILL that is due after a second and a half
		}},
		// Claude Code's own limit, by a cgroup of its own beside its service's: inside of it a command stays where it is.
		{"own limit", "[Scope]\nMemoryMax=64M\n", []string{"CLAUDE_CODE_TOOL_MEMORY_LIMIT=32m"}, []row{
			{name: "heavy", command: `jest cat /proc/self/cgroup`, want: `0::/.*/claude-code-bash`},
			{name: "out of memory", command: "echo before\n" + hog, want: "Exit code 137\nbefore\n.*Killed.*"},
		}},
		{"own limit above ours", "[Scope]\nMemoryMax=64M\n", []string{"CLAUDE_CODE_TOOL_MEMORY_LIMIT=300m"}, []row{
			{name: "light", command: `cat /proc/self/cgroup`, want: `0::/.*/claude-code-bash`},
			{name: "heavy", command: `jest cat /proc/self/cgroup`, want: `0::/.*/claude-code-bash`, behind: `0::/.*/heavy-run-\d+-[0-9a-f]+\.scope`},
		}},
		{"bypassed", "[Exec]\nEnforcement=off\n", nil, []row{
			{name: "heavy", command: `jest cat /proc/self/cgroup /proc/self/oom_score_adj`, want: `0::/.*/vm-test\.service\n200`},
			{name: "journal", command: `sudo journalctl -q -o cat -t exec-prefix HEAVY_RUN_EVENT=bypass`, want: nothing, behind: "jest runs with Enforcement=off, set in the operator's file"},
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			configure := exec.Command("sudo", "tee", "/etc/heavy-run/heavy-run.conf")
			configure.Stdin = strings.NewReader(s.config)
			if err := configure.Run(); err != nil {
				t.Fatal(err)
			}
			c := claudeCode{bin: bin, shell: "/bin/bash", dir: t.TempDir(), settings: object{}, env: s.env}
			compare(t, s.rows, c.run(t, "", s.rows), c.run(t, testbin.Path(t, "exec-prefix"), s.rows))
			var left []byte
			if !wait(patience, func() bool {
				left, _ = exec.Command("systemctl", "--user", "list-units", "--all", "--no-legend", "heavy-run-*.scope").Output()
				return len(left) == 0
			}) {
				t.Errorf("left over:\n%s", left)
			}
		})
	}
}

// hog takes 200 MB, holds says when the command runs that then runs until it is ended. Neither it nor the time-outs look for
// the TERM: under emulation a command may not come to its trap in the second and a half that Claude Code gives it. The replay in
// client-claude-code.txtar does.
const (
	hog   = `jest 'python3 -c "x = bytearray(200 << 20); print(len(x) >> 20)"'`
	holds = `jest 'echo > holds` + untilEnd + `'`
)

// managedRows are commands of the Bash tool, all run in one session.
var managedRows = []row{
	{name: "light", command: `echo "it's light"; cat /proc/self/cgroup; exit 3`, want: `Exit code 3\nit's light\n0::/.*/vm-test\.service`},
	{name: "heavy", command: `jest "echo 'it is heavy'; echo to-file > file; exit 3"`, want: "Exit code 3\nit is heavy", leaves: "file"},
	{name: "heavy in a pipe", command: "echo first\njest echo it is heavy | tr a-z A-Z; echo last", want: "first\nIT IS HEAVY\nlast"},
	{name: "heavy stands in a scope", command: `jest cat /proc/self/cgroup`, want: `0::/.*/vm-test\.service`, behind: `0::/.*/heavy-run-\d+-[0-9a-f]+\.scope`},
	{name: "out of memory", command: "echo before\n" + hog, want: "before\n200", behind: "Exit code 137\nbefore\n.*Killed.*\n" + outOfMemory, quoted: "Out of memory"},
	{name: "out of memory in a pipe", command: hog + " | tail -n 1", want: "200", behind: ".*" + outOfMemory},
	{name: "background", command: holds, input: background, want: "Command running in background with ID: .*"},
	{name: "no room now", step: func(dir string, _ []result) (string, object) {
		wait(patience, exists(dir+"/work/holds"))
		return "Bash", object{"command": "jest echo ran"}
	}, want: "ran", behind: "Exit code 75\n" + noRoom, quoted: "No room now"},
	{name: "TaskStop", step: func(_ string, read []result) (string, object) {
		return "TaskStop", object{"task_id": find(taskID, read[6].Text)}
	}, want: ".*[Ss]topped.*", leaves: "holds"},
	{name: "room again", command: "jest echo ran", want: "ran"},
	{name: "out of memory in the background", command: hog, input: background, want: "Command running in background with ID: .*"},
	{name: "its output", step: func(_ string, read []result) (string, object) {
		return readOutput(read[len(read)-1], "exited with code")
	},
		want: `200\n\n\[exited with code 0\]`, behind: ".*" + outOfMemory + `\n\n\[exited with code 137\]`, quoted: "Out of memory in the background"},
}

const (
	outOfMemory = `exec-prefix: out of memory: the kernel killed a process of "jest" at this command's limit \(MemoryMax=64M, peak [0-9.]+M\)\n` +
		`exec-prefix: use fewer workers or less input, or ask the operator for a higher MemoryMax= in /etc/heavy-run/heavy-run.conf`
	noRoom = `exec-prefix: waiting for its turn: 1 running, "jest" \d+s\n` +
		`exec-prefix: no room for "jest" after 2s: other heavy commands hold the machine\n` +
		`exec-prefix: nothing was run: try again later`
)
