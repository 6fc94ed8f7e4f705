package detect

import (
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
	values   string // options that take a value: "-u --user"; a "/2" behind one takes two words
	shell    string // options whose value is a shell string: script's -c
	ends     string // options with which it runs nothing
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

// approvedWrapper is how heavy-run reads its arguments. Other approved wrappers are read the same way: what stands behind
// the options only decides whether there is something heavy to isolate at all.
var approvedWrapper = wrapper{
	values: "-p --property --slice --unit --description --wait", shell: "-c",
	ends: "--explain --list --doctor --help -h --version --show-config",
}

// wrapped judges the command that a wrapper runs.
func (w *walker) wrapped(wr *wrapper, argv []string) {
	if wr.form == remoteForm {
		return
	}
	saved := w.surroundings
	w.via = "behind " + wr.name
	if wr.name == "" {
		w.via = "behind an approved wrapper"
	}
	w.elsewhere = w.elsewhere || wr.daemon
	w.apart(func() { w.wrappedArgs(wr, argv) })
	w.surroundings = saved
}

func (w *walker) wrappedArgs(wr *wrapper, argv []string) {
	skip := int(wr.skip)
	if wr.verbs != "" {
		skip++
	}
	unlisted := false
	i := 1
	for ; i < len(argv); i++ {
		a := argv[i]
		if a == "--" {
			i++
			if i < len(argv) && !wr.isCommand(argv[i], skip) {
				i += skip
			}
			break
		}
		if len(a) > 1 && a[0] == '-' && a[1] != ' ' {
			opt := option(a, wr)
			if opt.ends {
				return
			}
			unlisted = !opt.listed
			if opt.text {
				if opt.next > 0 && i+1 < len(argv) {
					opt.value = argv[i+1]
				}
				w.shell(opt.value, Bash, nil)
			}
			i += opt.next
			continue
		}
		if a == "-" && wr.form == assignForm {
			continue // env - is env -i
		}
		if name, value, ok := strings.Cut(a, "="); ok && wr.form == assignForm && isName(name) {
			w.assignText(name, value)
			continue
		}
		if wr.form == optionForm {
			continue
		}
		if skip == 0 || wr.isCommand(a, skip) {
			break
		}
		skip--
	}
	rest := argv[min(i, len(argv)):]
	if wr.form == tailForm || wr.form == shellForm {
		rest = nil
		if at := slices.Index(argv, "--"); at >= 0 {
			rest = argv[at+1:]
		}
	}
	for wr.form == assignForm && len(rest) > 0 && strings.Contains(rest[0], "=") {
		rest = rest[1:] // env -- A=1 make
	}
	if len(rest) == 0 {
		return
	}
	w.payload(wr, rest)
	if unlisted && len(rest) > 1 && !knownProgram(rest[0]) {
		w.payload(wr, rest[1:]) // an option that this table does not know may have taken the first word
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
			w.named("script", wr.name, rest[0])
		}
	}
}

// An optionUse is one option word, read by what a table knows about its program's options.
type optionUse struct {
	listed bool   // the table knows it, or it brings its value along
	next   int    // how many of the following words are its value
	text   bool   // its value is a shell string
	value  string // its value, where it is in the same word
	ends   bool   // with it the program runs nothing
}

func option(a string, wr *wrapper) optionUse {
	if strings.HasPrefix(a, "--") || len(a) > 2 && has(wr.values, a) {
		name, value, attached := strings.Cut(a, "=")
		use := optionUse{value: value, text: has(wr.shell, name), ends: has(wr.ends, name), listed: attached}
		if n := arity(wr.values, name); n > 0 || use.text {
			use.listed = true
			if !attached {
				use.next = max(n, 1)
			}
		}
		return use
	}
	for j := 1; j < len(a); j++ { // a cluster: -it, -uroot, -qc 'text'
		letter := "-" + a[j:j+1]
		use := optionUse{text: has(wr.shell, letter), ends: has(wr.ends, letter), listed: true}
		if use.ends {
			return use
		}
		n := arity(wr.values, letter)
		if n == 0 && !use.text {
			continue
		}
		if use.value = a[j+1:]; use.value == "" {
			use.next = max(n, 1)
		}
		return use
	}
	return optionUse{listed: a[1] >= '0' && a[1] <= '9'}
}

// has reports whether a list of words separated by blanks holds a word.
func has(list, word string) bool { return arity(list, word) > 0 }

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

// runs reports whether a wrapper with subcommands is given one that runs a command.
func (wr *wrapper) runs(args []string) bool {
	if wr.verbs == "" {
		return true
	}
	opts := programOptions{values: wr.values}
	sorted := opts.sort(args)
	return len(sorted.operands) > 0 && has(wr.verbs, sorted.operands[0])
}
