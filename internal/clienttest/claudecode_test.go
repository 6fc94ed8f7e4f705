//go:build clients

package clienttest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// old is the newest version for node 20.
const old = "2.1.197"

// TestClaudeCode runs the Bash tool, hooks, the status line and MCP servers of Claude Code.
func TestClaudeCode(t *testing.T) {
	for version, variable := range map[string]string{"newest": "CLAUDE_CODE", old: "CLAUDE_CODE_OLD"} {
		t.Run(version, func(t *testing.T) {
			bin := filepath.Join(installed(t, variable), "node_modules/.bin/claude")
			for _, s := range claudeSessions {
				t.Run(s.name, func(t *testing.T) {
					c := claudeCode{bin: bin, shell: "/bin/bash", dir: t.TempDir(), settings: object{}}
					if s.setup != nil {
						s.setup(t, &c)
					}
					compare(t, s.rows, c.run(t, "", s.rows), c.run(t, testbin.Path(t, "exec-prefix"), s.rows))
				})
			}
			t.Run("terminal", func(t *testing.T) {
				c := claudeCode{bin: bin, shell: "/bin/bash", dir: t.TempDir()}
				compare(t, terminalRows, c.typeLines(t, "", terminalRows), c.typeLines(t, testbin.Path(t, "exec-prefix"), terminalRows))
			})
			if version == old {
				return // before 2.1.212 it leaves its commands running when it gets SIGTERM, prefix or not
			}
			t.Run("told to end", func(t *testing.T) {
				c := claudeCode{bin: bin, shell: "/bin/bash", dir: t.TempDir(), settings: object{}}
				bareStatus, bare := c.tellToEnd(t, "")
				status, files := c.tellToEnd(t, testbin.Path(t, "exec-prefix"))
				if status != bareStatus || !maps.Equal(files, bare) || files["got"] != "TERM\n" {
					t.Errorf("without exec-prefix: status %d, files %q\nwith: status %d, files %q", bareStatus, bare, status, files)
				}
			})
		})
	}
}

// claudeSessions are sessions of Claude Code with what its model calls in them.
var claudeSessions = []struct {
	name  string
	setup func(t *testing.T, c *claudeCode)
	rows  []row
}{
	{"bash", nil, bashToolRows},
	{"zsh", func(t *testing.T, c *claudeCode) {
		testbin.Need(t, "zsh")
		c.shell = "/bin/zsh"
	}, bashToolRows},

	{"by settings.json", func(t *testing.T, c *claudeCode) { c.saved = true }, []row{
		{name: "oom score", command: `cat /proc/self/oom_score_adj`, want: "0", behind: "1000"},
		{name: "heavy", command: `jest touch heavy/ran`, want: nothing, behind: code125 + refused, leaves: "heavy/ran"},
	}},

	// Where the snapshot cannot be written the command comes without it, in a login shell.
	{"no snapshot", func(t *testing.T, c *claudeCode) {
		c.home = map[string]string{
			".claude/shell-snapshots": "in the way of the directory",
			".bash_profile":           "export FROM_PROFILE=yes PATH=" + c.dir + "/bin:$PATH\n",
		}
	}, []row{
		{name: "foreground", command: `echo "it's ${FROM_PROFILE:-no}"; hi`, want: "Exit code 127\nit's yes\n.*hi.*not found"},
		{name: "heavy", command: `jest touch heavy/ran`, want: nothing, behind: code125 + refused, leaves: "heavy/ran"},
	}},

	{"background", nil, []row{
		{name: "start", command: `trap 'echo TERM > got; exit 0' TERM; echo > ready` + untilEnd, input: background, want: "Command running in background with ID: .*"},
		{name: "TaskStop", step: func(dir string, read []result) (string, object) {
			wait(patience, exists(dir+"/work/ready"))
			return "TaskStop", object{"task_id": find(taskID, read[0].Text)}
		}, want: ".*[Ss]topped.*", leaves: "got"},
		{name: "heavy", command: `jest echo ran`, input: background, want: "Command running in background with ID: .*"},
		{name: "output of heavy", step: func(_ string, read []result) (string, object) { return readOutput(read[2], "ran|for isolation") },
			want: "ran.*", behind: refused + ".*"},
	}},

	{"time-out", func(t *testing.T, c *claudeCode) { c.env = []string{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1"} }, []row{
		{name: "ends by TERM", command: `trap 'echo TERM > got; exit 0' TERM; echo before` + untilEnd, input: short, want: "Exit code 143\nCommand timed out after 5s.*before.*", leaves: "got"},
		{name: "ignores TERM", command: `trap '' TERM` + untilEnd, input: short, want: "Exit code 143\nCommand timed out after 5s.*", quoted: "Timed out"},
		{name: "leaves its session", command: `setsid --wait sh -c 'true` + untilEnd + `'`, input: short, want: "Exit code 143\nCommand timed out after 5s.*"},
		{name: "afterwards", command: `sleep 3; echo later`, want: "later"}, // Claude Code ends without the KILL that is due after a second and a half
	}},
	{"time-out into the background", nil, []row{
		{name: "moved", command: `for i in $(seq 70); do sleep 0.1; done; echo end > file`, input: short, want: ".*(moved to the|running in) background.*", leaves: "file"},
	}},

	{"hooks", func(t *testing.T, c *claudeCode) {
		c.settings = object{"hooks": object{
			"SessionStart": hook("", `echo 'export FROM_HOOK="it'"'"'s set"' >> "$CLAUDE_ENV_FILE"; echo "start $0 $(readlink /proc/$$/exe)" >> hooks`),
			"PreToolUse":   hook("Bash", `case $(cat) in *forbidden*) echo "no, it's forbidden" >&2; exit 2;; esac; echo "pre $0" >> hooks`),
			"PostToolUse":  hook("Bash", `jest touch heavy/hook`),
		}}
	}, []row{
		{name: "CLAUDE_ENV_FILE", command: `echo "$FROM_HOOK"`, want: "it's set", leaves: "hooks"},
		{name: "PreToolUse blocks with status 2", command: `touch forbidden`, want: ".*PreToolUse:Bash hook error.*no, it's forbidden.*"},
		{name: "heavy", command: `jest touch heavy/tool`, want: nothing, behind: code125 + refused, leaves: "heavy/tool"},
	}},

	{"MCP server", func(t *testing.T, c *claudeCode) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		server := filepath.Join(c.dir, "mcp-server")
		if err := os.Symlink(self, server); err != nil {
			t.Fatal(err)
		}
		config, _ := json.Marshal(object{"mcpServers": object{"probe": object{
			"command": server, "args": []string{"two words", "it's", "$HOME", ""}, "env": object{"SIGNALS": filepath.Join(c.dir, "work/signals")},
		}}})
		c.home = map[string]string{"mcp.json": string(config)}
		c.args = []string{"--mcp-config", filepath.Join(c.dir, "home/mcp.json")}
	}, []row{
		{name: "is the spawned process", step: func(string, []result) (string, object) { return "mcp__probe__look", object{} },
			want: `parent .*claude.*, same group true, arguments \["two words" "it's" "\$HOME" ""\]`, leaves: "signals"},
	}},

	{"nested claude", func(t *testing.T, c *claudeCode) {
		light := newModel(t, "Bash", call("Bash", object{"command": "echo it\\'s nested"}))
		heavy := newModel(t, "Bash", call("Bash", object{"command": "jest touch heavy/nested"}))
		c.env = []string{"LIGHT=" + light.URL, "HEAVY=" + heavy.URL}
	}, []row{
		{name: "light", command: nested("LIGHT"), want: "it's nested"},
		{name: "heavy", command: nested("HEAVY"), want: nothing, behind: code125 + refused},
	}},

	// Inside bubblewrap and seccomp, where unix sockets are forbidden.
	{"sandbox", func(t *testing.T, c *claudeCode) {
		testbin.Need(t, "bwrap", "socat")
		c.settings = object{"sandbox": object{"enabled": true, "autoAllowBashIfSandboxed": true}}
	}, []row{
		{name: "is sandboxed", command: `grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status`, want: "NoNewPrivs:\t1\nSeccomp:\t2"},
		{name: "foreground", command: `echo "it's" > file; cat file; exit 3`, want: "Exit code 3\nit's"},
		{name: "oom score", command: `cat /proc/self/oom_score_adj`, want: "0", behind: "1000"},
		{name: "heavy", command: `jest touch heavy/ran`, want: nothing, behind: code125 + refused, leaves: "heavy/ran"},
	}},

	// Claude Code's own limit, where it may make a cgroup.
	{"memory limit", func(t *testing.T, c *claudeCode) { c.env = []string{"CLAUDE_CODE_TOOL_MEMORY_LIMIT=300m"} }, []row{
		{name: "foreground", command: `echo "it's $((1+1))"; cat /proc/self/cgroup; exit 3`, want: "Exit code 3\nit's 2\n.*"},
		{name: "heavy", command: `jest touch heavy/ran`, want: nothing, behind: code125 + refused, leaves: "heavy/ran"},
	}},
}

const (
	nothing = `\(Bash completed with no output\)`
	code125 = "Exit code 125\n"
)

var (
	background = object{"run_in_background": true}
	short      = object{"timeout": 5000}
	taskID     = regexp.MustCompile(`with ID: (\w+)`)
	outputFile = regexp.MustCompile(`(/[^ ]*\.output)`)
)

// readOutput reads the output of a command in the background once it matches the pattern.
func readOutput(started result, pattern string) (tool string, input object) {
	output := find(outputFile, started.Text)
	wait(patience, func() bool {
		text, _ := os.ReadFile(output)
		return regexp.MustCompile(pattern).Match(text)
	})
	return "Bash", object{"command": "cat " + output}
}

// hook is the setting of one hook.
func hook(matcher, command string) []object {
	return []object{{"matcher": matcher, "hooks": []object{{"type": "command", "command": command}}}}
}

// nested is a command that runs another claude, whose model is at the address in the variable.
func nested(variable string) string {
	return `ANTHROPIC_BASE_URL=$` + variable + ` "$CLAUDE_CODE_EXECPATH" -p 'run it' --dangerously-skip-permissions < /dev/null`
}

// bashToolRows are commands of the Bash tool, all run in one session.
var bashToolRows = []row{
	{name: "foreground", command: `echo hello; echo oops >&2; echo to-file > file`, want: "hello\noops"},
	{name: "exit status", command: `exit 7`, want: "Exit code 7"},
	{name: "one bare word", command: `false`, want: "Exit code 1"},
	{name: "not found", command: `nosuchcommand`, want: "Exit code 127\n.*nosuchcommand.*"},
	{name: "syntax error", command: "echo first\nif then", want: "Exit code [12]\n.*(syntax|parse) error.*"},
	{name: "killed by TERM", command: `kill -TERM $$`, want: "Exit code 144"},
	{name: "killed by KILL", command: `kill -KILL $$`, want: "Exit code 1"},
	{name: "child killed", command: `sh -c 'kill -KILL $$'`, want: "Exit code 137.*"},
	{name: "quotes", command: `echo "a 'b' c" 'd "e"' $HOME ` + "`echo x`" + ` \$y $'tab\there' 'it'\''s'`, want: `a 'b' c d "e" /.*/home x \$y tab	here it's`},
	{name: "two thousand quotes", command: `echo ` + strings.Repeat(`"'"`, 2000) + ` | wc -c`, want: "2001"},
	{name: "heredoc", command: "cat <<'EOF'\nhi \"there\" $X it's\nEOF", want: `hi "there" \$X it's`},
	{name: "heredoc in a pipe", command: "cat <<EOF | tr a-z A-Z\nit's $((1+1))\nEOF", want: "IT'S 2"},
	{name: "multi-line", command: "for i in 1 2; do\n  echo $i # it's\ndone\nfalse", want: "Exit code 1\n1\n2"},
	{name: "empty stdin", command: `cat; echo end`, want: "end"},
	{name: "stdin from a file", command: `wc -c < file`, want: "8"},
	{name: "background job", command: `(sleep 0.1 & wait; echo waited)`, want: "waited"},
	{name: "change of directory", command: `mkdir -p sub && cd sub && pwd`, want: `/.*/work/sub`},
	{name: "directory is kept", command: `pwd; cd ..`, want: `/.*/work/sub`},
	{name: "alias and function of the user", command: "hi\ngreet you", want: `alias of (bash|zsh)\nfunction of (bash|zsh): you`},
	{name: "glob without a match", command: `ls *.none`, want: `Exit code [12]\n.*`},
	{name: "not ASCII", command: `printf 'ü€𝄞\n' | tee ü`, want: "ü€𝄞"},
	{name: "long output", command: `seq 1 5000`, want: "1\n2\n.*"},
	{name: "long command", command: `: ` + strings.Repeat("x", 100_000) + `; echo end`, want: "end"},
	{name: "environment", command: `env | grep -vE '^(CLAUDE_CODE_SHELL_PREFIX|HEAVY_RUN_CLIENT_TEST|CLAUDE_PID|CLAUDE_CODE_MESSAGING_[A-Z]+|_)=' | sort`, want: `.*CLAUDECODE=1.*`},
	{name: "umask, limits and signals", command: `umask; ulimit -a; grep -E '^Sig(Blk|Ign)' /proc/self/status`, want: `0?022\n.*SigIgn.*`},
	{name: "descriptors", command: `for fd in 0 1 2 3 4 5 6 7 8 9; do test ! -e /dev/fd/$fd || echo $fd; done`, want: `0\n1\n2.*`},
	{name: "leads its group and session", command: `ps -o pid=,pgid=,sid= -p $$ | awk '{ print $1 == $2, $2 == $3 }'; ps -o comm= -p $PPID`, want: "1 1\n.*claude.*"},
	{name: "oom score", command: `cat /proc/self/oom_score_adj`, want: "0", behind: "1000"},
	{name: "oom score of claude", command: `cat /proc/$PPID/oom_score_adj`, want: "0"},
	{name: "heavy words in text", command: `echo "npm install"; jest --version # jest`, want: "npm install\n30.0.0"},
	{name: "maybe heavy", command: `vite`, want: "ran"},
	{name: "heavy", command: `jest echo done`, want: "done", behind: code125 + refused, quoted: "Refused"},
	{name: "heavy in the middle", command: "cd . && echo first\njest touch heavy/middle | tail -n 5; echo last", want: "first\nlast", behind: code125 + refused, leaves: "heavy/middle"},
	{name: "heavy in a heredoc", command: "sh <<'EOF'\njest touch heavy/heredoc\nEOF", want: nothing, behind: code125 + refused, leaves: "heavy/heredoc"},
	{name: "heavy in quotes", command: `sh -c 'je""st touch heavy/quotes'`, want: nothing, behind: code125 + refused, leaves: "heavy/quotes"},
	{name: "hog", command: `jest 'python3 -c "x = bytearray(200 << 20); print(len(x) >> 20)"'`, want: "200", behind: code125 + refused},
}

// terminalRows are lines that a user types after an exclamation mark.
var terminalRows = []row{
	{name: "line", command: `echo "it's typed"; cat /proc/$PPID/oom_score_adj`, want: "it's typed\n0", leaves: "status"},
	{name: "heavy line", command: `jest touch heavy/line`, want: nothing, behind: refused, leaves: "heavy/line"},
}
