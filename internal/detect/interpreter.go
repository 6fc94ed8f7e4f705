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
		case maybeNothing(a) && i+1 < len(args):
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
	if unknown(name) {
		w.opaque("opaque.program", "which module this runs is known only when it runs")
		return
	}
	if wr := findPythonRunner(module); wr != nil && wr.verbs == "" {
		w.pythonRunner(wr, args)
		return
	}
	switch module {
	case "torch.distributed.run", "torch.distributed.launch":
		name = "torchrun"
	case "coverage", "memray", "uv", "pipx":
		w.external(append([]string{module}, args...))
		return
	case "unittest", "build":
		w.judge("python", []string{module}, arguments{})
		return
	case "accelerate.commands.launch":
		name = "accelerate"
	case "pre_commit", "pytest_watch":
		name = strings.ReplaceAll(module, "_", "-")
	case "django":
		w.rules("manage.py", append([]string{"manage.py"}, args...))
		return
	case "timeit":
		w.code(strings.Join(args, "\n"))
		return
	case "playwright", "http.server", "venv", "json.tool", "compileall":
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
	w.tellWords(args)
}

// interpreter judges the interpreters of languages that are not a shell's, perl, awk and their like: code on the command line and
// scripts that are tools. It reports whether the table has nothing to add.
func (w *walker) interpreter(name string, args []string) bool {
	if name == "awk" || name == "gawk" || name == "mawk" || name == "nawk" {
		text := strings.Join(args, "\n")
		w.code(text)
		w.awkPipes(text)
		if strings.Contains(text, "system($") {
			w.runsInput("", true)
		}
		return true
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			if i+1 < len(args) {
				w.interpreterScript(name, args[i+1:])
			}
			return name != "rscript"
		case a == "-":
			w.codeStdin()
			return true
		case lastLetter(a, 'e') || lastLetter(a, 'E') || (name == "php" && a == "-r" || name == "guile" && a == "-c"):
			if i+1 < len(args) {
				w.code(args[i+1])
				if name != "julia" && name != "lua" {
					w.backquoted(args[i+1])
				}
				w.tellWords(args[i+2:]) // perl -pi -e … FILE
			}
			return true
		case len(a) > 2 && a[:2] == "-e" && (name == "perl" || name == "ruby"): // -e'…'
			w.code(a[2:])
			w.backquoted(a[2:])
			return true
		case a == "--eval" || a == "-eval" || a == "--run":
			if i+1 < len(args) {
				w.code(args[i+1])
			}
			return true
		case name == "ruby" && a == "-S" && i+1 < len(args):
			w.external(args[i+1:])
			return true
		case len(a) > 1 && a[0] == '-':
			if name == "php" && has("-d -c -t -S -z", a) || name == "ruby" && has("-I -r", a) || name == "perl" && has("-I -M", a) {
				i++
			}
		default:
			w.interpreterScript(name, args[i:])
			return name != "rscript"
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
	w.tellWords(argv[1:])
}

// The calls by which programs in other languages start commands.
var startCalls = [...]string{
	"execSync(", "spawnSync(", "execFileSync(", "execFile(", "spawn(", "exec(", "system(", "popen(", "Popen(", "run(", "call(",
	"check_call(", "check_output(", "getoutput(", "create_subprocess_shell(", "create_subprocess_exec(", "execv(", "execvp(", "execl(", "execlp(",
	"Deno.Command(", "os.execute(", "cmd(", "shell-command ", "call-process ", "run-program ", "shell ", "proc_open(",
	"spawnlp(", "spawnl(", "spawnvp(", "spawnv(", "open(", "open ", "$`", "shell_exec(", "passthru(", "capture2(", "capture3(", "%x(", "qx(", "exec ", "system ", "spawn ",
	"capture2e(", "pipeline(", "qx{", "qx[", "%x{", "%x[", "run_module(", "open3(",
}

// code looks into a program in another language for commands that it starts, where they are literal: "npm ci" in
// execSync('npm ci'), ['npm', 'ci'] in subprocess.run(['npm', 'ci']). What stands in strings and comments is data. Strings
// end with their line at the latest, so that an apostrophe that is none hides no more than its line.
func (w *walker) code(text string) {
	w.startedIn(text)
	w.tell(text, true)
	w.literals(text)
}

// processNames are how code in other languages gets at processes, under whatever name it then starts them.
var processNames = [...]string{"subprocess", "os.system", "os.popen", "child_process", "IO.popen", "Open3", "open3"}

// literals notes code that gets at processes and holds a heavy command as a string of several words, or as a list of strings:
// a variable, a loop or a function of its own may stand between it and the call.
func (w *walker) literals(text string) {
	mentions := func(name string) bool { return strings.Contains(text, name) }
	if w.best.class >= MaybeHeavy || !slices.ContainsFunc(processNames[:], mentions) || len(text) > maxText || !w.step(len(text)/16) {
		return
	}
	saved, surroundings := w.best, w.surroundings
	w.best, w.limited, w.elsewhere = finding{}, false, false
	var list []string
	end := func() {
		if len(list) > 1 {
			w.apart(func() { w.external(list) })
		}
		list = nil
	}
	for i := 0; i < len(text) && !w.done(); i++ {
		value, rest, ok := literalString(text[i:])
		switch c := text[i]; {
		case c == '#' || c == '/' && strings.HasPrefix(text[i:], "//"):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case strings.IndexByte("'\"`", c) >= 0 && ok:
			list = append(list, value)
			if strings.Contains(value, " ") && !printed(text[:i]) {
				w.apart(func() { w.shell(value, Bash, nil) })
			}
			i = len(text) - len(rest) - 1
		case strings.IndexByte(", \t\n", c) < 0:
			end()
		}
	}
	end()
	heavy := w.best.class == Heavy
	w.best, w.surroundings = saved, surroundings
	if heavy {
		w.note(finding{class: MaybeHeavy, rule: "code.literal", why: "the code can start processes and holds a heavy command"})
	}
}

// printed reports whether the string that begins behind text is only shown.
func printed(text string) bool {
	text = strings.TrimRight(text, "frb")
	return strings.HasSuffix(text, "print(") || strings.HasSuffix(text, "log(") || strings.HasSuffix(text, "error(") || strings.HasSuffix(text, "puts ")
}

func (w *walker) startedIn(text string) {
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
		switch {
		case call[len(call)-2] == 'x' && call[0] != 'e': // qx(…), %x{…}
			command, _, _ := strings.Cut(after, closer(call[len(call)-1]))
			w.shell(command, Bash, nil)
		case call == "open3(": // Perl's; handles stand in front of the command
			w.startedBy(after[max(strings.IndexAny(after, "'\""), 0):], text)
		case call == "run_module(": // runpy's
			if module, _, ok := literalString(after); ok {
				w.pythonModule(module, nil)
			}
		case call == "$`": // zx, Bun.$
			command, _, _ := strings.Cut(after, "`")
			w.shell(command, Bash, nil)
		case strings.HasPrefix(call, "open"):
			w.opensPipe(after)
		default:
			w.startedBy(after, text)
		}
		return true
	}
	return false
}

// closer is the bracket that ends what another one began.
func closer(open byte) string {
	switch open {
	case '(':
		return ")"
	case '[':
		return "]"
	}
	return "}"
}

// opensPipe judges Perl's open(P, "|make") and open(P, "-|", "make", "all"). Whatever else is opened is a file.
func (w *walker) opensPipe(text string) {
	_, text, _ = strings.Cut(text, ",")
	text = strings.TrimLeft(text, " ")
	mode, rest, ok := literalString(text)
	switch command := strings.Trim(mode, "| "); {
	case !ok || command == mode:
	case command == "-":
		w.startedBy(strings.TrimLeft(rest, " ,"), "")
	default:
		w.behind("in code", func() { w.shell(command, Bash, nil) })
	}
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
	for _, open := range [...]string{"qw(", "%w[", "%w("} { // Perl's, Ruby's
		if words, ok := strings.CutPrefix(text, open); ok {
			words, _, _ = strings.Cut(words, closer(open[2]))
			w.behind("in code", func() { w.external(strings.Fields(words)) })
			return
		}
	}
	for _, prefix := range [...]string{"args=", "cmd=", "shlex.split(", "os.P_WAIT,", "os.P_NOWAIT,"} {
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

// tclArgs judges what tclsh and expect are given: expect -c SCRIPT, a file, their standard input.
func (w *walker) tclArgs(args []string) {
	given := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case lastLetter(a, 'c') && i+1 < len(args):
			i++
			w.tcl(args[i])
			given = true
		case len(a) > 1 && a[0] == '-':
		default:
			if text, ok := w.scriptText(a); ok {
				w.behind(fromScript(a), func() { w.tcl(text) })
			}
			w.tellWords(args[i+1:])
			return
		}
	}
	if text, ok := w.stdinText(); ok && !given {
		w.tcl(text)
	}
}

// tcl judges the commands that a Tcl program starts: spawn, exec and system where a command of Tcl's begins.
func (w *walker) tcl(text string) {
	if !w.step(len(text) / 16) {
		return
	}
	quoted, begins, first := false, true, "" // first is the current command's first letters
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{' && has("set puts send send_user lappend", first): // {text} that is data
			i += max(closing(text[i:]), 0)
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == '[':
			begins = true
		case begins && c != ' ' && c != '\t' && c != '\n':
			begins = c == ';' || c == '{'
			first = firstWord(text[i:min(i+16, len(text))])
			for _, start := range [...]string{"spawn ", "exec ", "system "} {
				if after, ok := strings.CutPrefix(text[i:], start); ok {
					w.shell(tclWords(after), Bash, nil)
				}
			}
		case !quoted && strings.IndexByte("\n;{}", c) >= 0:
			begins = true
		}
	}
	w.tell(text, true)
}

// tclWords returns the rest of a Tcl command as a shell would write it, without its options in front.
func tclWords(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n' || c == ';' || c == ']' || c == '}':
			text = text[:i]
			continue
		case c == '{':
			if end := closing(text[i:]); end > 0 {
				b.WriteString("'" + strings.ReplaceAll(text[i+1:i+end], "'", `'\''`) + "'")
				i += end
				continue
			}
		}
		b.WriteByte(c)
	}
	words := b.String()
	for strings.HasPrefix(words, "-") {
		_, words, _ = strings.Cut(words, " ")
	}
	return words
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
	values: "--with --with-editable --with-requirements --extra --no-extra --group --no-group --only-group --env-file --package --python -p --directory --project --config-file --index --default-index --index-url --extra-index-url --cache-dir --script-x --color -w --refresh-package --find-links -f --upgrade-package -P -C --config-setting --link-mode --prerelease --resolution --exclude-newer --python-platform",
	ends:   "--help -h --version -V",
}

// pythonRunners run a module or script as python does, under another program's eyes. verbs is the subcommand that does.
var pythonRunners = [...]wrapper{
	{name: "cProfile", values: "-o --outfile -s --sort"},
	{name: "coverage", verbs: "run", values: "--source --include --omit --rcfile --concurrency --data-file --context --source-pkgs --debug"},
	{name: "debugpy", values: "--listen --connect --log-to --configure-subProcess --pid --adapter-access-token"},
	{name: "kernprof", values: "-o --outfile -s --setup -p --prof-mod -u --unit -i --output-interval"},
	{name: "memray", verbs: "run", values: "-o --output --live-port"},
	{name: "pdb", values: "-c --command"},
	{name: "profile", values: "-o --outfile -s --sort"},
	{name: "pyinstrument", values: "-o --outfile -r --renderer -i --interval --load-prev --load --from-path -H --hide --hide-regex --show --show-regex -p --render-option"},
	{name: "trace", values: "-f --file -C --coverdir --ignore-module --ignore-dir"},
	{name: "viztracer", values: "-o --output_file --output_dir --tracer_entries --max_stack_depth --include_files --exclude_files --min_duration --plugins"},
}

func findPythonRunner(name string) *wrapper {
	for i := range pythonRunners {
		if pythonRunners[i].name == name {
			return &pythonRunners[i]
		}
	}
	return nil
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
			opt := option(args[i:], wr)
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
		args = dropOptions(args)
		if len(args) == 0 || args[0] != "run" {
			return false
		}
		args = args[1:]
	}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		opt := option(args, &uvxOptions)
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
