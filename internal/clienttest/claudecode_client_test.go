//go:build clients

package clienttest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// claudeCode is one installation of Claude Code and how a user has set it up.
type claudeCode struct {
	bin      string
	shell    string
	dir      string // holds home, work and bin; the same for all runs, so that their results can be equal
	settings object
	saved    bool // the prefix stands in the settings, which win over the environment
	env      []string
	args     []string
	keys     *os.File          // what is typed, where claude is to run in a terminal
	home     map[string]string // more files of the user
}

// run runs one session to its end.
func (c claudeCode) run(t *testing.T, prefix string, rows []row) outcome {
	t.Helper()
	m := newModel(t, "Bash", script("Bash", c.dir, rows)...)
	p := c.start(t, prefix, m.URL, "-p", "run it")
	if status := p.end(t); status != 0 {
		t.Errorf("claude ended with status %d:\n%s", status, p.log())
	}
	return outcome{"Claude Code", ordinary(m.results()), read(t, filepath.Join(c.dir, "work"))}
}

// typeLines runs claude in a terminal with a status line, types each row's command after an exclamation mark and leaves.
func (c claudeCode) typeLines(t *testing.T, prefix string, rows []row) outcome {
	t.Helper()
	work := filepath.Join(c.dir, "work")
	c.settings = object{
		"skipDangerousModePermissionPrompt": true,
		"statusLine":                        object{"type": "command", "command": `cat > /dev/null; echo "$0 $(readlink /proc/$$/exe)" > ` + work + `/status; echo "it's up"`},
	}
	state, _ := json.Marshal(object{
		"hasCompletedOnboarding": true, "bypassPermissionsModeAccepted": true, "customApiKeyResponses": object{"approved": []string{"made-up"}},
		"projects": object{work: object{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	c.home = map[string]string{".claude.json": string(state)}
	keys, keyboard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	c.keys = keys
	p := c.start(t, prefix, newModel(t, "Bash").URL)
	expect := func(what string, condition func() bool) {
		t.Helper()
		if !wait(patience, condition) {
			t.Errorf("claude never shows %s:\n%q", what, p.log())
		}
	}
	expect("the status line", exists(work+"/status"))
	for i, r := range rows {
		keyboard.WriteString("!")
		expect("its shell mode", func() bool {
			return strings.Count(p.log(), "for shell mode")+strings.Count(p.log(), "for bash mode") > i
		})
		typed := "typed-" + strconv.Itoa(i)
		keyboard.WriteString(r.command + " # " + typed)
		expect("the line", func() bool { return strings.Contains(p.log(), typed) })
		keyboard.WriteString("\r")
		expect("the output", func() bool { return len(c.shellLines(t)) > i })
	}
	if !wait(patience, func() bool {
		keyboard.WriteString("\x03")
		return wait(200*time.Millisecond, p.hasExited)
	}) {
		t.Errorf("claude did not leave its terminal:\n%q", p.log())
	}
	return outcome{"Claude Code", c.shellLines(t), read(t, work)}
}

// shellLines are the results of lines after an exclamation mark in the transcript: the messages that go to the model.
func (c claudeCode) shellLines(t *testing.T) (results []result) {
	for name, text := range read(t, filepath.Join(c.dir, "home/.claude/projects")) {
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		for line := range strings.Lines(text) {
			var entry struct {
				Type    string
				Message struct{ Content content }
			}
			json.Unmarshal([]byte(line), &entry) // the last line may be half written
			if found := shellLine.FindStringSubmatch(entry.Message.Content.String()); found != nil && entry.Type == "user" {
				results = append(results, result{Text: strings.Trim(found[1]+"\n"+found[2], "\n")})
			}
		}
	}
	return results
}

var shellLine = regexp.MustCompile(`(?s)<bash-stdout>(.*)</bash-stdout><bash-stderr>(.*)</bash-stderr>`)

// tellToEnd sends SIGTERM to claude while a command runs.
func (c claudeCode) tellToEnd(t *testing.T, prefix string) (status int, files map[string]string) {
	t.Helper()
	m := newModel(t, "Bash", call("Bash", object{"command": `trap 'echo TERM > got; exit 0' TERM; echo > ready` + untilEnd}))
	p := c.start(t, prefix, m.URL, "-p", "run it")
	if !wait(patience, exists(filepath.Join(c.dir, "work/ready"))) {
		t.Errorf("the command did not start:\n%s", p.log())
	}
	p.Process.Signal(syscall.SIGTERM)
	status = p.end(t)
	return status, read(t, filepath.Join(c.dir, "work"))
}

// start starts claude in a fresh home and a fresh working directory.
func (c claudeCode) start(t *testing.T, prefix, url string, args ...string) *program {
	t.Helper()
	home, work, bin := filepath.Join(c.dir, "home"), filepath.Join(c.dir, "work"), filepath.Join(c.dir, "bin")
	for _, dir := range []string{home, work, bin} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	os.MkdirAll(filepath.Join(work, "heavy"), 0o755)
	if prefix != "" && c.saved {
		c.settings = maps.Clone(c.settings)
		c.settings["env"] = object{"CLAUDE_CODE_SHELL_PREFIX": prefix}
		prefix = "/nonexistent"
	}
	settings, err := json.Marshal(c.settings)
	if err != nil {
		t.Fatal(err)
	}
	write(t, bin, programs)
	write(t, home, map[string]string{
		".claude/settings.json": string(settings),
		".bashrc":               "alias hi='echo alias of bash'\ngreet() { echo \"function of bash: $1\"; }\n",
		".zshrc":                "alias hi='echo alias of zsh'\ngreet() { echo \"function of zsh: $1\"; }\n",
	})
	write(t, home, c.home)
	env := append([]string{
		"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "SHELL=" + c.shell, "LANG=C.UTF-8", "TERM=dumb", "USER=user",
		"CLAUDE_CODE_TMPDIR=" + filepath.Join(c.dir, "tmp"),
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=made-up",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1", // lets root skip the permission prompts
	}, c.env...)
	if prefix != "" {
		env = append(env, "CLAUDE_CODE_SHELL_PREFIX="+prefix)
	}
	argv := append(append([]string{c.bin, "--dangerously-skip-permissions"}, args...), c.args...)
	if c.keys != nil {
		env = append(env, "TERM=xterm")
		argv = []string{"script", "-qec", "stty rows 50 cols 200; exec " + strings.Join(argv, " "), "/dev/null"}
	}
	return start(t, work, filepath.Join(c.dir, "claude.log"), env, argv, c.keys)
}
