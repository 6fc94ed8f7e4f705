package detect

import (
	"path"
	"slices"
	"strings"
)

// packageManager judges npm, pnpm, yarn and bun: their own subcommands by the table, the rest as scripts of package.json
// or as programs from node_modules/.bin.
func (w *walker) packageManager(name string, args []string) {
	opts := optionsOf(name)
	sorted := opts.sort(args)
	dir, workspaces := w.packageDir(name, args)
	if len(sorted.operands) == 0 {
		if !sorted.ends {
			w.judge(name, nil, sorted)
		}
		return
	}
	if sorted.ends && sorted.at > firstEnd(args, opts) {
		return // pnpm --version install
	}
	if name == "bun" && has("-e --eval -p --print", args[0]) {
		w.code(strings.Join(args[1:], "\n"))
		return
	}
	sub, rest := sorted.operands[0], args[sorted.at+1:]
	w.unclear(name, sorted.operands, sorted)
	switch sub {
	case "run", "run-script", "rum", "urn":
		operands := opts.sort(rest).operands
		if len(operands) > 0 {
			w.managerScript(name, dir, workspaces, operands[0], rest)
		}
	case "exec", "x", "dlx":
		if name == "bun" && sub == "exec" {
			w.shell(strings.Join(rest, " "), Bash, nil)
			return
		}
		w.behind("behind "+name+" "+sub, func() { w.fetched(name+" "+sub, rest) })
	case "node":
		w.node("node", rest)
	case "explore":
		w.tail(rest)
	case "pkg": // npm pkg set scripts.NAME=TEXT
		for _, a := range rest {
			if script, text, ok := strings.Cut(strings.TrimPrefix(a, "scripts."), "="); ok && strings.HasPrefix(a, "scripts.") {
				w.bind(binding{kind: setting, name: packageScriptName(script), text: text})
			}
		}
	case "workspace":
		if name == "yarn" && len(rest) > 1 { // any workspace may be the one: the directories' names are not the packages'
			w.packageManager(name, append([]string{"--workspaces"}, rest[1:]...))
		}
	case "recursive", "multi", "m":
		if name == "pnpm" {
			w.packageManager(name, append([]string{"-r"}, rest...))
		}
	case "workspaces":
		w.yarnWorkspaces(rest)
	case "test", "t", "tst", "start", "stop", "restart":
		if name == "bun" && sub == "test" {
			w.judge(name, sorted.operands, sorted)
			return
		}
		if (name == "npm" || name == "pnpm") && slices.ContainsFunc(sorted.options, func(o string) bool { return has("--help -h", o) }) {
			return // the manager's own help: behind "--" it would be the script's
		}
		if sub == "t" || sub == "tst" {
			sub = "test"
		}
		w.managerScript(name, dir, workspaces, sub, rest)
	case "create", "init", "innit", "c":
		if sub == "init" && name != "bun" && len(sorted.operands) == 1 {
			return // without a generator's name it writes package.json and nothing else
		}
		if !w.createApp(rest) {
			w.judge(name, sorted.operands, sorted)
		}
	default:
		if sorted.ends {
			if r, _ := w.match(name, sorted.operands, sorted.options); r != nil || name == "npm" {
				return // npm install --help
			}
		}
		if w.judge(name, sorted.operands, sorted) || name == "npm" {
			return
		}
		w.shorthand(name, dir, workspaces, args[sorted.at:])
	}
}

func isManager(name string) bool {
	return name == "npm" || name == "pnpm" || name == "yarn" || name == "bun"
}

// firstEnd is the index of the first option that ends a program.
func firstEnd(args []string, opts *programOptions) int {
	for i, a := range args {
		if len(a) > 1 && a[0] == '-' && has(opts.ends, a) {
			return i
		}
	}
	return len(args)
}

// shorthand judges `pnpm NAME`: a script of package.json, else a program of the packages that are installed.
func (w *walker) shorthand(name, dir string, workspaces bool, argv []string) {
	word := argv[0]
	if name == "bun" && strings.ContainsAny(word, "./") {
		w.program(word, argv[1:])
		return
	}
	if program := programName(word); known(program) && !w.hasScript(dir, word) {
		w.behind("behind "+name, func() { w.external(argv) })
		return
	}
	w.managerScript(name, dir, workspaces, word, argv[1:])
}

// managerScript judges a script by its name and, where package.json can be read, by its text.
func (w *walker) managerScript(manager, dir string, workspaces bool, name string, args []string) {
	if len(name) > 2 && name[0] == '/' && name[len(name)-1] == '/' { // pnpm run "/^(lint|test):.*/"
		for alternative := range strings.FieldsFuncSeq(name, func(c rune) bool { return strings.ContainsRune("/^$|().*", c) }) {
			w.managerScript(manager, dir, workspaces, alternative, args)
		}
		return
	}
	w.named("script", manager, name)
	if workspaces {
		w.workspaceScripts(dir, name)
	}
	w.packageScript(dir, name)
	w.tail(args) // npm run with-env -- vitest
}

// named judges a script, recipe or file by its name alone, component by component: "lint:core", "ci:build", "unit-test".
func (w *walker) named(kind, program, name string) {
	if unknown(name) && len(name) == 1 {
		w.note(finding{class: MaybeHeavy, opaque: true, rule: "opaque.script", program: program,
			why: "runs a script whose name is known only when it runs"})
		return
	}
	name = strings.ToLower(name)
	r, sub := w.match(kind, []string{name}, nil)
	if r == nil || r.Class == MaybeHeavy && kind == "script" {
		for part := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == ':' || c == '/' || c == '.' }) {
			if part == name {
				break
			}
			if r2, sub2 := w.match(kind, []string{part}, nil); r2 != nil && (r == nil || r2.Class == Heavy) {
				if r == nil && r2.Class < Heavy && !strings.HasPrefix(name, part) && !servesByName(part) {
					continue // fixtures:check, docs:list: in the second place only what is heavy or serves counts
				}
				r, sub = r2, sub2
			}
		}
	}
	if r == nil {
		r, sub = w.namedByWord(kind, name)
	}
	if r == nil {
		return
	}
	if kind == "file" {
		sub = ""
	}
	w.noteRule(r, program, sub)
}

func servesByName(part string) bool {
	return part == "dev" || part == "start" || part == "watch" || part == "serve"
}

// namedByWord judges what "-" and "_" separate: a tool's name in front ("jest-coverage"), or a heavy word anywhere
// ("new-test"), which is only a hint.
func (w *walker) namedByWord(kind, name string) (*Rule, string) {
	words := strings.FieldsFunc(name, func(c rune) bool { return c == '-' || c == '_' || c == ':' || c == '.' })
	if len(words) < 2 {
		return nil, ""
	}
	if kind == "script" {
		if r, _ := w.match(words[0], []string{"x"}, nil); r != nil && r.Class == Heavy && r.Subcommands == "*" {
			return r, words[0]
		}
	}
	for _, word := range words[1:] {
		switch word {
		case "build", "builds", "test", "tests", "lint", "typecheck", "e2e", "coverage", "check":
			if word == "check" && kind == "file" {
				continue
			}
			return &hint, word
		}
	}
	return nil, ""
}

var hint = Rule{ID: "script.hint", Class: MaybeHeavy, Why: "may build or test, by its name"}

// fetched judges what npx, pnpm dlx and their like run: a package's program, which may have to be fetched first.
func (w *walker) fetched(runner string, args []string) {
	fetches := strings.HasSuffix(runner, "dlx")
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		if args[i] == "--" {
			i++
			break
		}
		opt := option(args[i:], &fetchOptions)
		if opt.ends {
			return
		}
		if opt.text {
			w.shell(opt.value, Bash, nil)
			return
		}
		fetches = fetches || args[i] == "-y" || args[i] == "--yes"
		i += opt.next
	}
	args = args[min(i, len(args)):]
	if len(args) == 0 {
		return
	}
	word := args[0]
	if word == "node" || strings.HasPrefix(word, "node@") {
		w.node("node", args[1:])
		return
	}
	program := packageProgram(word)
	if unknown(program) {
		w.unknownProgram(args)
		return
	}
	if known(program) {
		w.external(append([]string{program}, args[1:]...))
		return
	}
	if strings.HasPrefix(program, "create-") {
		w.createApp([]string{strings.TrimPrefix(program, "create-")})
	}
	switch {
	case given("--version --help -h -V", args[1:]):
	case strings.HasSuffix(word, ".tgz") || strings.HasPrefix(word, "github:") || strings.HasPrefix(word, "git+"):
		w.note(finding{class: MaybeHeavy, rule: "fetch.install", program: strings.Fields(runner)[0], why: "installs the package first"})
	case fetches:
		w.note(finding{class: MaybeHeavy, rule: "fetch.run", program: strings.Fields(runner)[0], why: "fetches a package and runs it"})
	}
}

var fetchOptions = wrapper{
	values: "-p --package --tag --loglevel --omit --include --color --resume-from --prefix -w --workspace --registry --cache --userconfig -C --dir --filter -F --cwd --reporter --node-options",
	shell:  "-c --call --shell-mode",
	ends:   "--version --help -h -v",
}

// createApp judges npm create NAME and npx create-NAME, which install the new project's dependencies.
func (w *walker) createApp(args []string) bool {
	args = dropOptions(args)
	if len(args) == 0 {
		return false
	}
	name := "create-" + packageProgram(args[0])
	if r, sub := w.match(name, []string{"x"}, nil); r != nil {
		w.noteRule(r, name, strings.TrimSuffix(sub, "*"))
		return true
	}
	return false
}

// corepack runs the package manager that follows it.
func (w *walker) corepack(args []string) bool {
	sorted := optionsOf("corepack").sort(args)
	if sorted.ends || len(sorted.operands) == 0 {
		return true
	}
	manager := packageProgram(sorted.operands[0])
	if isManager(manager) || manager == "npx" || manager == "pnpx" {
		w.behind("behind corepack", func() {
			w.external(append([]string{manager}, args[sorted.at+1:]...))
		})
		return true
	}
	return false
}

// yarnWorkspaces reads yarn workspaces foreach [options] run NAME.
func (w *walker) yarnWorkspaces(args []string) {
	args = dropOptions(args)
	if len(args) == 0 {
		return
	}
	if args[0] != "foreach" {
		sorted := noOptions.sort(args)
		w.judge("yarn", append([]string{"workspaces"}, sorted.operands...), sorted)
		if args[0] == "run" {
			w.packageManager("yarn", args)
		}
		return
	}
	sorted := optionsOf("yarn").sort(args[1:])
	if len(sorted.operands) > 0 {
		w.packageManager("yarn", args[1+sorted.at:])
	}
}

// deno reads deno task, deno run and files.
func (w *walker) deno(args []string) bool {
	sorted := optionsOf("deno").sort(args)
	if sorted.ends || len(sorted.operands) == 0 {
		return true
	}
	switch sub := sorted.operands[0]; {
	case sub == "task" && len(sorted.operands) > 1:
		dir, _ := w.packageDir("deno", args)
		w.task("deno", dir, sorted.operands[1])
		return true
	case sub == "eval" && len(sorted.operands) > 1:
		w.code(sorted.operands[1])
		return true
	case strings.HasPrefix(sub, "npm:"):
		w.external(append([]string{packageProgram(sub)}, args[sorted.at+1:]...))
		return true
	case (sub == "run" || sub == "x") && len(sorted.operands) > 1:
		if name := sorted.operands[1]; strings.HasPrefix(name, "npm:") {
			w.external(append([]string{packageProgram(name)}, args[slices.Index(args, name)+1:]...))
			return true
		}
		w.program(sorted.operands[1], sorted.operands[2:])
		return true
	}
	return false
}

// node judges node and programs like it: a script, -e code, --test, --run.
func (w *walker) node(name string, args []string) {
	opts := optionsOf("node")
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		a := args[i]
		if a == "--" {
			i++
			break
		}
		opt, value := nameAndValue(args[i:])
		switch opt {
		case "-e", "--eval", "-p", "--print", "-pe":
			w.code(value)
			return
		case "--run":
			w.managerScript("node", w.dir, false, value, args[i+1:])
			return
		}
		if has(opts.ends, opt) {
			return
		}
		i += arity(opts.values, a)
	}
	if i < len(args) && unknown(path.Base(args[i])) {
		if maybeNothing(args[i]) && i+1 < len(args) {
			w.node(name, args[i+1:])
		}
		return
	}
	sorted := arguments{options: args[:min(i, len(args))]}
	if r, _ := w.match("node", []string{"x"}, sorted.options); r != nil {
		w.noteRule(r, "node", strings.TrimLeft(firstWord(r.Options), "-"))
		if r.Class == Heavy {
			return
		}
	}
	if i >= len(args) {
		w.codeStdin()
		return
	}
	if name == "tsx" && args[i] == "watch" {
		w.judge("tsx", args[i:i+1], arguments{})
		i++
	}
	if i < len(args) {
		if args[i] == "-" || descriptor(args[i]) == "0" {
			w.codeStdin()
			return
		}
		w.program(args[i], args[i+1:])
	}
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// program judges a file that is run by its path: a tool's entry point ("node_modules/vite/bin/vite.js"), a wrapper around
// a command ("with-limit.mjs -- npm test"), a script whose text can be read, or at least has a name.
func (w *walker) program(file string, args []string) {
	base := path.Base(file)
	if unknown(base) {
		w.opaque("opaque.program", "which program this runs is known only when it runs")
		return
	}
	stem := scriptStem(base)
	if tool := toolOf(file, stem); tool != "" {
		w.external(append([]string{tool}, args...))
		return
	}
	if tool := programName(stem); isManager(tool) || tool == "npx" { // node …/npm-cli.js, .yarn/releases/yarn-4.1.0.cjs
		w.external(append([]string{tool}, args...))
	}
	w.tail(args)
	if shellScript(base) {
		w.script(file, args, Bash)
		return
	}
	if r, _ := w.match("file", []string{stem}, nil); r != nil {
		w.noteRule(r, "", "")
	} else if stem == base {
		w.named("file", "", stem)
	}
	if text, ok := w.written(file); ok {
		w.fileText(file, text, args)
	} else {
		w.executable(file, args)
	}
	if strings.Contains(file, "scripts/") && (slices.Contains(args, "build") || slices.Contains(args, "test")) {
		w.note(finding{class: MaybeHeavy, rule: "file.told", why: "the script is told to build or test"})
	}
	w.tellWords(args)
}

// toolOf is the tool whose entry point a file is, by its place or its name: node_modules/vite/bin/vite.js, vitest.mjs,
// run-oxlint.mjs.
func toolOf(file, stem string) string {
	tool := programName(stem)
	if strings.Contains(file, "node_modules/") || strings.Contains(file, "vendor/bin/") {
		if !known(tool) {
			tool = moduleProgram(file)
		}
		if known(tool) && special(tool) == nil {
			return tool
		}
	}
	first, rest, _ := strings.Cut(stem, "-")
	if first == "run" {
		first, _, _ = strings.Cut(rest, "-")
	}
	first, _, _ = strings.Cut(first, ".") // esbuild.config.mjs
	for _, name := range [...]string{tool, first} {
		for _, r := range rulesFor(name) {
			if r.Class == Heavy && r.Subcommands == "*" && r.Options == "" && special(name) == nil {
				return name
			}
		}
	}
	return ""
}

func shellScript(base string) bool {
	switch path.Ext(base) {
	case ".sh", ".bash", ".zsh", ".ksh":
		return true
	}
	return false
}

// scriptStem is a script's name without the endings that languages give it.
func scriptStem(base string) string {
	for {
		switch ext := path.Ext(base); ext {
		case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".sh", ".bash", ".zsh", ".py", ".rb", ".pl", ".php":
			if base == ext {
				return base
			}
			base = strings.TrimSuffix(base, ext)
		default:
			return base
		}
	}
}

// moduleProgram is the package that a file in node_modules belongs to.
func moduleProgram(file string) string {
	_, after, _ := strings.Cut(file, "node_modules/")
	name, rest, _ := strings.Cut(after, "/")
	if strings.HasPrefix(name, "@") {
		scoped, _, _ := strings.Cut(rest, "/")
		name += "/" + scoped
	}
	return packageProgram(name)
}
