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
		case len(a) > 2 && a[:2] == "-c":
			w.code(a[2:])
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
	case "coverage", "memray", "debugpy", "uv", "pipx":
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
		if len(args) > 1 && (args[0] == "-o" || args[0] == "-s") { // cProfile's own, before the script
			args = args[2:]
		}
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
		if tool := programName(base); (strings.Contains(file, "bin/") || !strings.Contains(base, ".")) && known(tool) && special(tool) == nil {
			w.external(append([]string{tool}, args...)) // python venv/bin/pytest
			return
		}
	}
	if text, ok := w.scriptText(file); ok {
		w.behind(fromScript(file), func() { w.code(text) })
	}
}

// interpreter judges perl, ruby, php and awk: code on the command line and scripts that are tools. It reports whether the
// table has nothing to add.
func (w *walker) interpreter(name string, args []string) bool {
	if name == "awk" || name == "gawk" || name == "mawk" || name == "nawk" {
		text := strings.Join(args, "\n")
		w.code(text)
		w.awkPipes(text)
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
		case len(a) > 2 && a[:2] == "-e" && (name == "perl" || name == "ruby"): // -e'…'
			w.code(a[2:])
			w.backquoted(a[2:])
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
	if name == "ruby" && (strings.HasSuffix(base, "_test.rb") || strings.HasPrefix(base, "test_")) {
		w.judge(name, []string{"test"}, arguments{})
	}
	if text, ok := w.scriptText(argv[0]); ok {
		w.code(text)
	}
}

// The calls by which programs in other languages start commands.
var startCalls = [...]string{
	"execSync(", "spawnSync(", "execFileSync(", "execFile(", "spawn(", "exec(", "system(", "popen(", "Popen(", "run(", "call(",
	"check_call(", "check_output(", "getoutput(", "create_subprocess_shell(", "create_subprocess_exec(", "execv(", "execvp(", "execl(", "execlp(",
	"Deno.Command(", "os.execute(", "shell_exec(", "passthru(", "capture2(", "capture3(", "%x(", "qx(", "exec ", "system ", "spawn ",
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
		case (i == 0 || !isWordByte(text[i-1])) && w.startsCommand(text, i):
		case c == '\'' || c == '"' || c == '`':
			quote = c
		}
	}
	for i := range heavyCalls {
		if c := &heavyCalls[i]; strings.Contains(text, c.call) {
			w.note(finding{class: Heavy, rule: c.rule, program: c.program, why: c.why})
		}
	}
}

// heavyCalls are calls that are heavy in the interpreter itself.
var heavyCalls = [...]struct{ call, rule, program, why string }{
	{"Pkg.test", "julia.pkg", "julia", "compiles packages"},
	{"Pkg.instantiate", "julia.pkg", "julia", "compiles packages"},
	{"Pkg.add", "julia.pkg", "julia", "compiles packages"},
	{"Pkg.build", "julia.pkg", "julia", "compiles packages"},
	{"Pkg.precompile", "julia.pkg", "julia", "compiles packages"},
	{"Pkg.update", "julia.pkg", "julia", "compiles packages"},
	{"pytest.main(", "python.pytest", "python", "runs tests"},
	{"install.packages(", "r.install", "R", "compiles packages"},
	{"devtools::", "r.devtools", "R", "builds and tests a package"},
	{"rcmdcheck::", "r.devtools", "R", "builds and tests a package"},
	{"renv::restore", "r.install", "R", "compiles packages"},
	{"testthat::test", "r.test", "R", "runs tests"},
}

// startsCommand judges the command of a call at text[i]. It reports whether there is a call.
func (w *walker) startsCommand(text string, i int) bool {
	for _, call := range startCalls {
		after, ok := strings.CutPrefix(text[i:], call)
		if !ok {
			continue
		}
		if strings.HasSuffix(call, "x(") {
			command, _, _ := strings.Cut(after, ")")
			w.shell(command, Bash, nil)
		} else {
			w.startedBy(after, text)
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

// startedBy judges the literal arguments of a call that starts a command: one string for a shell, or words. Where a variable
// stands for them, program is searched for what is assigned to it.
func (w *walker) startedBy(text, program string) {
	text = strings.TrimLeft(text, " \t\n(")
	for _, prefix := range [...]string{"args=", "cmd=", "shlex.split("} {
		text = strings.TrimLeft(strings.TrimPrefix(text, prefix), " ")
	}
	end := 0
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	if end > 0 && end < len(text) && (text[end] == ',' || text[end] == ')') && w.step(len(program)/64) {
		text = assigned(program, text[:end])
	}
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
		text = strings.TrimLeft(rest, ", \t\n[{")
		text = strings.TrimLeft(strings.TrimPrefix(text, "args:"), " [")
	}
	if len(words) > 1 && words[0] == words[1] { // execvp("npm", ["npm", "ci"])
		words = words[1:]
	}
	switch {
	case len(words) == 0:
	case len(words) == 1 && !list:
		w.behind("in code", func() { w.shell(words[0], Bash, nil) })
	default:
		w.behind("in code", func() { w.external(words) })
	}
}

// assigned returns the text behind the first "name =" that is followed by a literal.
func assigned(text, name string) string {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(name)
		if i > 0 && isWordByte(text[i-1]) {
			continue
		}
		value, ok := strings.CutPrefix(strings.TrimLeft(text[from:], " "), "=")
		if value = strings.TrimLeft(value, " "); ok && value != "" && strings.IndexByte("['\"`", value[0]) >= 0 {
			return value
		}
	}
}

// awkPipes judges the commands that awk starts: "command" | getline, print | "command".
func (w *walker) awkPipes(text string) {
	for {
		i := strings.IndexByte(text, '"')
		if i < 0 {
			return
		}
		before := strings.TrimRight(text[:i], " ")
		command, rest, ok := literalString(text[i:])
		if !ok {
			return
		}
		text = rest
		after := strings.TrimLeft(rest, " ")
		if strings.HasSuffix(before, "|") && !strings.HasSuffix(before, "||") || strings.HasPrefix(after, "|") && !strings.HasPrefix(after, "||") {
			w.behind("in code", func() { w.shell(command, Bash, nil) })
		}
	}
}

// literalString reads a quoted string at the beginning of text, in the syntax that most languages share.
func literalString(text string) (value, rest string, ok bool) {
	for len(text) > 1 && (text[0] == 'f' || text[0] == 'r' || text[0] == 'b') && (text[1] == '\'' || text[1] == '"') {
		text = text[1:]
	}
	for _, open := range [...]string{"q(", "qq("} { // Perl's
		if after, found := strings.CutPrefix(text, open); found {
			value, rest, ok = strings.Cut(after, ")")
			return value, rest, ok
		}
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

// pythonRunners run a module or script as python does, under another program's eyes. verbs is the subcommand that does.
var pythonRunners = [...]wrapper{
	{name: "coverage", verbs: "run", values: "--source --include --omit --rcfile --concurrency --data-file --context --source-pkgs --debug"},
	{name: "debugpy", values: "--listen --connect --log-to --configure-subProcess --pid --adapter-access-token"},
	{name: "memray", verbs: "run", values: "-o --output --live-port"},
}

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
