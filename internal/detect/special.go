package detect

import (
	"path"
	"slices"
	"strings"
)

// A judge judges a program by its arguments, argv[0] included. It reports whether it has said all there is to say; if not,
// the tables are asked as well.
type judge func(w *walker, name string, argv []string) bool

// special returns the judge of a program that takes more than a line in a table to understand, nil for all others.
func special(name string) judge {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "ash", "rbash", "yash", "fish", "csh", "tcsh", "xonsh", "osh", "nu", "elvish":
		return func(w *walker, name string, argv []string) bool {
			w.behind("in "+name, func() { w.shellCommand(name, argv[1:]) })
			return true
		}
	case "pwsh", "powershell", "cmd":
		return func(w *walker, _ string, argv []string) bool {
			w.windowsShell(argv[1:])
			return true
		}
	case "env":
		return func(w *walker, _ string, argv []string) bool {
			w.env(argv)
			return true
		}
	case "su", "runuser":
		return func(w *walker, name string, argv []string) bool {
			w.switchUser(name, argv[1:])
			return true
		}
	case "systemd-run":
		return func(w *walker, _ string, argv []string) bool {
			w.systemdRun(argv)
			return true
		}
	case "docker", "podman", "nerdctl", "compose":
		return func(w *walker, name string, argv []string) bool {
			return w.container(name, argv[1:])
		}
	case "find", "gfind", "bfs":
		return func(w *walker, _ string, argv []string) bool {
			w.find(argv[1:])
			return true
		}
	case "fd", "fdfind":
		return func(w *walker, _ string, argv []string) bool {
			w.fd(argv[1:])
			return true
		}
	case "xargs", "gxargs":
		return func(w *walker, _ string, argv []string) bool {
			w.xargs(argv[1:])
			return true
		}
	case "parallel":
		return func(w *walker, _ string, argv []string) bool {
			w.parallel(argv[1:])
			return true
		}
	case "rg":
		return func(w *walker, _ string, argv []string) bool {
			w.ripgrep(argv[1:])
			return true
		}
	case "grep", "egrep", "fgrep", "zgrep", "ugrep":
		return func(w *walker, name string, argv []string) bool {
			return w.grep(name, argv[1:])
		}
	case "git", "hub":
		return func(w *walker, _ string, argv []string) bool {
			w.git(argv[1:])
			return true
		}
	case "npm", "pnpm", "yarn", "bun":
		return func(w *walker, name string, argv []string) bool {
			w.packageManager(name, argv[1:])
			return true
		}
	case "npx", "pnpx", "bunx", "pnx", "nlx":
		return func(w *walker, name string, argv []string) bool {
			w.behind("behind "+name, func() { w.fetched(name, argv[1:]) })
			return true
		}
	case "corepack":
		return func(w *walker, _ string, argv []string) bool {
			return w.corepack(argv[1:])
		}
	case "nr", "na", "rushx":
		return func(w *walker, name string, argv []string) bool {
			if name == "rushx" {
				name = "rush"
			}
			if args := dropOptions(argv[1:]); len(args) > 0 {
				w.managerScript(name, w.dir, false, args[0], nil)
			}
			return true
		}
	case "node", "tsx", "ts-node", "esno", "jiti", "vite-node":
		return func(w *walker, name string, argv []string) bool {
			w.node(name, argv[1:])
			return true
		}
	case "deno":
		return func(w *walker, _ string, argv []string) bool {
			return w.deno(argv[1:])
		}
	case "python":
		return func(w *walker, _ string, argv []string) bool {
			w.python(argv)
			return true
		}
	case "perl", "ruby", "php", "lua", "julia", "Rscript", "awk", "gawk", "mawk", "nawk", "expect", "tclsh":
		return func(w *walker, name string, argv []string) bool {
			return w.interpreter(name, argv[1:])
		}
	case "make":
		return func(w *walker, _ string, argv []string) bool {
			w.makefile(argv[1:])
			return false
		}
	case "just", "task", "mask":
		return func(w *walker, name string, argv []string) bool {
			return w.recipes(name, argv[1:])
		}
	case "mise", "rtx":
		return func(w *walker, _ string, argv []string) bool {
			return w.mise(argv[1:])
		}
	case "uv":
		return func(w *walker, _ string, argv []string) bool {
			return w.uv(argv[1:])
		}
	case "coverage", "memray", "debugpy":
		return func(w *walker, name string, argv []string) bool {
			wr, args := &pythonRunners[0], argv[1:]
			for i := range pythonRunners {
				if pythonRunners[i].name == name {
					wr = &pythonRunners[i]
				}
			}
			if wr.verbs != "" {
				if len(args) == 0 || args[0] != wr.verbs {
					return false
				}
				args = args[1:]
			}
			w.pythonRunner(wr, args)
			return true
		}
	case "socat":
		return func(w *walker, _ string, argv []string) bool {
			for _, a := range argv[1:] {
				kind, text, _ := strings.Cut(a, ":")
				if kind = strings.ToUpper(kind); kind == "EXEC" || kind == "SYSTEM" {
					text, _, _ = strings.Cut(text, ",")
					w.behind("behind socat", func() { w.shell(text, Bash, nil) })
				}
			}
			return true
		}
	case "start-stop-daemon":
		return func(w *walker, _ string, argv []string) bool {
			for i, a := range argv[:len(argv)-1] {
				if has("-x --exec -a --startas", a) {
					rest := argv[min(slices.Index(argv, "--")+1, len(argv)):]
					if !slices.Contains(argv, "--") {
						rest = nil
					}
					w.behind("behind start-stop-daemon", func() { w.external(append([]string{argv[i+1]}, rest...)) })
				}
			}
			return true
		}
	case "newgrp":
		return func(w *walker, _ string, _ []string) bool {
			w.shellStdin(Bash, nil)
			return true
		}
	case "uvx", "pipx":
		return func(w *walker, name string, argv []string) bool {
			return w.toolRunner(name, argv[1:])
		}
	case "turbo", "nx", "lerna", "rush", "moon":
		return func(w *walker, name string, argv []string) bool {
			return w.taskRunner(name, argv[1:])
		}
	case "go":
		return func(w *walker, _ string, argv []string) bool {
			return w.golang(argv[1:])
		}
	case "cargo":
		return func(w *walker, _ string, argv []string) bool {
			return w.cargo(argv[1:])
		}
	case "composer":
		return func(w *walker, _ string, argv []string) bool {
			return w.composer(argv[1:])
		}
	case "nix":
		return func(w *walker, _ string, argv []string) bool {
			return w.nix(argv[1:])
		}
	case "nodemon", "cargo-watch", "chokidar", "onchange", "reflex", "gow":
		return func(w *walker, name string, argv []string) bool {
			w.watcher(name, argv[1:])
			return false
		}
	case "at":
		return func(w *walker, _ string, _ []string) bool {
			w.queued()
			return true
		}
	case "crontab":
		return func(w *walker, _ string, argv []string) bool {
			args := argv[1:]
			if len(args) > 0 && args[len(args)-1] == "-" {
				w.queued()
			}
			return true
		}
	case "tee":
		return func(w *walker, _ string, argv []string) bool {
			args := argv[1:]
			text, ok := w.stdinText()
			if !ok {
				text = string(unknownWords)
			}
			for _, file := range dropOptions(args) {
				w.writeFile(file, text, slices.Contains(args, "-a") || slices.Contains(args, "--append"))
			}
			return true
		}
	case "cp", "mv", "install", "ln":
		return func(w *walker, _ string, argv []string) bool {
			if args := argv[1:]; len(args) >= 2 && !strings.HasPrefix(args[len(args)-2], "-") {
				w.link(args[len(args)-2], args[len(args)-1])
			}
			return true
		}
	case "curl", "wget", "dd", "sed", "patch":
		return func(w *walker, name string, argv []string) bool {
			w.writesFiles(name, argv[1:])
			return name != "sed"
		}
	case "entr":
		return func(w *walker, _ string, argv []string) bool {
			w.entr(argv[1:])
			return true
		}
	case "gdb":
		return func(w *walker, _ string, argv []string) bool {
			args := argv[1:]
			if i := slices.Index(args, "--args"); i >= 0 {
				w.external(args[i+1:])
			}
			return true
		}
	}
	return nil
}

// golang reads go's subcommands that run other programs.
func (w *walker) golang(args []string) bool {
	sorted := optionsOf("go").sort(args)
	if len(sorted.operands) > 1 && sorted.operands[0] == "tool" && knownProgram(sorted.operands[1]) {
		w.external(args[slices.Index(args, sorted.operands[1]):])
		return true
	}
	if len(sorted.operands) > 1 && sorted.operands[0] == "run" { // go run tool@version arguments
		if tool, _, ok := strings.Cut(sorted.operands[1], "@"); ok && path.Base(tool) != "." {
			return false
		}
	}
	return false
}

// cargo drops the toolchain, which is no subcommand, and reads cargo watch.
func (w *walker) cargo(args []string) bool {
	if len(args) > 0 && strings.HasPrefix(args[0], "+") {
		w.external(append([]string{"cargo"}, args[1:]...))
		return true
	}
	sorted := optionsOf("cargo").sort(args)
	if len(sorted.operands) > 0 && sorted.operands[0] == "watch" {
		w.watcher("cargo watch", args)
	}
	return false
}

// composer reads scripts and composer exec.
func (w *walker) composer(args []string) bool {
	sorted := optionsOf("composer").sort(args)
	if len(sorted.operands) == 0 || sorted.ends {
		return false
	}
	switch sub := sorted.operands[0]; sub {
	case "exec":
		w.external(dropDashes(args[sorted.at+1:]))
		return true
	case "run", "run-script":
		if len(sorted.operands) > 1 {
			w.named("script", "composer", sorted.operands[1])
		}
		return true
	default:
		if r, _ := w.match("composer", sorted.operands, sorted.options); r == nil {
			w.named("script", "composer", sub)
			return true
		}
	}
	return false
}

func dropDashes(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	return args
}

// nix reads the command of nix develop -c and nix shell -c.
func (w *walker) nix(args []string) bool {
	for i, a := range args {
		if (a == "-c" || a == "--command") && i > 0 {
			w.behind("behind nix", func() { w.external(args[i+1:]) })
			break
		}
	}
	return false
}

// mise reads mise run.
func (w *walker) mise(args []string) bool {
	args = dropDashes(args)
	if len(args) > 1 && (args[0] == "run" || args[0] == "r") {
		if rest := dropDashes(args[1:]); len(rest) > 0 {
			w.named("script", "mise", rest[0])
		}
		return true
	}
	return false
}

// taskRunner reads turbo, nx and their like. A task that the table does not name is judged as a package.json script.
func (w *walker) taskRunner(name string, args []string) bool {
	sorted := optionsOf(name).sort(args)
	if sorted.ends {
		return true
	}
	if r, _ := w.match(name, sorted.operands, sorted.options); r != nil {
		return false
	}
	for _, task := range sorted.operands {
		w.named("script", name, task)
	}
	return true
}

// outputOptions are the options behind which programs are given the name of a file that they write.
var outputOptions = [...]struct{ program, options string }{
	{"curl", "-o --output"},
	{"patch", "-o --output"},
	{"wget", "-O --output-document"},
}

// writesFiles follows programs that write files without a redirection. What they write is not known.
func (w *walker) writesFiles(name string, args []string) {
	named := false
	for _, o := range outputOptions {
		for i, a := range args {
			opt, value, attached := strings.Cut(a, "=")
			if !attached && i+1 < len(args) {
				value = args[i+1]
			}
			if o.program == name && (has(o.options, opt) || len(a) > 2 && a[1] != '-' && has(o.options, "-"+a[len(a)-1:])) {
				w.writeFile(value, string(unknownWords), false)
				named = true
			}
		}
	}
	switch name {
	case "dd":
		for _, a := range args {
			if file, ok := strings.CutPrefix(a, "of="); ok {
				w.writeFile(file, string(unknownWords), false)
			}
		}
	case "curl", "wget": // the URL's last part
		if named || name == "curl" && !given("-O --remote-name", args) {
			return
		}
		for _, a := range args {
			if strings.Contains(a, "/") && a[0] != '-' {
				w.writeFile(path.Base(a), string(unknownWords), false)
			}
		}
	case "sed":
		if given("-i --in-place", args) || slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-i") }) {
			for _, a := range args {
				if shellScript(a) {
					w.overwritten(a)
				}
			}
		}
	}
}
