package detect

import (
	"path"
	"slices"
	"strings"
)

// python judges python: modules, -c code, scripts.
func (w *walker) python(argv []string) {
	args := argv[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case len(a) > 2 && a[:2] == "-m":
			w.pythonModule(a[2:], args[i+1:])
			return
		case lastLetter(a, 'm'):
			if i+1 < len(args) {
				w.pythonModule(args[i+1], args[i+2:])
			}
			return
		case lastLetter(a, 'c'):
			if i+1 < len(args) {
				w.code(args[i+1])
			}
			return
		case a == "-":
			w.codeStdin()
			return
		case a == "-X" || a == "-W" || a == "--check-hash-based-pycs":
			i++
		case a == "--version" || a == "-V" || a == "-h" || a == "--help":
			return
		case len(a) > 0 && a[0] == '-':
		default:
			w.pythonScript(a, args[i+1:])
			return
		}
	}
	w.codeStdin()
}

// lastLetter reports whether a cluster of one-letter options ends in a letter, whose value is the next word then.
func lastLetter(a string, letter byte) bool {
	return len(a) > 1 && a[0] == '-' && a[1] != '-' && a[len(a)-1] == letter
}

func (w *walker) codeStdin() {
	if text, ok := w.stdinText(); ok {
		w.code(text)
	}
}

func (w *walker) pythonModule(module string, args []string) {
	name, _, _ := strings.Cut(module, ".")
	switch module {
	case "torch.distributed.run", "torch.distributed.launch":
		name = "torchrun"
	case "coverage":
		w.external(append([]string{module}, args...))
		return
	case "unittest", "build":
		w.judge("python", []string{module}, arguments{})
		return
	case "accelerate.commands.launch":
		name = "accelerate"
	case "pre_commit":
		name = "pre-commit"
	case "playwright", "http.server", "venv", "json.tool", "pdb", "timeit", "cProfile", "compileall":
		if module == "cProfile" || module == "pdb" {
			w.python(append([]string{"python"}, args...))
		}
		return
	}
	if known(name) && special(name) == nil {
		w.behind("as a Python module", func() { w.external(append([]string{name}, args...)) })
	}
}

// pythonScript judges a script by what it is known to be, by its text, or by a name that says it trains a model. Other
// names say little: unlike build.sh, build_index.py seldom compiles anything.
func (w *walker) pythonScript(file string, args []string) {
	base := path.Base(file)
	switch {
	case unknown(base):
		return
	case base == "setup.py" || base == "manage.py":
		w.rules(base, append([]string{base}, args...))
	case strings.HasPrefix(base, "train") || strings.HasPrefix(base, "finetune") || strings.HasPrefix(base, "fine_tune"):
		w.judge("python", []string{"train"}, arguments{})
	case base == "runtests.py" || base == "run_tests.py" || base == "run_test.py" || base == "x.py" || base == "waf" || base == "scons.py":
		w.named("file", "", "test")
	default:
		if tool := programName(base); strings.Contains(file, "bin/") && known(tool) && special(tool) == nil {
			w.external(append([]string{tool}, args...)) // python venv/bin/pytest
			return
		}
	}
	if text, ok := w.written(file); ok {
		w.code(text)
	}
}

// interpreter judges perl, ruby, php and awk: code on the command line and scripts that are tools. It reports whether the
// table has nothing to add.
func (w *walker) interpreter(name string, args []string) bool {
	if name == "awk" || name == "gawk" || name == "mawk" || name == "nawk" {
		w.code(strings.Join(args, "\n"))
		return true
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			if i+1 < len(args) {
				w.interpreterScript(name, args[i+1:])
			}
			return true
		case a == "-":
			w.codeStdin()
			return true
		case lastLetter(a, 'e') || lastLetter(a, 'E') || (name == "php" && a == "-r" || name == "expect" && a == "-c"):
			if i+1 < len(args) {
				w.code(args[i+1])
				if name != "julia" && name != "lua" {
					w.backquoted(args[i+1])
				}
			}
			return true
		case a == "--eval" || a == "--run":
			if i+1 < len(args) {
				w.code(args[i+1])
			}
			return true
		case name == "ruby" && a == "-S" && i+1 < len(args):
			w.external(args[i+1:])
			return true
		case len(a) > 1 && a[0] == '-':
			if name == "php" && has("-d -c -t -S", a) || name == "ruby" && has("-I -r", a) || name == "perl" && has("-I -M", a) {
				i++
			}
		default:
			w.interpreterScript(name, args[i:])
			return true
		}
	}
	w.codeStdin()
	return true
}

func (w *walker) interpreterScript(name string, argv []string) {
	base := path.Base(argv[0])
	if unknown(base) {
		return
	}
	tool := programName(scriptStem(base))
	if known(tool) && (special(tool) == nil || tool == "composer") && (name == "ruby" || name == "php") {
		w.external(append([]string{tool}, argv[1:]...))
		return
	}
	if text, ok := w.written(argv[0]); ok {
		w.code(text)
	}
}

// The calls by which programs in other languages start commands.
var startCalls = [...]string{
	"execSync(", "spawnSync(", "execFileSync(", "execFile(", "spawn(", "exec(", "system(", "popen(", "Popen(", "run(", "call(",
	"check_call(", "check_output(", "getoutput(", "shell_exec(", "passthru(", "capture2(", "capture3(", "%x(", "qx(", "exec ", "system ", "spawn ",
}

// code looks into a program in another language for commands that it starts, where they are literal: "npm ci" in
// execSync('npm ci'), ['npm', 'ci'] in subprocess.run(['npm', 'ci']). What stands in strings and comments is data. Strings
// end with their line at the latest, so that an apostrophe that is none hides no more than its line.
func (w *walker) code(text string) {
	if len(text) > maxText || !w.step(len(text)/16) {
		return
	}
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			quote = 0
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '#' || c == '/' && strings.HasPrefix(text[i:], "//"):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case (i == 0 || !isWordByte(text[i-1])) && w.startsCommand(text[i:]):
		case c == '\'' || c == '"' || c == '`':
			quote = c
		}
	}
	if strings.Contains(text, "Pkg.") { // Julia's package manager compiles what it installs and tests
		for _, call := range [...]string{"Pkg.test", "Pkg.instantiate", "Pkg.add", "Pkg.build", "Pkg.precompile", "Pkg.update"} {
			if strings.Contains(text, call) {
				w.note(finding{class: Heavy, rule: "julia.pkg", program: "julia", why: "compiles packages"})
			}
		}
	}
}

// startsCommand judges the command of a call at the beginning of text. It reports whether there is a call.
func (w *walker) startsCommand(text string) bool {
	for _, call := range startCalls {
		after, ok := strings.CutPrefix(text, call)
		if !ok {
			continue
		}
		if strings.HasSuffix(call, "x(") {
			command, _, _ := strings.Cut(after, ")")
			w.shell(command, Bash, nil)
		} else {
			w.startedBy(after)
		}
		return true
	}
	return false
}

// backquoted judges the commands between backquotes, which Perl, Ruby and PHP run as a shell does.
func (w *walker) backquoted(text string) {
	pieces := strings.Split(text, "`")
	for i := 1; i+1 < len(pieces); i += 2 {
		w.behind("in code", func() { w.shell(pieces[i], Bash, nil) })
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// startedBy judges the literal arguments of a call that starts a command: one string for a shell, or words.
func (w *walker) startedBy(text string) {
	text = strings.TrimLeft(text, " \t\n(")
	list := strings.HasPrefix(text, "[")
	text = strings.TrimLeft(text, "[ \t\n")
	var words []string
	for len(words) < 16 {
		word, rest, ok := literalString(text)
		if !ok {
			break
		}
		words = append(words, word)
		rest = strings.TrimLeft(rest, " \t\n")
		if !strings.HasPrefix(rest, ",") {
			break
		}
		text = strings.TrimLeft(rest, ", \t\n[")
	}
	switch {
	case len(words) == 0:
	case len(words) == 1 && !list:
		w.behind("in code", func() { w.shell(words[0], Bash, nil) })
	default:
		w.behind("in code", func() { w.external(words) })
	}
}

// literalString reads a quoted string at the beginning of text, in the syntax that most languages share.
func literalString(text string) (value, rest string, ok bool) {
	for len(text) > 1 && (text[0] == 'f' || text[0] == 'r' || text[0] == 'b') && (text[1] == '\'' || text[1] == '"') {
		text = text[1:]
	}
	if text == "" || text[0] != '\'' && text[0] != '"' && text[0] != '`' {
		return "", "", false
	}
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return unescape(text[1:i], ""), text[i+1:], true
		}
	}
	return "", "", false
}

// uv judges uv run and uv tool run; uv's other subcommands stand in the table.
func (w *walker) uv(args []string) bool {
	sorted := optionsOf("uv").sort(args)
	if sorted.ends && len(sorted.operands) == 0 {
		return true
	}
	if len(sorted.operands) == 0 {
		return false
	}
	rest := args[min(sorted.at+1, len(args)):]
	switch {
	case sorted.operands[0] == "run":
		w.behind("behind uv run", func() { w.pythonRunner(&uvRun, rest) })
	case sorted.operands[0] == "tool" && len(sorted.operands) > 1 && (sorted.operands[1] == "run"):
		return w.toolRunner("uvx", args[slices.Index(args, "run")+1:])
	default:
		return false
	}
	return true
}

var uvRun = wrapper{
	name:   "uv run",
	values: "--with --with-editable --with-requirements --extra --no-extra --group --no-group --only-group --env-file --package --python -p --directory --project --config-file --index --default-index --index-url --extra-index-url --cache-dir --script-x --color -w --refresh-package --find-links -f --upgrade-package -P",
	ends:   "--help -h --version -V",
}

var coverageRun = wrapper{values: "--source --include --omit --rcfile --concurrency --data-file --context --source-pkgs --debug"}

// pythonRunner judges what uv run, uvx and pipx run start: a program, a module, a script.
func (w *walker) pythonRunner(wr *wrapper, args []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			args = args[i+1:]
		case a == "-m" || a == "--module":
			if i+1 < len(args) {
				w.pythonModule(args[i+1], args[i+2:])
			}
			return
		case len(a) > 1 && a[0] == '-':
			opt := option(a, wr)
			if opt.ends {
				return
			}
			i += opt.next
			continue
		default:
			args = args[i:]
		}
		break
	}
	if len(args) == 0 || len(args[0]) > 1 && args[0][0] == '-' {
		return
	}
	if strings.HasSuffix(args[0], ".py") {
		w.pythonScript(args[0], args[1:])
		return
	}
	w.external(args)
}

// toolRunner judges uvx and pipx run: the package's program by its name, else a package that is fetched.
func (w *walker) toolRunner(name string, args []string) bool {
	if name == "pipx" {
		if len(args) == 0 || args[0] != "run" {
			return false
		}
		args = args[1:]
	}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		opt := option(args[0], &uvxOptions)
		if opt.ends {
			return true
		}
		args = args[min(1+opt.next, len(args)):]
	}
	if len(args) == 0 {
		return true
	}
	word, _, _ := strings.Cut(args[0], "@")
	word, _, _ = strings.Cut(word, "==")
	if program := programName(path.Base(word)); known(program) {
		w.behind("behind "+name, func() { w.external(append([]string{program}, args[1:]...)) })
		return true
	}
	if isLightTool(word) || given("--version --help -h", args[1:]) {
		return true
	}
	w.note(finding{class: MaybeHeavy, rule: "fetch.run", program: name, why: "fetches a package and runs it"})
	return true
}

func isLightTool(word string) bool {
	switch word {
	case "ruff", "black", "isort", "cowsay", "yamllint", "httpie", "pycowsay", "autopep8", "pyupgrade":
		return true
	}
	return false
}

var uvxOptions = wrapper{values: "--from --with --with-editable --python -p --index --index-url --spec --pip-args --extra-index-url --env-file -w", ends: "--help -h --version -V"}
