package detect

import (
	"slices"
	"strings"
	"testing"
)

func TestTablesAreSortedAndUnique(t *testing.T) {
	byRule := func(a, b Rule) int {
		if c := strings.Compare(a.Program, b.Program); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	}
	for i := 1; i < len(rules); i++ {
		if byRule(rules[i-1], rules[i]) >= 0 {
			t.Errorf("rules: %s stands before %s", rules[i-1].ID, rules[i].ID)
		}
	}
	for _, r := range rules {
		if !strings.HasPrefix(r.ID, r.Program+".") || (r.Why == "") != (r.Class == Light) && r.Class != Light || strings.Contains(r.Subcommands, "  ") || r.Subcommands == "" {
			t.Errorf("rules: %+v", r)
		}
	}
	for i := 1; i < len(options); i++ {
		if options[i-1].name >= options[i].name {
			t.Errorf("options: %s stands before %s", options[i-1].name, options[i].name)
		}
	}
	for i := 1; i < len(wrappers); i++ {
		if wrappers[i-1].name >= wrappers[i].name {
			t.Errorf("wrappers: %s stands before %s", wrappers[i-1].name, wrappers[i].name)
		}
	}
	for i := range otherNames {
		if name, program := otherNames[i].name, otherNames[i].program; programName(name) != program {
			t.Errorf("otherNames: %s is known by itself, not as %s", name, program)
		}
	}
	for i := 1; i < len(otherNames); i++ {
		if otherNames[i-1].name >= otherNames[i].name {
			t.Errorf("otherNames: %s stands before %s", otherNames[i-1].name, otherNames[i].name)
		}
	}
}

// Every rule decides something: each of its words and options wins over the program's other rules, and what judges the program by
// itself leaves the rule its say.
func TestEveryRuleCounts(t *testing.T) {
	told := map[string]string{ // interpreters read words and options by themselves
		"node.test": "node --test", "node.watch": "node --watch x.js", "python.build": "python -m build", "python.unittest": "python -m unittest", "python.train": "python train.py",
		"ruby.test": "ruby -Itest test/x_test.rb",
	}
	for i := range rules {
		r := &rules[i]
		counts := map[string]bool{}
		reached := r.Class == Light || r.Program == "script" || r.Program == "file"
		try := func(argv []string, parts ...string) {
			args := optionsOf(r.Program).sort(argv[1:])
			if won, _ := (&walker{in: &Input{}}).match(r.Program, args.operands, args.options); won == r {
				for _, part := range parts {
					counts[part] = true
				}
			}
			w := newWalker(&Input{})
			w.external(argv)
			reached = reached || w.best.rule == r.ID
		}
		for pattern := range strings.FieldsSeq(r.Subcommands) {
			counts[pattern] = counts[pattern] || false
			for _, ending := range []string{"", "-word"} {
				argv := []string{r.Program}
				if pattern != "." {
					argv = append(argv, strings.Split(strings.ReplaceAll(pattern, "*", ending), "+")...)
				}
				if r.Options == "" {
					try(argv, pattern)
				}
				for option := range strings.FieldsSeq(r.Options) {
					counts[option] = counts[option] || false
					try(append(argv, option), pattern, option)
				}
			}
		}
		if command := told[r.ID]; command != "" {
			try(strings.Fields(command))
		}
		for part, won := range counts {
			if !won {
				t.Errorf("%s: %q never decides", r.ID, part)
			}
		}
		if !reached {
			t.Errorf("%s is never asked", r.ID)
		}
	}
	for _, r := range rules {
		for _, all := range rulesFor(r.Program) {
			if r.Subcommands == "." && all.Subcommands == "*" && r.Options == all.Options && r.Class == all.Class && r.Why == all.Why {
				t.Errorf("%s repeats %s", r.ID, all.ID)
			}
		}
	}
}

// What a verdict says for logs comes from the tables, whatever stands in the string.
func TestVerdictsHoldNoUserText(t *testing.T) {
	words := []string{"", "npm", "pnpm"}
	for _, r := range rules {
		words = append(words, r.Program)
		for pattern := range strings.SplitSeq(r.Subcommands, " ") {
			words = append(words, strings.TrimRight(strings.ReplaceAll(pattern, "+", " "), "*."))
		}
	}
	for _, wr := range wrappers {
		words = append(words, wr.name)
	}
	words = append(words, "npx", "pnpx", "bunx", "uvx", "rg", "find", "fd", "julia", "nr", "check", "builds", "tests")
	slices.Sort(words)
	for _, r := range append(append(commandRows(t), tableRows(t, "bypass.tsv")...), tableRows(t, "own.tsv")...) {
		v := Classify(r.input())
		for _, word := range []string{v.Program, v.Subcommand} {
			if _, ok := slices.BinarySearch(words, word); !ok {
				t.Errorf("%q is in no table: %q", word, r.Command)
			}
		}
	}
}

func TestPositionMarksTheDecidingCommand(t *testing.T) {
	for text, want := range map[string]string{
		"ls; npm ci && pwd":           "npm ci",
		"A=1 npm ci > log":            "A=1 npm ci",
		"cd x\n  sudo npm ci\n":       "sudo npm ci",
		"echo \"$(npm ci)\"":          "npm ci",
		"ls; bash -c 'cd x; npm ci'":  "bash -c 'cd x; npm ci'",
		"eval \"npm ci\" | tail":      "eval \"npm ci\"",
		"f() { npm ci; }; f":          "npm ci",
		"git diff --stat; npm ci; ls": "npm ci",
		"echo ünï; npm ci":            "npm ci",
		"cat <<'E' | sh\nnpm ci\nE":   "sh",
		"\xff\xfe; npm ci":            "npm ci",
		"ls\nif true; then npm ci":    " then npm ci",
	} {
		v := Classify(Input{Text: text})
		if v.Pos < 0 || text[v.Pos:v.End] != want {
			t.Errorf("%q: %+v", text, v)
		}
	}
	if v := Classify(Input{Text: "ls"}); v.Pos != -1 || v.End != -1 || v.Inner != "ls" {
		t.Errorf("%+v", v)
	}
}

func TestFiniteSizes(t *testing.T) {
	for size, want := range map[string]bool{
		"4G": true, "512M": true, "1073741824": true, "1.5G": true, "75%": true, "4g": true, "4gb": true, "1T": true,
		"": false, "0": false, "infinity": false, "inf": false, "NaN": false, "-1": false, "0%": false, "G": false, "%": false, "4G;": false, "\x02": false, "1e999": false,
	} {
		if got := finite(size); got != want {
			t.Errorf("%q: %v", size, got)
		}
	}
}

// The caller is asked about a wrapper only where the string cannot have given the word another meaning.
func TestWrapperIsAskedOnlyWhenTheWordIsPlain(t *testing.T) {
	for _, test := range []struct {
		text  string
		asked string
	}{
		{"hr -- make", "hr"},
		{"/opt/hr -- make", "/opt/hr"},
		{"cd /x && ./hr -- make", "/x/hr"},
		{"hr() { :; }; hr -- make", ""},
		{"alias hr=x; hr -- make", ""},
		{"PATH=/x hr -- make", ""},
		{"export PATH=/x; hr -- make", ""},
		{"env PATH=/x hr -- make", ""},
		{"hash -p /x hr; hr -- make", ""},
		{`cd "$D"; ./hr -- make`, ""},
	} {
		asked := ""
		Classify(Input{Text: test.text, Wrapper: func(word string) bool {
			if strings.HasSuffix(word, "hr") {
				asked = word
			}
			return false
		}})
		if asked != test.asked {
			t.Errorf("%q asked for %q, not %q", test.text, asked, test.asked)
		}
	}
}

func TestExtraRulesCountFirst(t *testing.T) {
	var x Extra
	for _, line := range [][2]string{
		{"Heavy", "mytool"}, {"Heavy", "acme sync+all export*"}, {"Light", "go vet"}, {"Light", "script lint:fast"}, {"Wrapper", "/opt/limit"},
	} {
		if err := ParseExtra(&x, line[0], line[1]); err != nil {
			t.Error(err)
		}
	}
	for _, line := range [][2]string{{"Heavy", " "}, {"Wrapper", "limit"}, {"Wrapper", "/a b"}, {"Weight", "x"}, {"Heavy", "a*"}} {
		switch err := ParseExtra(&x, line[0], line[1]); { // the caller names the key
		case err == nil:
			t.Errorf("%s=%s was taken", line[0], line[1])
		case strings.Contains(err.Error(), line[0]+"="):
			t.Errorf("%s=%s: %v", line[0], line[1], err)
		}
	}
	for text, class := range map[string]Class{
		"mytool": Heavy, "sudo mytool -x": Heavy, "acme sync all": Heavy, "acme export-x": Heavy, "acme sync": Light, "go vet ./...": Light,
		"go test": Heavy, "pnpm lint:fast": Light, "pnpm lint": Heavy, "/opt/limit -- make": Isolated, "./limit -- make": Heavy,
	} {
		if v := Classify(Input{Text: text, Extra: &x}); v.Class != class {
			t.Errorf("%s, not %s: %q (%s)", v.Class, class, text, v.Rule)
		}
	}
}
