package detect

import (
	"slices"
	"strings"
	"testing"
)

// wrapping is an argument list in which a wrapper with options runs make, once for each place where they may stand.
func wrapping(wr *wrapper, options ...string) [][]string {
	var command []string
	switch wr.form {
	case scriptsForm:
		command = []string{"build"}
	case tailForm:
		command = []string{"--", "make"}
	case shellForm:
		command = []string{"--", "-c", "make"}
	default:
		command = []string{"make"}
	}
	operands := slices.Repeat([]string{"operand"}, int(wr.skip))
	argvs := [][]string{slices.Concat([]string{wr.name}, options, operands, command)}
	if wr.verbs != "" {
		verb := firstWord(wr.verbs)
		argvs = [][]string{
			slices.Concat([]string{wr.name, verb}, options, operands, command),
			slices.Concat([]string{wr.name}, options, []string{verb}, operands, command),
		}
	}
	if wr.optional {
		argvs = append(argvs, slices.DeleteFunc(slices.Clone(argvs[0]), func(word string) bool { return word == "operand" }))
	}
	return argvs
}

func classOf(argv []string) Class {
	w := newWalker(&Input{})
	w.external(argv)
	return w.best.class
}

// Whatever stands between a wrapper and its command, the command counts: an option that the table does not know may be a flag
// or may take the next word, and one that it knows takes as many words as it says.
func TestOptionsOfWrappersHideNoCommand(t *testing.T) {
	undeclared := []string{"--foreground", "--quiet", "--no-cache"}
	for letter := 'A'; letter <= 'z'; letter++ {
		if letter <= 'Z' || letter >= 'a' {
			undeclared = append(undeclared, "-"+string(letter))
		}
	}
	table := append(slices.Clone(wrappers[:]), envWrapper)
	for i := range table {
		wr := &table[i]
		if programName(wr.name) != wr.name {
			t.Errorf("%s is looked up as %s", wr.name, programName(wr.name))
		}
		if wr.form == remoteForm {
			continue
		}
		heavy := Heavy
		if wr.daemon {
			heavy = MaybeHeavy
		}
		check := func(class Class, options ...string) {
			for _, argv := range wrapping(wr, options...) {
				if got := classOf(argv); got < class {
					t.Errorf("%s, not %s: %q", got, class, argv)
				}
			}
		}
		for option := range strings.FieldsSeq(wr.shell) {
			if got := classOf(slices.Concat(wrapping(&wrapper{name: wr.name, verbs: wr.verbs}, option)[0])); got < heavy {
				t.Errorf("%s: %s %s make", got, wr.name, option)
			}
		}
		if wr.form == optionForm {
			continue
		}
		check(heavy)
		for _, option := range undeclared {
			if !has(wr.values, option) && !has(wr.shell, option) && !has(wr.ends, option) && (wr.name != "env" || option != "-S") {
				check(MaybeHeavy, option)
				check(MaybeHeavy, option, "value")
			}
		}
		for declared := range strings.FieldsSeq(wr.values) {
			option, either := strings.CutSuffix(declared, "?")
			count := 0
			if at := strings.LastIndexByte(option, '/'); at > 1 { // not -/
				count = 1
				option = option[:at]
			}
			words := []string{option, "ls"}
			for range count * (arity(wr.values, option) - 1) {
				words = append(words, "ls")
			}
			check(heavy, words...)
			if either {
				check(heavy, option)
			}
		}
	}
}
