package detect

import (
	"path"
	"slices"
	"strings"
)

// git judges git: commands that it is given to run, hooks, and what the table says of its subcommands.
func (w *walker) git(args []string) {
	dir := w.dir
	hooksPath := ""
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		a := args[i]
		if has("--version --help -h --exec-path --html-path --man-path --info-path", a) {
			return
		}
		if i+1 >= len(args) {
			break
		}
		switch a {
		case "-C":
			saved := w.dir
			w.dir = dir
			dir = w.path(args[i+1])
			w.dir = saved
		case "-c":
			w.gitConfig(args[i+1], &hooksPath)
		}
		i += arity("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source", a)
	}
	if i >= len(args) {
		return
	}
	sub, rest := args[i], args[i+1:]
	if unknown(sub) {
		return // git has no subcommand that is heavy enough to suspect any
	}
	if given("--help", rest) {
		return
	}
	switch sub {
	case "rebase":
		w.gitStrings("git rebase --exec", "-x --exec", rest)
	case "bisect":
		if len(rest) > 1 && rest[0] == "run" {
			w.behind("behind git bisect run", func() { w.external(rest[1:]) })
		}
	case "submodule":
		if at := slices.Index(rest, "foreach"); at >= 0 {
			command := dropOptions(rest[at+1:])
			w.behind("behind git submodule foreach", func() {
				if len(command) == 1 {
					w.shell(command[0], Bash, nil)
				} else {
					w.external(command)
				}
			})
		}
	case "filter-branch":
		w.gitStrings("git filter-branch", "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter --setup", rest)
	case "difftool", "mergetool":
		w.gitStrings("git "+sub, "-x --extcmd", rest)
	case "grep":
		return
	}
	sorted := arguments{options: rest}
	for j, a := range rest {
		if a == "--" {
			sorted.options = rest[:j]
			break
		}
	}
	sorted.operands = append([]string{sub}, dropDashes(rest)...)
	if paths := rest[min(len(sorted.options)+1, len(rest)):]; sub != "diff" || len(paths) == 0 || slices.Contains(paths, ".") {
		w.judge("git", sorted.operands, sorted) // diff --stat of some files is light
	}
	w.gitHooks(sub, sorted.options, dir, hooksPath)
}

// gitConfig reads a -c name=value: an alias that is a shell command, or where the hooks are.
func (w *walker) gitConfig(setting string, hooksPath *string) {
	name, value, _ := strings.Cut(setting, "=")
	switch lower := strings.ToLower(name); {
	case strings.HasPrefix(lower, "alias.") && strings.HasPrefix(value, "!"):
		w.behind("in a git alias", func() { w.shell(value[1:], Bash, nil) })
	case lower == "core.hookspath":
		*hooksPath = value
	case lower == "core.editor" || lower == "sequence.editor" || lower == "core.pager" || lower == "core.fsmonitor" || lower == "core.sshcommand" || lower == "diff.external":
		w.behind("behind git -c "+lower, func() { w.shell(value, Bash, nil) })
	}
}

// gitStrings judges the shell strings that options carry.
func (w *walker) gitStrings(via, list string, args []string) {
	for i, a := range args {
		name, value, attached := strings.Cut(a, "=")
		if !attached && i+1 < len(args) {
			value = args[i+1]
		}
		if len(a) > 2 && a[1] != '-' && has(list, a[:2]) { // -x'make test'
			name, value = a[:2], a[2:]
		}
		if has(list, name) && value != "" {
			w.behind("behind "+via, func() { w.shell(value, Bash, nil) })
		}
	}
}

// gitHooks judges the hooks that a subcommand runs, where they can be read.
func (w *walker) gitHooks(sub string, args []string, dir, hooksPath string) {
	if w.in.FS == nil || !path.IsAbs(dir) {
		return
	}
	noVerify := slices.Contains(args, "--no-verify")
	var hooks []string
	switch sub {
	case "commit":
		noVerify = noVerify || given("-n", args)
		hooks = []string{"prepare-commit-msg", "post-commit"}
		if !noVerify {
			hooks = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}
		}
	case "push":
		if !noVerify {
			hooks = []string{"pre-push"}
		}
	case "merge", "pull":
		hooks = []string{"post-merge"}
		if !noVerify {
			hooks = []string{"pre-merge-commit", "commit-msg", "post-merge"}
		}
	case "rebase":
		hooks = []string{"post-checkout", "post-rewrite"}
		if !noVerify {
			hooks = []string{"pre-rebase", "post-checkout", "post-rewrite"}
		}
	case "checkout", "switch", "clone", "worktree":
		hooks = []string{"post-checkout"}
	case "am":
		hooks = []string{"applypatch-msg", "pre-applypatch", "post-applypatch"}
	case "cherry-pick", "revert":
		hooks = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}
	}
	if len(hooks) == 0 {
		return
	}
	top, gitDir := w.gitDir(dir)
	if gitDir == "" {
		if len(w.bindings) == 0 {
			return
		}
		top, gitDir = dir, path.Join(dir, ".git") // the string may have made it
	}
	if hooksPath == "" {
		hooksPath = w.gitHooksPath(gitDir)
	}
	at := path.Join(gitDir, "hooks")
	if hooksPath != "" {
		at = hooksPath
		if !path.IsAbs(at) {
			at = path.Join(top, at)
		}
	}
	saved := w.dir
	w.dir = top
	for _, hook := range hooks {
		w.gitHook(at, hook)
	}
	w.dir = saved
}

func (w *walker) gitHook(dir, hook string) {
	name := path.Join(dir, hook)
	text, ok := w.written(name)
	if !ok && w.isExecutable(name) {
		text, ok = w.readText(name)
	}
	if !ok {
		return
	}
	w.behind("from the git hook "+hook, func() {
		w.fileText(name, text, nil)
		// husky keeps the hook's text one directory up, and runs it by name: .husky/_/pre-commit runs .husky/pre-commit.
		if path.Base(dir) == "_" {
			name := path.Join(path.Dir(dir), hook)
			if text, ok := w.readText(name); ok {
				w.fileText(name, text, nil)
			}
		}
	})
}

// gitDir finds the top of the work tree above dir and its git directory, which a file may name in worktrees and
// submodules.
func (w *walker) gitDir(dir string) (top, gitDir string) {
	for range 32 {
		dotGit := path.Join(dir, ".git")
		if info := w.stat(dotGit); info != nil {
			if info.IsDir() {
				return dir, dotGit
			}
			text, ok := w.readText(dotGit)
			if to, found := strings.CutPrefix(text, "gitdir:"); ok && found {
				to = strings.TrimSpace(to)
				if !path.IsAbs(to) {
					to = path.Join(dir, to)
				}
				if common, ok := w.readText(path.Join(to, "commondir")); ok { // a worktree shares its repository's hooks
					common = strings.TrimSpace(common)
					if !path.IsAbs(common) {
						common = path.Join(to, common)
					}
					to = common
				}
				return dir, to
			}
			return dir, ""
		}
		if dir == "/" {
			break
		}
		dir = path.Dir(dir)
	}
	return "", ""
}

// gitHooksPath reads core.hooksPath from the repository's configuration.
func (w *walker) gitHooksPath(gitDir string) string {
	text, ok := w.readText(path.Join(gitDir, "config"))
	if !ok {
		return ""
	}
	core, value := false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			core = strings.EqualFold(line, "[core]")
			continue
		}
		name, v, ok := strings.Cut(line, "=")
		if ok && core && strings.EqualFold(strings.TrimSpace(name), "hooksPath") {
			value = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return value
}
