package detect

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/heavy-run/heavy-run/internal/shellargs"
	"mvdan.cc/sh/v3/syntax"
)

// call judges a simple command.
func (w *walker) call(c *syntax.CallExpr) {
	lo, hi := w.lo, w.hi
	w.lo, w.hi = int(c.Pos().Offset()), int(c.End().Offset())
	if n := len(w.src); w.lo > w.hi || w.hi > n {
		w.lo, w.hi = min(w.lo, n), n
	}
	defer func() { w.lo, w.hi = lo, hi }()

	for _, a := range c.Args {
		w.substitutions(a)
	}
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assignment(a)
		}
		return
	}
	argvs := w.expand(c.Args)
	mark, pathSet := len(w.bindings), w.pathSet
	for _, a := range c.Assigns {
		w.assignment(a)
	}
	assigned := len(w.bindings)
	for _, argv := range argvs {
		switch {
		case len(argv) == 0:
		case len(argvs) == 1:
			w.command(argv)
		default:
			w.maybeRun(func() { w.command(argv) })
		}
	}
	if assigned > mark { // they were this command's alone
		w.pathSet = pathSet
		w.bindings = slices.Delete(slices.Clone(w.bindings), mark, min(assigned, len(w.bindings)))
	}
}

// command judges an argument list as the shell itself runs it: functions, aliases and builtins come first.
func (w *walker) command(argv []string) {
	if w.done() || len(argv) == 0 || !w.enter() {
		return
	}
	defer w.leave()
	name := argv[0]
	if w.dialect == Zsh && len(name) > 1 && name[0] == '=' && isName(name[1:]) { // zsh: =name is name's path
		name = name[1:]
		argv = append([]string{name}, argv[1:]...)
	}
	if strings.IndexByte(name, '/') < 0 {
		if len(w.bindings) > 0 && w.redefined(argv) {
			return
		}
		if w.builtin(argv) {
			return
		}
	}
	w.external(argv)
}

// redefined follows the functions and aliases that the command's name may stand for. It reports whether it can stand for
// nothing else here.
func (w *walker) redefined(argv []string) bool {
	name := argv[0]
	for i := len(w.bindings) - 1; i >= 0 && i < len(w.bindings); i-- {
		b := w.bindings[i]
		switch {
		case b.name != name:
		case b.kind == functionName && b.fn.body != nil:
			certain := !b.maybe && i >= w.inherited
			w.callFunction(b.fn, argv[1:])
			if certain {
				return true
			}
		case b.kind == alias && b.text != "" && !slices.Contains(w.reading, b.text):
			// Whether aliases count depends on options and on where lines end: this is one of two possibilities.
			w.follow(b.text, func() {
				w.maybeRun(func() { w.eval(b.text + " " + quoted(argv[1:])) })
			})
		}
	}
	w.left.steps -= len(w.bindings) / 16
	return false
}

// quoted writes words so that a shell reads the same words again.
func quoted(words []string) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(word, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// external judges an argument list as execve would run it: by its program.
func (w *walker) external(argv []string) {
	if w.done() || len(argv) == 0 || !w.enter() || !w.step(8+len(argv)/4) {
		return
	}
	defer w.leave()
	word := argv[0]
	name := path.Base(word)
	if unknown(name) || strings.ContainsAny(name, "*?[") && name != "[" {
		w.unknownProgram(argv)
		return
	}
	if strings.IndexByte(word, '/') >= 0 {
		if from := w.origin(word); from != word { // a copy or a link that the string has made
			w.external(append([]string{from}, argv[1:]...))
			return
		}
	}
	w.madeHere(word, argv[1:])
	if w.approved(word) {
		saved := w.limited
		w.limited = true
		// Other approved wrappers are read as heavy-run is: what stands behind the options only decides whether there is
		// something heavy to isolate at all.
		w.wrapped(findWrapper("heavy-run"), argv)
		w.limited = saved
		return
	}
	name = programName(name)
	if other := w.withValue(name, argv); other != nil {
		w.either(func() { w.programArgs(name, argv) }, func() { w.external(other) })
		return
	}
	w.programArgs(name, argv)
}

// programArgs judges an argument list by its program's name.
func (w *walker) programArgs(name string, argv []string) {
	word := argv[0]
	if judge := special(name); judge != nil && judge(w, name, argv) {
		return
	}
	if wr := findWrapper(name); wr != nil && wr.runs(argv[1:]) {
		w.wrapped(wr, argv)
		if wr.form != optionForm { // what else such a program does is in the table: nix-shell
			return
		}
	}
	if w.rules(name, argv) {
		return
	}
	if strings.IndexByte(word, '/') >= 0 {
		w.program(word, argv[1:])
	} else if !isCommon(name) {
		w.tail(argv[1:])
	}
}

// madeHere judges a file that the string has written, under a name that has a meaning of its own: ./git, or git where PATH was set.
func (w *walker) madeHere(word string, args []string) {
	if len(w.bindings) == 0 && w.told == "" && !w.untold {
		return
	}
	if base := path.Base(word); !isCommon(base) && !known(programName(base)) {
		return
	}
	text, ok := "", false
	switch {
	case strings.IndexByte(word, '/') >= 0:
		text, ok = w.written(word)
	case w.pathSet:
		for i := range w.bindings {
			if b := &w.bindings[i]; b.kind == file && path.Base(b.name) == word && b.text != "" {
				text, ok = b.text, true
			}
		}
	}
	if ok {
		w.follow(text, func() {
			w.behind(fromScript(word), func() { w.fileText(word, text, args) })
		})
	}
}

// tail judges what stands behind "--" in the arguments of a program that no table knows: it may be a wrapper, and a name
// that promises a limit proves nothing.
func (w *walker) tail(args []string) {
	if i := slices.Index(args, "--"); i >= 0 && i+1 < len(args) && knownProgram(args[i+1]) {
		w.external(args[i+1:])
	}
}

// unknownProgram judges a command whose program is known only when it runs. What may expand to nothing, or to a wrapper
// such as sudo, leaves the rest of the words as the command.
func (w *walker) unknownProgram(argv []string) {
	if maybeNothing(argv[0]) && len(argv) > 1 {
		w.command(argv[1:])
	}
	w.opaque("opaque.program", "which program this runs is known only when it runs")
}

// approved asks the caller whether a command word is a wrapper that isolates.
func (w *walker) approved(word string) bool {
	if w.in.Wrapper == nil && (w.in.Extra == nil || len(w.in.Extra.wrappers) == 0) {
		return false
	}
	if strings.IndexByte(word, '/') < 0 {
		if w.pathSet || w.lookup(functionName, word) != nil || w.lookup(alias, word) != nil {
			return false
		}
	} else if !path.IsAbs(word) && w.dirChanged {
		if word = w.path(word); !path.IsAbs(word) || unknown(word) {
			return false
		}
	}
	return w.in.Wrapper != nil && w.in.Wrapper(word) || w.in.Extra.wrapper(word)
}

// shellCommand judges a shell's own command line.
func (w *walker) shellCommand(name string, args []string) {
	if i := slices.Index(args, string(unknownWords)); i >= 0 && slices.Contains(args[i:], "-c") {
		args = slices.Delete(slices.Clone(args), i, i+1) // bash $FLAGS -c '…'
	}
	inv := shellargs.Parse(name, args)
	if inv.Ends || readsOnly(args[:inv.Operand]) {
		return
	}
	dialect := Bash
	if name == "zsh" {
		dialect = Zsh
	}
	w.startUp(args[:inv.Operand], dialect)
	switch {
	case inv.Command >= 0:
		arg0, params := "", args[inv.Command+1:]
		if len(params) > 0 {
			arg0, params = params[0], params[1:]
		}
		w.shellAs(arg0, args[inv.Command], dialect, params)
	case inv.Stdin || inv.Operand == len(args):
		w.shellStdin(dialect, args[inv.Operand:])
	case descriptor(args[inv.Operand]) == "0":
		w.shellStdin(dialect, args[inv.Operand+1:])
	default:
		if tool := programName(path.Base(w.origin(args[inv.Operand]))); known(tool) && special(tool) == nil {
			w.external(append([]string{tool}, args[inv.Operand+1:]...)) // sh ./gradlew build
		}
		w.script(args[inv.Operand], args[inv.Operand+1:], dialect)
	}
}

// startUp judges the files that a shell reads first: --rcfile FILE, BASH_ENV where the string has set it.
func (w *walker) startUp(options []string, dialect Dialect) {
	var files []string
	for i, o := range options {
		if strings.HasSuffix(o, "-rcfile") || strings.HasSuffix(o, "-init-file") {
			files = append(files, options[min(i+1, len(options)-1)])
		}
	}
	if len(w.bindings) > 0 {
		for _, name := range [...]string{"BASH_ENV", "ENV"} {
			if b := w.lookup(variable, name); b != nil {
				files = append(files, w.oneValue(name))
			}
		}
	}
	for _, file := range files {
		if text, ok := w.scriptText(file); ok && !isSetup(file) {
			w.follow(text, func() {
				w.behind(fromScript(file), func() { w.shellFile(file, text, dialect, nil) })
			})
		}
	}
}

// readsOnly reports whether a shell is told to check a script's syntax only.
func readsOnly(options []string) bool {
	for i, o := range options {
		if o == "noexec" && i > 0 {
			return true
		}
		if strings.HasPrefix(o, "-") && !strings.HasPrefix(o, "--") && strings.Contains(o, "n") {
			return true
		}
	}
	return false
}

// shellStdin judges a shell that reads its commands from standard input.
func (w *walker) shellStdin(dialect Dialect, params []string) {
	if w.stdin.kind == stdinNone {
		return // interactive, or nothing to read
	}
	text, ok := w.stdinText()
	if !ok {
		w.opaque("opaque.stdin", "a shell reads commands that are known only when it runs")
		return
	}
	saved := w.stdin
	w.stdin = stdin{}
	w.shell(text, dialect, params)
	w.stdin = saved
}

// builtin judges the shell's own commands. It reports whether argv was one.
func (w *walker) builtin(argv []string) bool {
	args := argv[1:]
	switch argv[0] {
	case ":", "true", "false", "echo", "print", "printf", "test", "[", "exit", "return", "break", "continue", "wait", "jobs",
		"kill", "umask", "ulimit", "type", "whence", "where", "which", "hash", "shopt", "setopt", "unsetopt", "bg", "fg",
		"disown", "history", "let", "getopts", "times", "caller", "complete", "bind", "dirs", "pwd":
		if argv[0] == "printf" && len(args) > 2 && args[0] == "-v" {
			w.assignOutput(args[1], argv[0], args[2:])
		}
		if argv[0] == "hash" && len(args) > 0 && args[0] == "-p" {
			w.pathSet = true
			if len(args) > 2 {
				w.bind(binding{kind: alias, name: args[2], text: quoted(args[1:2])})
			}
		}
	case "compgen":
		for i, a := range args[:max(len(args)-1, 0)] {
			if a == "-C" || a == "-F" {
				w.apart(func() { w.eval(args[i+1]) })
			}
		}
	case "sched": // zsh
		if len(args) > 1 && w.dialect == Zsh {
			w.maybeRun(func() { w.eval(strings.Join(args[1:], " ")) })
		}
	case "cd", "pushd", "chdir":
		args = dropOptions(args)
		switch {
		case len(args) > 0:
			w.chdir(args[len(args)-1])
		case argv[0] != "pushd":
			w.chdir(w.tilde("~"))
		}
	case "popd":
		w.chdir(string(unknownWord))
	case "eval":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		w.eval(strings.Join(args, " "))
	case "source", ".":
		w.source(args)
	case "trap":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		if len(args) > 1 {
			w.maybeRun(func() { w.behind("in a trap", func() { w.eval(args[0]) }) })
		}
	case "exec":
		for len(args) > 0 && strings.HasPrefix(args[0], "-") {
			end := args[0] == "--"
			args = args[min(1+option(args, &execOptions).next, len(args)):]
			if end {
				break
			}
		}
		w.external(args)
	case "command":
		for len(args) > 0 && strings.HasPrefix(args[0], "-") {
			if strings.ContainsAny(args[0], "vV") {
				return true
			}
			args = args[1:]
		}
		if len(args) > 0 && !w.builtin(args) {
			w.external(args)
		}
	case "builtin":
		args = dropOptions(args)
		if len(args) > 0 {
			w.builtin(args)
		}
	case "coproc": // a keyword that the parser does not know in zsh
		w.piped(func() { w.command(args) })
	case "--": // time -- make, where the parser knows of time only
		w.command(args)
	case "noglob", "nocorrect", "-":
		if w.dialect != Zsh && argv[0] == "-" {
			return false
		}
		w.command(args)
	case "repeat":
		if args = args[min(1, len(args)):]; len(args) > 0 && args[0] == "{" {
			args = args[1:] // zsh: repeat 2 { … }
		}
		w.command(args)
	case "emulate":
		if i := slices.Index(args, "-c"); i >= 0 && i+1 < len(args) {
			w.eval(args[i+1])
		}
	case "alias":
		for _, a := range args {
			if name, text, ok := strings.Cut(a, "="); ok {
				w.bind(binding{kind: alias, name: name, text: text})
			}
		}
	case "unalias":
		for _, a := range args {
			w.forget(alias, a)
		}
	case "unset":
		w.unset(args)
	case "export", "declare", "local", "readonly", "typeset": // reached through quotes or command only: else a DeclClause
		for _, a := range args {
			switch name, value, ok := strings.Cut(a, "="); {
			case !ok || !isName(name):
			case given("-n", args) && argv[0] != "export":
				w.refer(name, value)
			default:
				w.assignText(name, value)
			}
		}
	case "set":
		w.set(args)
	case "shift":
		w.shift(args)
	case "read":
		w.read(args)
	case "mapfile", "readarray":
		if args = dropOptions(args); len(args) > 0 {
			if text, ok := w.stdinText(); ok {
				w.assign(args[0], [][]string{strings.Split(strings.TrimRight(text, "\n"), "\n")}, true)
				break
			}
			w.forget(variable, args[0])
		}
	default:
		return false
	}
	return true
}

var execOptions = wrapper{values: "-a"}

func dropOptions(args []string) []string {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		args = args[1:]
	}
	return args
}

// shift follows shift [n] and zsh's shift [n] array….
func (w *walker) shift(args []string) {
	n := 1
	if len(args) > 0 && args[0] != "" && args[0][0] <= '9' {
		n, _ = strconv.Atoi(args[0])
		args = args[1:]
	}
	if w.paramsSet && n > 0 && len(args) == 0 {
		w.params = w.params[min(n, len(w.params)):]
	}
	for _, name := range args {
		if b, certain := w.bound(variable, name); b != nil && n > 0 {
			values := make([][]string, len(b.words))
			for i, v := range b.words {
				values[i] = v[min(n, len(v)):]
			}
			w.assign(name, values, !certain)
		}
	}
}

func (w *walker) unset(args []string) {
	kind := variable
	for _, a := range args {
		switch a {
		case "-f":
			kind = functionName
		case "-v", "--":
		default:
			w.forget(kind, a)
		}
	}
}

// set follows set -- words, which replaces the positional parameters.
func (w *walker) set(args []string) {
	for i, a := range args {
		if a == "--" || len(a) > 0 && a[0] != '-' && a[0] != '+' {
			if a == "--" {
				i++
			} else if i > 0 && strings.HasSuffix(args[i-1], "o") { // set -o pipefail
				continue
			}
			w.params, w.paramsSet = args[i:], true
			return
		}
	}
}

// read follows read name: the variable holds one of the lines that are read.
func (w *walker) read(args []string) {
	var names []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if len(a) > 1 && a[0] == '-' {
			if strings.IndexByte("adinNptu", a[len(a)-1]) >= 0 {
				i++
			}
			continue
		}
		names = append(names, a)
	}
	text, ok := w.stdinText()
	if len(names) != 1 || !ok {
		for _, n := range names {
			w.forget(variable, n)
		}
		return
	}
	var values [][]string
	for line := range strings.Lines(text) {
		if len(values) == maxAlts {
			break
		}
		values = append(values, []string{strings.TrimSpace(line)})
	}
	w.assign(names[0], values, len(values) == maxAlts)
}

// assignOutput follows printf -v name format words.
func (w *walker) assignOutput(name, program string, args []string) {
	if text, ok := w.argvOutput(append([]string{program}, args...)); ok {
		w.assignText(name, text)
		return
	}
	w.forget(variable, name)
}
