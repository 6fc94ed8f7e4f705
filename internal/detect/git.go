package detect

import (
	"path"
	"slices"
	"strings"
)

// git judges git: commands that it is given to run, hooks, and what the table says of its subcommands.
func (w *walker) git(args []string) {
	dir := w.dir
	var settings []binding // that hold for this command: -c name=value
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		a := args[i]
		if has("--version --help -h --exec-path --html-path --man-path --info-path", a) {
			return
		}
		if name, variable, ok := strings.Cut(strings.TrimPrefix(a, "--config-env="), "="); ok && strings.HasPrefix(a, "--config-env=") {
			value := w.oneValue(variable)
			if value == "" {
				value = string(unknownWords)
			}
			settings = append(settings, gitSetting(name, value))
		}
		if i+1 >= len(args) {
			break
		}
		switch a {
		case "-C":
			dir = w.pathFrom(dir, args[i+1])
		case "-c":
			name, value, _ := strings.Cut(args[i+1], "=")
			settings = append(settings, gitSetting(name, value))
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
	flags, end := gitFlags(sub, rest)
	if given("--help", flags) {
		return
	}
	if sub == "clone" {
		for j, a := range rest[:max(len(rest)-1, 0)] {
			if name, value, ok := strings.Cut(rest[j+1], "="); ok && has("-c --config", a) {
				settings = append(settings, gitSetting(name, value))
			}
		}
	}
	top, gitDir := "", ""
	if readsSettings(sub) {
		if w.in.FS != nil && path.IsAbs(dir) {
			top, gitDir = w.gitDir(dir)
		}
		if gitDir == "" && len(w.bindings) > 0 {
			top, gitDir = dir, path.Join(dir, ".git") // the string may have made it
		}
	}
	settings = w.gitSettings(sub, gitDir, settings)
	for _, s := range settings {
		if name, ok := strings.CutPrefix(s.name, "alias."); ok {
			if name == strings.ToLower(sub) && s.text != "" && !has(gitSubcommands, sub) {
				w.gitAlias(s.text, args[:i], rest)
			}
			continue
		}
		if command, ok := gitStarts(s.name, s.text); ok {
			w.behind("in the git setting "+path.Ext(s.name)[1:], func() { w.shell(command, Bash, nil) })
		}
	}
	w.gitVariables(sub)
	switch sub {
	case "rebase":
		w.gitStrings("git rebase --exec", "-x --exec", rest)
	case "bisect":
		if len(rest) > 1 && rest[0] == "run" {
			w.behind("behind git bisect run", func() { w.external(dropOptions(rest[1:])) })
		}
	case "send-email":
		w.gitStrings("git send-email", "--sendmail-cmd --to-cmd --cc-cmd --header-cmd", rest)
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
	case "config":
		w.gitConfig(rest)
	case "clone", "fetch", "pull", "ls-remote", "push":
		w.gitStrings("git "+sub, "--upload-pack --receive-pack", rest)
	case "apply", "am":
		w.patch(rest)
	case "difftool", "mergetool":
		w.gitStrings("git "+sub, "-x --extcmd", rest)
	case "grep":
		w.gitStrings("git grep", "-O: --open-files-in-pager:", rest)
		return
	}
	sorted := arguments{operands: append([]string{sub}, dropOptions(rest)...), options: flags}
	if paths := rest[min(end+1, len(rest)):]; sub != "diff" || len(paths) == 0 || slices.Contains(paths, ".") {
		w.judge("git", sorted.operands, sorted) // diff --stat of some files is light
	}
	w.gitHooks(sub, rest, flags, dir, top, gitDir, settings)
}

// gitFlags returns the options of a subcommand without their values, which may look like options (commit -m --help), and the
// index of "--" behind them.
func gitFlags(sub string, args []string) (flags []string, end int) {
	known := wrapper{values: gitValues(sub)}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return flags, i
		}
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		opt := option(args[i:], &known)
		if opt.next == 0 {
			a = strings.TrimSuffix(a, opt.value) // -mnew is no -n
		}
		flags = append(flags, a)
		i += opt.next
	}
	return flags, len(args)
}

// gitValues lists the options that take a value, of the subcommands whose options matter.
func gitValues(sub string) string {
	switch sub {
	case "commit":
		return "-m --message -F --file -C --reuse-message -c --reedit-message -t --template --author --date --cleanup --fixup --squash --trailer --pathspec-from-file"
	case "push":
		return "-o --push-option --repo --receive-pack --exec"
	case "merge", "pull":
		return "-m --message -F --file -s --strategy -X --strategy-option -o --server-option -j --jobs --into-name --cleanup --depth --deepen --shallow-since --shallow-exclude --refmap --upload-pack --negotiation-tip"
	case "rebase":
		return "-s --strategy -X --strategy-option -x --exec --onto --whitespace -C"
	case "cherry-pick", "revert":
		return "-m --mainline -s --strategy -X --strategy-option --cleanup"
	case "am", "apply":
		return "-p -C --directory --exclude --include --patch-format --whitespace --build-fake-ancestor"
	case "clone", "fetch":
		return "-b --branch -o --origin --server-option -u --upload-pack -c --config --depth --deepen --reference --reference-if-able --template --separate-git-dir -j --jobs --filter --shallow-since --shallow-exclude --refmap --bundle-uri --negotiation-tip"
	case "checkout", "worktree":
		return "-b -B --orphan --conflict --reason --pathspec-from-file"
	case "switch":
		return "-c -C --create --force-create --orphan --conflict"
	case "tag", "notes":
		return "-m --message -F --file -u --local-user -C --reuse-message -c --reedit-message --cleanup --trailer"
	case "diff", "log", "show":
		return "-S -G -O -L -l -n --max-count --skip --author --committer --grep --since --until --after --before --diff-filter --output --find-object"
	}
	return ""
}

// gitStrings judges the shell strings that options carry.
func (w *walker) gitStrings(via, list string, args []string) {
	known := wrapper{values: list}
	for i := range args {
		if a := args[i]; len(a) < 2 || a[0] != '-' {
			continue
		}
		if opt := option(args[i:], &known); has(list, opt.name) && opt.value != "" {
			w.behind("behind "+via, func() { w.shell(opt.value, Bash, nil) })
		}
	}
}

// gitHooks judges the hooks that a subcommand runs, where they can be read.
func (w *walker) gitHooks(sub string, rest, flags []string, dir, top, gitDir string, settings []binding) {
	if gitDir == "" {
		return
	}
	noVerify := slices.Contains(flags, "--no-verify")
	var hooks []string
	switch sub {
	case "commit":
		noVerify = noVerify || given("-n", flags)
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
	case "hook":
		if names := dropOptions(rest[min(1, len(rest)):]); len(names) > 0 && rest[0] == "run" {
			hooks = names[:1]
		}
	case "cherry-pick", "revert":
		hooks = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}
	}
	if len(hooks) == 0 {
		return
	}
	hooksPath := ""
	for _, s := range settings {
		if s.name == "core.hookspath" {
			hooksPath = s.text
		}
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
