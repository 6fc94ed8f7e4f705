package detect

import (
	"runtime"
	"strings"
	"testing"
)

// wrappings run the string that they are given, whatever else they do.
var wrappings = []struct {
	name  string
	shell bool // bash runs it, whatever shell runs the whole
	file  bool // it runs as a script, which knows its own path
	wrap  func(string) string
}{
	{"bash -c", true, false, func(s string) string { return "bash -c " + openClawQuote(s) }},
	{"bash -lc behind wrappers", true, false, func(s string) string { return "sudo env A=1 timeout 60 bash -lc " + openClawQuote(s) }},
	{"eval", false, false, func(s string) string { return "eval " + openClawQuote(s) }},
	{"subshell", false, false, func(s string) string { return "(" + s + "\n)" }},
	{"group in a pipe", false, false, func(s string) string { return "{ " + s + "\n} | cat" }},
	{"condition", false, false, func(s string) string { return "if true; then " + s + "\nfi" }},
	{"loop", false, false, func(s string) string { return "while true; do " + s + "\ndone" }},
	{"function", false, false, func(s string) string { return "heavy_run_f() { " + s + "\n}; heavy_run_f" }},
	{"and", false, false, func(s string) string { return "true && { " + s + "\n}" }},
	{"substitution", false, false, func(s string) string { return `x="$(` + s + "\n)\"" }},
	{"trap", false, false, func(s string) string { return "trap " + openClawQuote(s) + " EXIT" }},
	{"here-document", true, false, func(s string) string { return "bash <<'HEAVY_RUN_EOF'\n" + s + "\nHEAVY_RUN_EOF" }},
	{"here-string", true, false, func(s string) string { return "sh <<< " + openClawQuote(s) }},
	{"written and run", true, true, func(s string) string {
		return "cat > /tmp/x.sh <<'HEAVY_RUN_EOF'\n" + s + "\nHEAVY_RUN_EOF\nsh /tmp/x.sh"
	}},
	{"xargs", true, false, func(s string) string { return "ls | xargs -I@@HEAVY_RUN@@ sh -c " + openClawQuote(s) }},
	{"find", true, false, func(s string) string { return "find src -exec sh -c " + openClawQuote(s) + ` \;` }},
	{"variable", true, false, func(s string) string { return "x=" + openClawQuote(s) + `; bash -c "$x"` }},
	{"claude", false, false, clientForms[0].wrap},
	{"openclaw", false, false, clientForms[6].wrap},
}

// quotings turn the string into data.
var quotings = []struct {
	name  string
	quote func(string) string
}{
	{"commit message", func(s string) string { return "git commit -m " + openClawQuote(s) }},
	{"argument", func(s string) string { return "echo " + openClawQuote(s) }},
	{"assignment", func(s string) string { return "x=" + openClawQuote(s) }},
	{"comment", func(s string) string { return "ls # " + strings.NewReplacer("\n", " ", "\r", " ").Replace(s) }},
	{"here-document", func(s string) string { return "cat <<'HEAVY_RUN_EOF'\n" + s + "\nHEAVY_RUN_EOF" }},
	{"pull request", func(s string) string {
		return "gh pr create --body \"$(cat <<'HEAVY_RUN_EOF'\n" + s + "\nHEAVY_RUN_EOF\n)\""
	}},
	{"pattern", func(s string) string { return "grep -n -e " + openClawQuote(s) + " README.md" }},
	{"remote command", func(s string) string { return "ssh host " + openClawQuote(s) }},
	{"uncalled function", func(s string) string { return "alias heavy_run_x=" + openClawQuote(s) }},
}

func addCorpus(f *testing.F) {
	for _, r := range commandRows(f) {
		f.Add(r.Command, false)
	}
	for _, name := range []string{"bypass.tsv", "own.tsv"} {
		for _, r := range tableRows(f, name) {
			f.Add(r.Command, r.dialect == Zsh)
		}
	}
}

func dialectOf(zsh bool) Dialect {
	if zsh {
		return Zsh
	}
	return Bash
}

func FuzzWrapNeverLowers(f *testing.F) {
	addCorpus(f)
	f.Fuzz(func(t *testing.T, text string, zsh bool) {
		if !wrappable(text) {
			t.Skip()
		}
		in := Input{Text: text, Dialect: dialectOf(zsh), Wrapper: approvedInCorpus}
		plain := Classify(in)
		for _, w := range wrappings {
			if w.shell && zsh || w.file && ownPath(text) {
				continue
			}
			in.Text = w.wrap(text)
			if v := Classify(in); v.Class < plain.Class {
				t.Errorf("%s: %s, but %s alone (%s: %s): %q", w.name, v.Class, plain.Class, plain.Rule, plain.Reason, in.Text)
			}
		}
	})
}

// ownPath reports whether a string names the script that it stands in: what it starts by that path is known only there.
func ownPath(text string) bool {
	return strings.Contains(text, "$0") || strings.Contains(text, "${0") || strings.Contains(text, "BASH_SOURCE")
}

// wrappable reports whether a string means the same inside the wrappings: it must not join itself to what follows it,
// close what surrounds it, hold bytes that no argument holds or be cut short by a wrapping's own delimiter.
func wrappable(text string) bool {
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") { // an option, to bash -c
		return false
	}
	if strings.HasSuffix(text, "\\") || strings.ContainsAny(text, "\x00\x01\x02\r") || strings.Contains(text, "HEAVY_RUN_EOF") || len(text) > 4096 {
		return false
	}
	w := newWalker(&Input{})
	_, err := w.parse(Bash, text)
	_, zshErr := w.parse(Zsh, text)
	return err == nil && zshErr == nil
}

func FuzzQuoteNeverRaises(f *testing.F) {
	addCorpus(f)
	f.Fuzz(func(t *testing.T, text string, zsh bool) {
		if strings.ContainsAny(text, "\x00") || strings.Contains(text, "HEAVY_RUN_EOF") || len(text) > 4096 {
			t.Skip()
		}
		for _, q := range quotings {
			in := Input{Text: q.quote(text), Dialect: dialectOf(zsh)}
			if v := Classify(in); v.Class != Light && parseable(in.Text) { // the budget knows no quotes, see there
				t.Errorf("%s: %s by %s (%s): %q", q.name, v.Class, v.Rule, v.Reason, in.Text)
			}
		}
	})
}

func FuzzTotal(f *testing.F) {
	addCorpus(f)
	f.Fuzz(func(t *testing.T, text string, zsh bool) {
		text = strings.Repeat(text, 1+min(maxText/(len(text)+1), 200)) // multiplies what is expensive
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := Classify(Input{Text: text, Dialect: dialectOf(zsh)})
		runtime.ReadMemStats(&after)
		if v.Rule == "panic" {
			t.Errorf("panic on %q", text)
		}
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib >= 64 {
			t.Errorf("%d MiB for %d bytes of %.100q", mib, len(text), text)
		}
		if v.Pos > v.End || v.End > len(text) || v.Pos < -1 {
			t.Errorf("position %d:%d in %d bytes", v.Pos, v.End, len(text))
		}
		if (v.Class == Light) != (v.Rule == "") {
			t.Errorf("%s by %q", v.Class, v.Rule)
		}
	})
}
