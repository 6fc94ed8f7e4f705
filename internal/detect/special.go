package detect

import (
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
	case "docker", "podman", "nerdctl", "compose", "buildah":
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
	case "expect", "tclsh", "wish":
		return func(w *walker, name string, argv []string) bool {
			w.behind("in "+name, func() { w.tclArgs(argv[1:]) })
			return true
		}
	case "perl", "ruby", "php", "lua", "julia", "rscript", "awk", "gawk", "mawk", "nawk", "emacs", "emacsclient", "octave", "gnuplot", "guile", "sbcl", "racket",
		"erl", "luajit", "raku", "groovy":
		return func(w *walker, name string, argv []string) bool {
			return w.interpreter(name, argv[1:])
		}
	case "elixir", "R": // they have subcommands too
		return func(w *walker, _ string, argv []string) bool {
			for i, a := range argv[:len(argv)-1] {
				if a == "-e" || a == "--eval" {
					w.code(argv[i+1])
				}
			}
			return false
		}
	case "make":
		return func(w *walker, _ string, argv []string) bool {
			return w.makefile(argv[1:])
		}
	case "cmake": // a wrapper only behind -E
		return func(w *walker, _ string, argv []string) bool {
			at := slices.Index(argv, "-E")
			for i := range cmakeTools {
				if wr := &cmakeTools[i]; at >= 0 && wr.runs(argv[at+1:]) {
					w.wrapped(wr, argv[at:])
				}
			}
			return false
		}
	case "just", "task", "mask":
		return func(w *walker, name string, argv []string) bool {
			return w.recipes(name, argv[1:])
		}
	case "heroku":
		return func(w *walker, _ string, argv []string) bool {
			w.heroku(argv[1:])
			return true
		}
	case "mise", "rtx":
		return func(w *walker, _ string, argv []string) bool {
			return !findWrapper("mise").runs(argv[1:]) && w.mise(argv[1:])
		}
	case "uv":
		return func(w *walker, _ string, argv []string) bool {
			return w.uv(argv[1:])
		}
	case "coverage", "memray", "debugpy", "kernprof", "pyinstrument", "viztracer":
		return func(w *walker, name string, argv []string) bool {
			wr, args := findPythonRunner(name), argv[1:]
			if wr.verbs != "" {
				if len(args) == 0 || args[0] != wr.verbs {
					return false
				}
				args = args[1:]
			}
			w.pythonRunner(wr, args)
			return false
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
	case "tar", "bsdtar":
		return func(w *walker, _ string, argv []string) bool {
			if given("-x --extract --get", argv) || len(argv) > 1 && strings.HasPrefix(argv[1], "x") {
				w.tellWords(argv[1:])
			}
			return false
		}
	case "curl", "wget", "dd", "unzip", "7z", "gunzip", "unxz", "unzstd", "bunzip2", "aws", "gsutil", "gh", "openssl", "gpg",
		"sponge": // they are told what they write
		return func(w *walker, _ string, argv []string) bool {
			w.tellWords(argv[1:])
			return false
		}
	case "ssh", "scp", "sftp", "autossh", "rsync", "mosh", "sshpass":
		return func(w *walker, name string, argv []string) bool {
			w.remote(name, argv[1:])
			return false
		}
	case "dc", "ftp", "lftp", "gdb", "lldb", "mysql", "mariadb", "psql", "sqlite3", "ipython", "less", "more":
		return func(w *walker, name string, argv []string) bool {
			w.escapes(name, argv[1:])
			return false
		}
	case "patch":
		return func(w *walker, _ string, argv []string) bool {
			w.patch(argv[1:])
			return true
		}
	case "sed", "gsed":
		return func(w *walker, _ string, argv []string) bool {
			w.sed(argv[1:])
			return true
		}
	case "ed", "ex", "vi", "view", "vim", "nvim", "gvim":
		return func(w *walker, name string, argv []string) bool {
			w.editor(name, argv[1:])
			return true
		}
	case "entr":
		return func(w *walker, _ string, argv []string) bool {
			w.entr(argv[1:])
			return true
		}
	}
	return nil
}

var cmakeTools = [...]wrapper{
	{name: "cmake -E", form: assignForm, verbs: "env time"},
	{name: "cmake -E chdir", verbs: "chdir", skip: 1},
}

// golang reads go's subcommands that run other programs.
func (w *walker) golang(args []string) bool {
	sorted := optionsOf("go").sort(args)
	if len(sorted.operands) > 1 && sorted.operands[0] == "tool" && knownProgram(sorted.operands[1]) {
		w.external(args[slices.Index(args, sorted.operands[1]):])
		return true
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
		w.external(dropOptions(args[sorted.at+1:]))
		return true
	case "run", "run-script":
		if len(sorted.operands) > 1 {
			w.task("composer", w.dir, sorted.operands[1])
		}
		return true
	default:
		if r, _ := w.match("composer", sorted.operands, sorted.options); r == nil {
			w.task("composer", w.dir, sub)
			return true
		}
	}
	return false
}

// nix reads the command of nix develop -c and nix shell -c.
func (w *walker) nix(args []string) bool {
	told := len(args) == 0 || !has("develop shell", args[0])
	for i, a := range args {
		if (a == "-c" || a == "--command") && i > 0 {
			w.behind("behind nix", func() { w.external(args[i+1:]) })
			told = true
			break
		}
	}
	if !told {
		w.behind("behind nix", func() { w.shellStdin(Bash, nil) })
	}
	return false
}

// mise reads mise run, and mise NAME, which runs a task where mise has no subcommand of that name.
func (w *walker) mise(args []string) bool {
	sorted := miseOptions.sort(args)
	if sorted.ends || len(sorted.operands) == 0 {
		return sorted.ends
	}
	operands := sorted.operands
	if len(operands) > 1 && has("tasks task t", operands[0]) {
		operands = operands[1:]
	}
	switch {
	case has("run r watch w", operands[0]):
		operands = operands[1:]
	case has(miseSubcommands, operands[0]):
		return false
	}
	for i, name := range operands {
		if name != ":::" && (i == 0 || operands[i-1] == ":::") {
			w.task("mise", w.dir, name)
		}
	}
	return true
}

var miseOptions = programOptions{
	values: "-C --cd -E --env -j --jobs -t --tool -o --output -w --watch -f --filter -e --exts --timeout", ends: "--version -V --help -h",
}

const miseSubcommands = "activate alias backends bin-paths cache completion config cfg current deactivate doctor dr edit en env e exec x fmt generate gen implode " +
	"install i install-into latest link ln lock ls list ls-remote mcp outdated plugins p plugin prepare prune registry reshim search self-update set " +
	"settings shell sh sync tasks task t tool tool-stub trust uninstall unset unuse untrust upgrade up use u version v where which"

// heroku reads heroku local:run, and heroku local, which starts what the Procfile says. All else runs elsewhere.
func (w *walker) heroku(args []string) {
	switch {
	case len(args) == 0:
	case args[0] == "local:run":
		w.wrapped(&herokuLocalRun, args)
	case args[0] == "local" || args[0] == "local:start":
		w.external(append([]string{"heroku-local"}, args[1:]...))
	}
}

var herokuLocalRun = wrapper{name: "heroku local:run", values: "-e --env -p --port", ends: "--help -h"}

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
