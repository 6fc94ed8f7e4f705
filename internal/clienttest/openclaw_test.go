//go:build clients

package clienttest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// TestOpenClaw runs the exec tool of a real gateway, which is started once for each way to set SHELL.
func TestOpenClaw(t *testing.T) {
	prefix := testbin.Path(t, "exec-prefix")
	bash := filepath.Join(t.TempDir(), "bash")
	if err := os.Symlink(prefix, bash); err != nil {
		t.Fatal(err)
	}
	for _, how := range []struct {
		name    string
		service bool
		rows    []row
	}{
		{"gateway", false, gatewayRows},
		{"service", true, serviceRows},
	} {
		t.Run(how.name, func(t *testing.T) {
			o := openClaw{dir: t.TempDir(), service: how.service}
			rows := slices.Concat(execRows, how.rows)
			bare, bareStrict := o.run(t, "/bin/bash", rows)
			t.Run("as bash", func(t *testing.T) {
				behind, strict := o.run(t, bash, rows)
				compare(t, rows, bare, behind)
				t.Run("allowlist", func(t *testing.T) { compare(t, allowlistRows, bareStrict, strict) })
			})
			t.Run("as exec-prefix", func(t *testing.T) {
				// The name is no shell's, for which OpenClaw takes no snapshot of the user's aliases.
				rows := slices.Clone(rows)
				for i := range rows {
					if rows[i].name == alias {
						rows[i].behind = ".*hi: command not found.*"
					}
				}
				behind, strict := o.run(t, prefix, rows)
				compare(t, rows, bare, behind)
				t.Run("allowlist", func(t *testing.T) { compare(t, allowlistRows, bareStrict, strict) })
			})
		})
	}
}

const (
	alias    = "alias of the user"
	exit125  = `\n\n\(Command exited with code 125\)`
	noOutput = `\(no output\)`
	ended    = `(\S+ +(completed|failed|killed) [^\n]*\n?)+` // a list of background commands
)

// timeout is long enough for the two node processes of a service's relay, which count as the command's own time.
var timeout = object{"timeoutSeconds": 15}

// execRows are calls of the exec tool, all run in one turn.
var execRows = []row{
	{name: "foreground", command: `echo "it's $((1+1))"; echo oops >&2; echo to-file > file`, want: "it's 2\noops"},
	{name: "exit status", command: `exit 7`, want: noOutput + `\n\n\(Command exited with code 7\)`},
	{name: "not found", command: `nosuchcommand`, want: `.*nosuchcommand: command not found.*`},
	{name: "killed by KILL", command: `kill -KILL $$`, want: `.*SIGKILL.*`},
	{name: "child killed", command: `sh -c 'kill -KILL $$'; exit $?`, want: `.*code 137.*`},
	{name: "quotes", command: `echo "a 'b' c" 'd "e"' ` + "`echo x`" + ` \$y $'tab\there' 'it'\''s'`, want: `a 'b' c d "e" x \$y tab	here it's`},
	{name: "lines and heredoc", command: "for i in 1 2; do\n  echo $i # it's\ndone\ncat <<EOF | tr a-z A-Z\nit's $((1+1))\nEOF", want: "1\n2\nIT'S 2"},
	{name: "empty stdin", command: `cat; echo end`, want: "end"},
	{name: alias, command: "hi", want: "alias of bash"},
	{name: "login PATH", command: `echo "$PATH" | tr : '\n' | grep login`, want: "/from/bash/login"},
	{name: "environment", command: `env | grep -vE '^(_|SHLVL|HEAVY_RUN_CLIENT_TEST|OPENCLAW_GATEWAY_[A-Z_]+|OLDPWD)=' | sort`, want: ".*OPENCLAW_SHELL=exec.*"},
	{name: "umask, limits and signals", command: `umask; ulimit -a; grep -E '^Sig(Blk|Ign)' /proc/self/status`, want: `0022\n.*SigIgn.*`},
	{name: "descriptors", command: `for fd in 0 1 2 3 4 5 6 7 8 9; do test ! -e /dev/fd/$fd || echo $fd; done`, want: `0\n1\n2.*`},
	{name: "group and session", command: `ps -o pid=,pgid=,sid= -p $$ | awk '{ print $1 == $2, $2 == $3 }'; ps -o args= -p $PPID | sed 's/.*node_modules//'`, want: `[01] [01]\n.*`},
	{name: "oom score", command: `cat /proc/self/oom_score_adj`, want: "1000"}, // OpenClaw raises it itself
	{name: "maybe heavy", command: `vite`, want: "ran"},
	{name: "heavy", command: `jest touch heavy/ran`, want: noOutput, behind: refused + exit125, quoted: "Refused", leaves: "heavy/ran"},
	{name: "heavy in the middle", command: "cd . && echo first\njest touch heavy/middle | tail -n 5; echo last", want: "first\nlast", behind: refused + exit125, leaves: "heavy/middle"},
	{name: "background", command: `trap 'echo TERM > got; exit 0' TERM; echo > ready` + untilEnd, input: object{"background": true}, want: "Command still running.*"},
	{name: "kill", step: func(dir string, read []result) (string, object) {
		wait(patience, exists(dir+"/work/ready"))
		return "process", object{"action": "kill", "sessionId": find(sessionID, read[len(read)-1].Text)}
	}, want: "Termination requested for .*", leaves: "got"},
	{name: "heavy in the background", command: `jest touch heavy/background`, input: object{"background": true}, want: "Command still running.*", leaves: "heavy/background"},
	// A poll returns with the first output. The gateway takes a command for running until its whole group is gone, which a
	// service's relay tells it some time after the command's own end: only the gateway can say when one poll reads all.
	{name: "end of heavy", step: func(string, []result) (string, object) {
		return "process", object{"action": "list"}
	}, want: ended, again: true, behind: ended},
	{name: "output of heavy", step: func(_ string, read []result) (string, object) {
		return "process", object{"action": "poll", "sessionId": find(sessionID, read[len(read)-2].Text)}
	}, want: `\(no new output\)\n\nProcess exited with code 0\.`, behind: refused + `\n\nProcess exited with code 125\.`, quoted: "Refused in the background"},
	{name: "time-out", command: `trap 'echo TERM > got-timeout; exit 0' TERM; echo before` + untilEnd, input: timeout, want: "before.*Command timed out after 15 seconds.*", leaves: "got-timeout"},
	{name: "time-out without end", command: `trap '' TERM; echo before` + untilEnd, input: timeout, want: "before.*Command timed out after 15 seconds.*", quoted: "Timed out"},
}

// gatewayRows are calls that a service cannot answer: it has no terminals to give.
var gatewayRows = []row{
	{name: "terminal", command: `test -t 0 && tty | sed 's/[0-9]*$//'; exit 3`, input: object{"pty": true}, want: "/dev/pts/.*code 3.*"},
	{name: "heavy in a terminal", command: `jest touch heavy/terminal`, input: object{"pty": true}, want: noOutput, behind: strings.ReplaceAll(refused, `\n`, `\r?\n`) + ".*code 125.*", leaves: "heavy/terminal"},
	waitedFor,
}

// serviceRows are calls that only a service cleans up after.
var serviceRows = []row{
	{name: "lineage", command: `readlink /proc/self/fd/3 | tr -d 0-9`, want: `socket:\[\]`},
	{name: "child left behind", command: `sleep 3600 > /dev/null 2>&1 < /dev/null & echo left`, want: "left"},
	waitedFor,
}

// waitedFor is still running when the gateway is told to stop, which then waits for it.
var waitedFor = row{name: "stop of the gateway", command: `echo > ready-to-end; for i in $(seq 50); do sleep 0.1; done; echo > ended`,
	input: object{"background": true}, want: "Command still running.*", leaves: "ended"}

// allowlistRows are calls of an agent that may run the programs of this test and nothing else.
var allowlistRows = []row{
	{name: "allowed", command: `vite "it's allowed" && vite again`, want: "ran it's allowed\nran again"},
	{name: "denied", command: `id`, want: ".*allowlist miss.*"},
	{name: "heavy", command: `jest touch heavy/allowed`, want: noOutput, behind: refused + exit125},
}

var sessionID = regexp.MustCompile(`session ([a-z0-9-]+)`)
