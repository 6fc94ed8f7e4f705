package detect

import (
	"iter"
	"slices"
	"strings"
)

// A wrapper is a program that runs another command, and how that command stands in its arguments.
type wrapper struct {
	name     string
	form     form
	daemon   bool   // a server runs it, outside our control group
	verbs    string // subcommands that run a command, where others do something else: poetry's run
	skip     int8   // operands in front of the command: timeout's duration
	optional bool   // the last of these may be missing: a program in its place is the command
	values   string // options that take a value: "-u --user"; a "/2" behind one takes two words, with "?" it may take none, with ":" only what is attached
	shell    string // options whose value is a shell string: script's -c
	ends     string // options with which it runs nothing
	starts   bool   // without a command it starts a shell
	// abbreviates: it surely takes --us for --user, and the table has all its long options.
	abbreviates bool
}

type form uint8

const (
	argvForm    form = iota // the rest is a command and its arguments
	assignForm              // the same, with NAME=VALUE words in front: env
	textForm                // the rest, joined by blanks, is a shell string: watch
	eachForm                // every operand is a shell string: concurrently
	optionForm              // only the options' values are run: script -c
	tailForm                // only what stands behind "--" is run
	scriptsForm             // every operand is the name of a package.json script: npm-run-all
	remoteForm              // runs on another machine
	shellForm               // what stands behind "--" are a shell's arguments: capsh
	taskForm                // a command or the name of a task: poetry run
)

// wrapped judges the command that a wrapper runs.
func (w *walker) wrapped(wr *wrapper, argv []string) {
	if wr.form == remoteForm {
		return
	}
	saved := w.surroundings
	w.via = "behind " + wr.name
	w.elsewhere = w.elsewhere || wr.daemon
	w.apart(func() { w.wrappedArgs(wr, argv) })
	w.surroundings = saved
}

func (w *walker) wrappedArgs(wr *wrapper, argv []string) {
	skip, verb := int(wr.skip), wr.verbs == ""
	var before optionUse       // the option that the word stands behind
	values, either := 0, false // how many words so far may have been an option's value
	told := wr.form == optionForm || !wr.starts
	i := 1
	for ; i < len(argv); i++ {
		a := argv[i]
		if a == "--" {
			i++
			if !verb {
				i++
			}
			if i < len(argv) && !wr.isCommand(argv[i], skip) {
				i += skip
			}
			break
		}
		if len(a) > 1 && a[0] == '-' && a[1] != ' ' {
			before = option(argv[i:], wr)
			if before.ends {
				return
			}
			if before.text {
				w.shell(strings.TrimPrefix(before.value, "exec="), Bash, nil) // tar --checkpoint-action=exec=make
				told = true
			}
			i += before.next
			continue
		}
		if a == "-" && wr.form == assignForm {
			continue // env - is env -i
		}
		if name, value, ok := strings.Cut(a, "="); ok && wr.form == assignForm {
			if isName(name) {
				w.assignText(name, value)
			}
			continue
		}
		if !verb {
			verb = has(wr.verbs, a)
			before = optionUse{}
			continue
		}
		if wr.form == optionForm || wr.form == tailForm || wr.form == shellForm {
			continue
		}
		if before.unlisted || before.either { // this word may be its value
			values, either = values+1, either || before.either
		}
		before = optionUse{}
		if skip > 0 && maybeNothing(a) { // it may be no operand at all
			values++
		}
		if skip > 0 && !wr.isCommand(a, skip) {
			if wr.optional && skip == 1 {
				w.payload(wr, argv[i:]) // it may be the command all the same
			}
			skip--
			continue
		}
		if len(a) > 1 && a[0] == '+' {
			continue // pkgx +tool, vglrun +v: no program's name begins so
		}
		w.payload(wr, argv[i:])
		if values == 0 || knownProgram(a) && !either {
			return
		}
		values-- // read on: if that was a value, the command stands further behind
	}
	rest := argv[min(i, len(argv)):]
	for wr.form == assignForm && len(rest) > 0 && strings.Contains(rest[0], "=") {
		rest = rest[1:] // env -- A=1 make
	}
	if len(rest) > 0 && wr.form != optionForm {
		w.payload(wr, rest)
	} else if !told {
		w.shellStdin(Bash, nil)
	}
}

// isCommand reports whether a word is the command already, though an operand might still stand in front of it.
func (wr *wrapper) isCommand(word string, skip int) bool {
	return wr.optional && skip == 1 && (knownProgram(word) || strings.Contains(word, "/"))
}

func (w *walker) payload(wr *wrapper, rest []string) {
	switch wr.form {
	case argvForm, assignForm, tailForm:
		w.external(rest)
	case shellForm:
		w.external(append([]string{"sh"}, rest...))
	case textForm:
		w.shell(strings.Join(rest, " "), Bash, nil)
	case eachForm:
		for _, text := range rest {
			if manager, script, ok := strings.Cut(text, ":"); ok && isManager(manager) { // concurrently npm:test
				w.managerScript(manager, w.dir, false, script, nil)
				continue
			}
			w.shell(text, Bash, nil)
		}
	case scriptsForm:
		for _, name := range rest {
			w.managerScript(wr.name, w.dir, false, name, nil)
		}
	case taskForm:
		if knownProgram(rest[0]) || strings.Contains(rest[0], "/") {
			w.external(rest)
		} else {
			w.task(wr.name, w.dir, rest[0])
		}
	}
}

// An optionUse is one option word, read by what a table knows about its program's options.
type optionUse struct {
	name     string // the option itself; of a cluster, the letter that takes a value
	next     int    // how many of the following words are its value
	text     bool   // its value is a shell string
	value    string // its value, in the same word or the next
	ends     bool   // with it the program runs nothing
	unlisted bool   // the table does not know it: the next word may be its value, unless that is the name of a program
	either   bool   // the next word is its value or is not
}

// option reads the option word in front of others.
func option(words []string, wr *wrapper) optionUse {
	a := words[0]
	name, value, attached := strings.Cut(a, "=")
	full, short := wr.longName(name)
	if short {
		name = full
	}
	if strings.HasPrefix(a, "--") || len(name) > 2 && (has(wr.values, name) || has(wr.shell, name) || has(wr.ends, name)) {
		use := optionUse{name: name, text: has(wr.shell, name), ends: has(wr.ends, name) && value != "false"}
		if attached {
			use.value = value
			return use
		}
		use = use.taking(arity(wr.values, name), words)
		if short && !use.text && !wr.abbreviates { // it may be a name of its own that the table does not know
			use.next, use.either = 0, true
		}
		return use
	}
	for j := 1; j < len(a); j++ { // a cluster: -it, -uroot, -qc 'text'
		letter := "-" + a[j:j+1]
		use := optionUse{name: letter, text: has(wr.shell, letter), ends: has(wr.ends, letter)}
		if use.ends {
			return use
		}
		if letter == "--" {
			break // -no-cache: one long name, whatever its letters are
		}
		n := arity(wr.values, letter)
		if n == 0 && !use.text {
			continue
		}
		if use.value = a[j+1:]; use.value != "" {
			return use
		}
		return use.taking(n, words)
	}
	return optionUse{name: name, unlisted: a[1] < '0' || a[1] > '9'}
}

// optionUses are the options in front of "--", wherever operands stand.
func optionUses(args []string, known *wrapper) iter.Seq[optionUse] {
	return func(yield func(optionUse) bool) {
		for i := 0; i < len(args) && args[i] != "--"; i++ {
			if len(args[i]) < 2 || args[i][0] != '-' {
				continue
			}
			use := option(args[i:], known)
			if !yield(use) {
				return
			}
			i += use.next
		}
	}
}

// longName completes an abbreviated long option, as getopt_long(3) does: one name that takes a value begins so, or several do that are
// read alike.
func (wr *wrapper) longName(name string) (full string, short bool) {
	if wr.name == "" && !wr.abbreviates || len(name) < 4 || !strings.HasPrefix(name, "--") || has(wr.values, name) || has(wr.shell, name) || has(wr.ends, name) {
		return name, false
	}
	for _, list := range [...]string{wr.shell, wr.values} {
		for at := 0; ; {
			i := strings.Index(list[at:], name)
			if i < 0 {
				break
			}
			at += i
			word := list[at:]
			word = word[:strings.IndexAny(word+" ", " /?#:")]
			if at > 0 && list[at-1] != ' ' {
				at++
				continue
			}
			if full != "" && (arity(wr.values, full) != arity(wr.values, word) || has(wr.shell, full) != has(wr.shell, word)) {
				return name, false
			}
			if full == "" {
				full = word
			}
			at += len(word)
		}
	}
	return full, full != ""
}

// taking completes an option that has no value in its own word.
func (use optionUse) taking(n int, words []string) optionUse {
	switch {
	case n == perhaps:
		use.either = true
		return use
	case n == attachedOnly:
		return use
	case n == ifNumber:
		n = numbers(words[1:])
	case use.text:
		n = max(n, 1)
	case n == 0:
		use.unlisted = true
	}
	use.next = n
	if n > 0 && len(words) > 1 {
		use.value = words[1]
	}
	return use
}

// numbers is 1 where a number is the next word.
func numbers(words []string) int {
	if len(words) > 0 && words[0] != "" && strings.Trim(words[0], "0123456789.") == "" {
		return 1
	}
	return 0
}

// nameAndValue splits an option word at "="; where there is none, the next word may be its value.
func nameAndValue(words []string) (name, value string) {
	name, value, attached := strings.Cut(words[0], "=")
	if !attached && len(words) > 1 {
		value = words[1]
	}
	return name, value
}

// has reports whether a list of words separated by blanks holds a word.
func has(list, word string) bool { return arity(list, word) != 0 }

// What arity says of an option that does not always take the same.
const (
	perhaps      = -1 // "-q?": one program of this name takes a word, another does not
	ifNumber     = -2 // "-j#": the next word, if that is a number
	attachedOnly = -3 // "-i:": nothing but what stands in the same word, if that
)

// arity is how many words an option of the list takes: 0 if it is not there, the number behind a slash, else 1.
func arity(list, word string) int {
	for from := 0; ; {
		i := strings.Index(list[from:], word)
		if i < 0 || word == "" {
			return 0
		}
		i += from
		end := i + len(word)
		if i == 0 || list[i-1] == ' ' {
			switch {
			case end == len(list) || list[end] == ' ':
				return 1
			case list[end] == '/':
				return int(list[end+1] - '0')
			case list[end] == '?':
				return perhaps
			case list[end] == '#':
				return ifNumber
			case list[end] == ':':
				return attachedOnly
			}
		}
		from = end
	}
}

func findWrapper(name string) *wrapper {
	i, ok := slices.BinarySearchFunc(wrappers[:], name, func(wr wrapper, name string) int { return strings.Compare(wr.name, name) })
	if !ok {
		return nil
	}
	return &wrappers[i]
}

// runs reports whether a wrapper with subcommands is given one that runs a command. A word behind an option that the table does
// not know may be its value.
func (wr *wrapper) runs(args []string) bool {
	if wr.verbs == "" {
		return true
	}
	var before optionUse
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return i+1 < len(args) && has(wr.verbs, args[i+1])
		case len(a) > 1 && a[0] == '-':
			before = option(args[i:], wr)
			i += before.next
		case has(wr.verbs, a), i+1 < len(args) && has(wr.verbs, a+"+"+args[i+1]):
			return true
		case !before.unlisted && !before.either && !maybeNothing(a):
			return false
		default:
			before = optionUse{}
		}
	}
	return false
}
