package detect

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The budgets of looking at files. A script beyond them is as good as unknown.
const (
	maxFiles    = 48        // files opened in one Classify
	maxFileSize = 256 << 10 // bytes of one file
	maxParents  = 16        // directories above, for package.json
)

// stat returns what is known about a file, nil if nothing.
func (w *walker) stat(name string) fs.FileInfo {
	if w.in.FS == nil || !path.IsAbs(name) {
		return nil
	}
	if w.files >= 4*maxFiles {
		w.tooManyFiles()
		return nil
	}
	w.files++
	rooted := strings.TrimPrefix(path.Clean(name), "/")
	if rooted == "" {
		rooted = "."
	}
	if !fs.ValidPath(rooted) {
		return nil
	}
	info, err := fs.Stat(w.in.FS, rooted)
	if err != nil {
		return nil
	}
	return info
}

// readText reads a small regular file. Nothing else is opened: opening a FIFO would hang, a device may do anything.
func (w *walker) readText(name string) (string, bool) {
	info := w.stat(name)
	if info == nil || !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return "", false
	}
	if w.opened >= maxFiles {
		w.tooManyFiles()
		return "", false
	}
	w.opened++
	f, err := w.in.FS.Open(strings.TrimPrefix(path.Clean(name), "/"))
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize))
	if err != nil || !w.step(len(data)/64) {
		return "", false
	}
	return string(data), true
}

func (w *walker) tooManyFiles() {
	w.opaque("budget.files", "needs more files than are looked at")
}

func (w *walker) isExecutable(name string) bool {
	info := w.stat(name)
	return info != nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// follow runs f unless the text or name that key stands for is being followed already, or too much is.
func (w *walker) follow(key string, f func()) {
	if slices.Contains(w.reading, key) || len(w.reading) > 24 || !w.enter() {
		return
	}
	w.reading = append(w.reading, key)
	f()
	w.reading = w.reading[:len(w.reading)-1]
	w.leave()
}

// script judges a shell script that a shell is told to run.
func (w *walker) script(name string, params []string, dialect Dialect) {
	if text, ok := w.scriptText(name); ok {
		w.follow(text, func() {
			w.behind(fromScript(name), func() { w.shellFile(name, text, dialect, params) })
		})
		return
	}
	w.unreadScript(name)
}

// shellFile judges a script's text. The script knows its own path, and may start its neighbours by it.
func (w *walker) shellFile(name, text string, dialect Dialect, params []string) {
	saved := w.file
	w.file = w.path(name)
	w.shellAs(w.file, text, dialect, params)
	w.file = saved
}

func fromScript(name string) string {
	if strings.HasPrefix(name, procFile) {
		return "from a process substitution"
	}
	return "from the script " + path.Base(name)
}

// source judges . and source, which run a file in the shell itself.
func (w *walker) source(args []string) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	if text, ok := w.scriptText(args[0]); ok && !isSetup(args[0]) {
		w.follow(text, func() {
			params, set, file := w.params, w.paramsSet, w.file
			w.file = w.path(args[0])
			if len(args) > 1 {
				w.params, w.paramsSet = args[1:], true
			}
			w.behind(fromScript(args[0]), func() { w.eval(text) })
			w.params, w.paramsSet, w.file = params, set, file
		})
		return
	}
	if isSetup(args[0]) {
		return
	}
	w.foreign = true
	w.unreadScript(args[0])
}

func (w *walker) scriptText(name string) (string, bool) {
	if name == "-" || descriptor(name) == "0" {
		return w.stdinText()
	}
	if text, ok := w.written(name); ok {
		return text, true
	}
	return w.readText(w.path(w.origin(name)))
}

// unreadScript judges a script by its name alone, where that says which one it is.
func (w *walker) unreadScript(name string) {
	base := path.Base(name)
	if descriptor(name) != "" || unknown(name) || strings.ContainsAny(name, "*?[") {
		w.opaque("opaque.script", "the script that a shell reads is known only when it runs")
		return
	}
	w.named("file", "", scriptStem(base))
}

// isSetup reports whether a file that is sourced sets a shell up: start-up files, virtual environments, version managers,
// and the snapshots that Claude Code and OpenClaw take of a shell.
func isSetup(name string) bool {
	if strings.Contains(name, "/shell-snapshots/") || strings.Contains(name, "openclaw-shell-snapshot-") {
		return true
	}
	switch path.Base(name) {
	case ".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".zshenv", ".bash_aliases", "profile", "bashrc", "activate",
		"nvm.sh", "env", ".env", "rvm", "sdkman-init.sh", "asdf.sh", "conda.sh", "cargo-env", "setenv.sh", "bash_completion":
		return true
	}
	return false
}

// executable judges a program that is run by its path, if it turns out to be a script.
func (w *walker) executable(name string, args []string) {
	full := w.path(name)
	text, ok := w.readText(full)
	if !ok || strings.IndexByte(text, 0) >= 0 {
		return
	}
	w.follow(text, func() {
		w.behind(fromScript(name), func() { w.fileText(name, text, args) })
	})
}

// fileText judges the text of an executable file by its first line.
func (w *walker) fileText(file, text string, args []string) {
	first, _, _ := strings.Cut(text, "\n")
	line, shebang := strings.CutPrefix(first, "#!")
	if !shebang {
		w.shellFile(file, text, Bash, args)
		return
	}
	words := strings.Fields(line)
	if len(words) > 1 && path.Base(words[0]) == "env" {
		words = words[1:]
		for len(words) > 1 && strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return
	}
	switch name := programName(path.Base(words[0])); name {
	case "sh", "bash", "dash", "ksh", "ash", "mksh":
		w.shellFile(file, text, Bash, args)
	case "zsh":
		w.shellFile(file, text, Zsh, args)
	case "make":
		w.external([]string{"make"})
	default:
		w.code(text)
	}
}

// packageDir finds out where a package manager is told to work, and whether on several packages.
func (w *walker) packageDir(name string, args []string) (dir string, workspaces bool) {
	dir = w.dir
	for i := range args {
		opt, value := nameAndValue(args[i:])
		switch opt {
		case "-C", "--dir", "--cwd", "--prefix":
			dir = w.pathFrom(dir, value)
		case "-r", "--recursive", "--filter", "-F", "--workspace", "--workspaces", "-ws", "--filter-prod":
			workspaces = true
		case "-w":
			workspaces = workspaces || name == "npm"
		case "--":
			return dir, workspaces
		}
	}
	return dir, workspaces
}

// packageScript judges what package.json says a script runs, with the scripts before and after it.
func (w *walker) packageScript(dir, name string) {
	if w.done() || unknown(name) {
		return
	}
	if len(w.bindings) > 0 {
		if b := w.lookup(setting, packageScriptName(name)); b != nil {
			w.behind(`from package.json script "`+shorten(name)+`"`, func() { w.shell(b.text, Bash, nil) })
		}
	}
	if text, at := w.packageJSON(dir); text != "" {
		w.scriptsOf(text, at, name)
	}
}

// packageScriptName is the name under which a script of package.json is bound that the string has set.
func packageScriptName(name string) string { return "package.json " + name }

func (w *walker) scriptsOf(text, dir, name string) {
	for _, n := range [...]string{"pre" + name, name, "post" + name} {
		body, ok := jsonString(text, "scripts", n)
		if !ok {
			continue
		}
		w.follow("package.json script "+dir+" "+n, func() {
			w.behind(`from package.json script "`+shorten(n)+`"`, func() {
				w.apart(func() {
					w.dir = dir
					w.run(body, Bash)
				})
			})
		})
	}
}

func (w *walker) hasScript(dir, name string) bool {
	text, _ := w.packageJSON(dir)
	_, ok := jsonString(text, "scripts", name)
	return ok
}

// packageJSON reads the nearest package.json at or above a directory.
func (w *walker) packageJSON(dir string) (text, at string) { return w.nearest(dir, "package.json") }

// workspaceScripts judges a script in every package below the usual directories of a workspace.
func (w *walker) workspaceScripts(dir, script string) {
	_, root := w.packageJSON(dir)
	if root == "" {
		return
	}
	for _, parent := range [...]string{"packages", "apps", "libs", "modules", ""} {
		for _, name := range w.directories(path.Join(root, parent)) {
			pkg := path.Join(root, parent, name)
			if text, ok := w.readText(path.Join(pkg, "package.json")); ok && !w.done() {
				w.scriptsOf(text, pkg, script)
			}
		}
	}
}

// directories lists some of a directory's directories.
func (w *walker) directories(dir string) (names []string) {
	if info := w.stat(dir); info == nil || !info.IsDir() || w.opened >= maxFiles {
		return nil
	}
	w.opened++
	f, err := w.in.FS.Open(strings.TrimPrefix(dir, "/"))
	if err != nil {
		return nil
	}
	defer f.Close()
	if d, ok := f.(fs.ReadDirFile); ok {
		entries, _ := d.ReadDir(2 * maxFiles)
		for _, e := range entries {
			if e.IsDir() && e.Name() != "node_modules" {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

// jsonString returns the string at object.name in a JSON text. It reads no more of JSON than that takes: encoding/json
// would be most of what this process spends.
func jsonString(text, object, name string) (value string, ok bool) {
	depth, at := 0, "" // at is the key of the enclosing object at depth 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			key, end := jsonLiteral(text, i)
			if end < 0 {
				return "", false
			}
			rest := strings.TrimLeft(text[end:], " \t\r\n")
			if strings.HasPrefix(rest, ":") {
				rest = strings.TrimLeft(rest[1:], " \t\r\n")
				switch {
				case depth == 1:
					at = key
				case depth == 2 && at == object && key == name && strings.HasPrefix(rest, `"`):
					value, end := jsonLiteral(rest, 0)
					return value, end > 0
				}
			}
			i = end - 1
		}
	}
	return "", false
}

// jsonLiteral reads the string literal at text[i]; end is behind it, or -1.
func jsonLiteral(text string, i int) (value string, end int) {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return ansiC(text[i+1 : j]), j + 1
		}
	}
	return "", -1
}
