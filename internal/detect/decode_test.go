package detect

import (
	"strings"
	"testing"
)

// claudeQuote quotes as Claude Code does (facts: B.1).
func claudeQuote(s string) string {
	if s == "" {
		return "''"
	}
	bare := true
	for i := range len(s) {
		bare = bare && bareByte(s[i])
	}
	if bare {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

// openClawQuote quotes as OpenClaw does.
func openClawQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// The forms in which clients were recorded to hand a command to a shell.
var clientForms = []struct {
	name  string
	shape Shape
	wrap  func(string) string
}{
	{"claude 2.1.332, snapshot", ClaudeBash, func(s string) string {
		return `source /home/u/.claude/shell-snapshots/snapshot-bash-1796060241211-lued6q.sh 2>/dev/null || true && { \builtin shopt -u extglob || \builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS; } >/dev/null 2>&1 || true && { \builtin unalias -- 'which'; \builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && { \builtin unalias -- 'unsetenv'; \builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval ` + claudeQuote(s) + ` < /dev/null && pwd -P >| /tmp/claude-831b-cwd`
	}},
	{"claude 2.1.332, no snapshot, own stdin", ClaudeBash, func(s string) string {
		return `{ \builtin shopt -u extglob || \builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS; } >/dev/null 2>&1 || true && eval ` + claudeQuote(s) + ` && pwd -P >| /tmp/claude-0/cwd-f399`
	}},
	{"claude 2.1.332, old bash guard, sandbox, session environment", ClaudeBash, func(s string) string {
		return `{ case "${BASH_VERSINFO-}" in '2'|'3') \builtin printf '%s\n' '__CLAUDE_CODE_DID_NOT_RUN_BASH_TOO_OLD='"${BASH_VERSION-}" >&2; \builtin exit 126; \exit 126;; esac; } && source /home/u/.claude/shell-snapshots/snapshot-bash-1-a.sh 2>/dev/null || true && export TMPDIR=/tmp/claude-0 && export FROMHOOK=1` + "\nulimit -c 0\n:" + ` && export PATH=/plugin/bin:"$PATH" && export GIT_CONFIG_PARAMETERS='x' && eval ` + claudeQuote(s) + ` < /dev/null && pwd -P >| /tmp/claude-0/cwd-f399`
	}},
	{"claude 2.1.197, snapshot", ClaudeBash, func(s string) string {
		return `source /home/u/.claude/shell-snapshots/snapshot-zsh-1796060372932-p7q4tz.sh 2>/dev/null || true && { shopt -u extglob || setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true && eval ` + claudeQuote(s) + ` < /dev/null && pwd -P >| /tmp/claude-6dd5-cwd`
	}},
	{"claude 2.1.197, no snapshot", ClaudeBash, func(s string) string {
		return `{ shopt -u extglob || setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true && eval ` + claudeQuote(s) + ` && pwd -P >| '/tmp/claude x/cwd'`
	}},
	{"openclaw, PATH prologue", OpenClaw, func(s string) string { return openClawPath + s }},
	{"openclaw, snapshot", OpenClaw, func(s string) string {
		return "if [ -r '/s/cache/shell-snapshots/0a.sh' ]; then . '/s/cache/shell-snapshots/0a.sh'; fi\nexport PATH='/a:/b'\nunset LANG\nexport LC_ALL='C'\neval " + openClawQuote(openClawPath+s)
	}},
	{"openclaw, managed identity", OpenClaw, func(s string) string {
		return `/bin/sh -c 'set +x; GH_TOKEN="$(cd /x; exec node /x/token.js)" || exit $?; export GH_TOKEN; GITHUB_TOKEN=; export GITHUB_TOKEN; exec "$@"' openclaw-github-exec /bin/bash -c ` + openClawQuote(s)
	}},
}

func TestClientWrappingChangesNothing(t *testing.T) {
	rows := append(commandRows(t), tableRows(t, "bypass.tsv")...)
	rows = append(rows, tableRows(t, "own.tsv")...)
	for _, form := range clientForms {
		t.Run(form.name, func(t *testing.T) {
			for _, r := range rows {
				in := r.input()
				want := Classify(in)
				in.Text = form.wrap(r.Command)
				got := Classify(in)
				if got.Shape != form.shape || got.Inner != r.Command {
					t.Errorf("%q: shape %d, inner %q", in.Text, got.Shape, got.Inner)
				}
				if got.Pos >= 0 && !strings.Contains(in.Text[got.Pos:got.End], "eval ") && form.shape == ClaudeBash {
					t.Errorf("%q: decided by %q", in.Text, in.Text[got.Pos:got.End])
				}
				got.Shape, got.Inner, got.Pos, got.End = want.Shape, want.Inner, want.Pos, want.End
				if got != want {
					t.Errorf("%q:\n got %+v\nwant %+v", r.Command, got, want)
				}
			}
		})
	}
}

func TestHeadOfClaudeStringCounts(t *testing.T) {
	text := "export A=1\nnpm ci\n: && eval ls < /dev/null && pwd -P >| /tmp/x"
	v := Classify(Input{Text: text})
	if v.Class != Heavy || text[v.Pos:v.End] != "npm ci" || v.Inner != "ls" {
		t.Errorf("%+v", v)
	}
}

func TestNearlyWrappedStringsAreJudgedAsTheyStand(t *testing.T) {
	for _, text := range []string{
		"eval 'ls' && pwd -P >| /tmp/x; npm test",
		"eval 'ls' && pwd -P >| $(npm test)",
		"eval 'ls' && pwd -P >| x && npm test",
		"eval ls npm test && npm test && pwd -P >| /tmp/x",
		"if [ -r '/s/shell-snapshots/a' ]; then . '/s/shell-snapshots/a'; fi\nnpm test\neval 'ls'",
		"if [ -r '/s/shell-snapshots/a' ]; then . '/s/shell-snapshots/a'; fi\neval 'ls'\nnpm test",
		"if [ -r '/s/shell-snapshots/a' ]; then . '/s/shell-snapshots/a'; fi\nexport A=$(npm test)\neval 'ls'",
		`/bin/sh -c 'set +x; GH_TOKEN=; "$@"' openclaw-github-exec npm test`,
	} {
		if v := Classify(Input{Text: text}); v.Class != Heavy {
			t.Errorf("%s: %q", v.Class, text)
		}
	}
}

// What clients run to learn about the environment must never be held up.
func TestProbesAreLight(t *testing.T) {
	for _, text := range []string{
		`printf '\0'; env -0`,
		`env`,
		`. '/tmp/openclaw/openclaw-shell-snapshot-x1/snapshot.out' >/dev/null 2>&1`,
		"{ :\nprintf 'alias %s\\n' x; alias; (typeset -f || declare -f); '/usr/bin/node' -e 'process.stdout.write(JSON.stringify(process.env))' '/x'; } > '/tmp/openclaw/openclaw-shell-snapshot-x1/snapshot.out'",
		`{ if [ -r "${ZDOTDIR:-$HOME}/.zshrc" ]; then . "${ZDOTDIR:-$HOME}/.zshrc"; fi; alias -L; typeset -f; } > '/tmp/x/snapshot.out'`,
		"SNAPSHOT_FILE=/home/u/.claude/shell-snapshots/snapshot-bash-1.sh\nsource \"/home/u/.bashrc\" < /dev/null\necho \"# Snapshot file\" >| \"$SNAPSHOT_FILE\"\ndeclare -F | cut -d' ' -f3 | while read func; do declare -f \"$func\" >> \"$SNAPSHOT_FILE\"; done\nshopt -p | head -n 1000 >> \"$SNAPSHOT_FILE\"\nalias | sed 's/^alias //g' >> \"$SNAPSHOT_FILE\"",
		`cat >/dev/null; echo "STATUS it's ok $(cat /proc/self/oom_score_adj)"`,
		`read -r line; echo "it's $(echo $line | cut -c1-15)" >> ./logs/hook.out; ps -o args= -p $$ >> ./logs/hook.out`,
		`input=$(cat); echo "$(echo "$input" | jq -r .model.display_name) $(git branch --show-current)"`,
		`node ./hk/mcp.mjs 'arg with space' 'it'"'"'s' '$HOME' ''`,
	} {
		for _, dialect := range []Dialect{Bash, Zsh} {
			if v := Classify(Input{Text: text, Dialect: dialect}); v.Class != Light {
				t.Errorf("%s by %s (%s): %q", v.Class, v.Rule, v.Reason, text)
			}
		}
	}
}
