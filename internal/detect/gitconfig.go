package detect

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// What git is configured to start: aliases, editors, pagers and the like, from its command line, its environment, git
// config in the same string, and configuration files.

// maxSettings is how many settings that the string itself has made are judged at each git command.
const maxSettings = 16

func gitSetting(name, value string) binding {
	return binding{kind: setting, name: strings.ToLower(name), text: value}
}

// gitStarts returns the command that a setting holds, if it holds one. The last component of its name says so.
func gitStarts(name, value string) (command string, ok bool) {
	if strings.HasPrefix(name, "pager.") {
		return value, true
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || !has(commandSettings, name[dot+1:]) {
		return "", false
	}
	return strings.TrimPrefix(value, "!"), true
}

const commandSettings = "editor pager fsmonitor sshcommand external askpass cmd clean smudge process driver textconv " +
	"command program helper gitproxy uploadpack receivepack"

// gitVariables are the variables in which git finds commands, and the subcommands that start them.
var gitVariables = [...]struct{ names, subs string }{
	{"GIT_EDITOR VISUAL EDITOR", "commit rebase merge pull tag revert cherry-pick notes am config branch add"},
	{"GIT_SEQUENCE_EDITOR", "rebase"},
	{"GIT_PAGER PAGER", "log diff show blame branch tag grep reflog stash shortlog"},
	{"GIT_EXTERNAL_DIFF", "diff log show stash"},
	{"GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS", "fetch pull push clone ls-remote remote submodule"},
}

func (w *walker) gitVariables(sub string) {
	for i := range gitVariables {
		v := &gitVariables[i]
		if !has(v.subs, sub) {
			continue
		}
		for name := range strings.SplitSeq(v.names, " ") {
			command := w.oneValue(name)
			if command == "" || isCommon(command) {
				continue
			}
			w.behind("as "+name, func() { w.shell(command, Bash, nil) })
			if _, todo, ok := strings.Cut(command, "exec "); ok && name == "GIT_SEQUENCE_EDITOR" { // puts a line into the list of things to do
				w.behind("behind git rebase --exec", func() { w.shell(strings.TrimRight(todo, `'"`), Bash, nil) })
			}
		}
	}
}

// oneValue is a variable's value, empty where there is none or more than one.
func (w *walker) oneValue(name string) string {
	if values, _ := w.value(name); len(values) == 1 && len(values[0]) == 1 {
		return values[0][0]
	}
	return ""
}

// gitSubcommands are git's own, which no alias can replace.
const gitSubcommands = "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format " +
	"checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential " +
	"describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch fmt-merge-msg for-each-ref format-patch " +
	"fsck gc grep gui hash-object help init interpret-trailers lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file " +
	"merge-tree mergetool mktag mktree mv name-rev notes pull push range-diff read-tree rebase reflog remote repack replace rerere reset " +
	"restore rev-list rev-parse revert rm send-email shortlog show show-branch show-ref sparse-checkout stash status submodule switch " +
	"symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-tag whatchanged worktree write-tree"

// readsSettings reports whether configuration files matter to a subcommand: it is an alias, or starts hooks and editors. Most
// git commands are light and many, and read nothing.
func readsSettings(sub string) bool {
	return has("commit push merge pull rebase checkout switch clone worktree am cherry-pick revert hook", sub) || !has(gitSubcommands, sub)
}

// gitSettings returns the settings that hold for a subcommand, the last one for a name last.
func (w *walker) gitSettings(sub, gitDir string, given []binding) []binding {
	var settings []binding
	if readsSettings(sub) && (w.in.FS != nil || len(w.bindings) > 0) {
		home := w.tilde("~")
		settings = w.gitFile(settings, path.Join(home, ".config/git/config"))
		settings = w.gitFile(settings, path.Join(home, ".gitconfig"))
		if gitDir != "" {
			settings = w.gitFile(settings, path.Join(gitDir, "config"))
		}
	}
	w.left.steps -= len(w.bindings) / 4
	own := len(settings)
	for i := range w.bindings {
		if b := &w.bindings[i]; b.kind == setting && !strings.HasPrefix(b.name, "alias.") {
			if len(settings)-own >= maxSettings {
				w.overBudget()
				break
			}
			settings = append(settings, *b)
		}
	}
	if b := w.lookup(setting, "alias."+strings.ToLower(sub)); b != nil {
		settings = append(settings, *b)
	}
	for i := range 8 {
		n := strconv.Itoa(i)
		if w.lookup(variable, "GIT_CONFIG_KEY_"+n) == nil {
			break
		}
		settings = append(settings, gitSetting(w.oneValue("GIT_CONFIG_KEY_"+n), w.oneValue("GIT_CONFIG_VALUE_"+n)))
	}
	return append(settings, given...)
}

// gitFile appends what a configuration file sets.
func (w *walker) gitFile(settings []binding, name string) []binding {
	text, ok := w.scriptText(name)
	if !ok {
		return settings
	}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") { // [alias], [diff "x"]
			section = strings.ReplaceAll(strings.Trim(line, `[]"`), ` "`, ".")
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || line[0] == '#' || line[0] == ';' || len(settings) == maxBindings {
			continue
		}
		value = strings.TrimSpace(value)
		if literal, rest, ok := literalString(value); ok && rest == "" {
			value = literal
		}
		settings = append(settings, gitSetting(section+"."+strings.TrimSpace(name), value))
	}
	return settings
}

// gitConfig follows git config NAME VALUE, for the git commands behind it.
func (w *walker) gitConfig(args []string) {
	sorted := gitConfigOptions.sort(args)
	operands := sorted.operands
	if len(operands) > 0 && operands[0] == "set" {
		operands = operands[1:]
	}
	if len(operands) == 2 && !given("--get --get-all --get-regexp --unset --unset-all", sorted.options) {
		w.bind(gitSetting(operands[0], operands[1]))
	}
}

var gitConfigOptions = programOptions{values: "-f --file --blob --type --default --comment --value"}

// gitAlias judges what an alias stands for: a shell command behind "!", else a subcommand.
func (w *walker) gitAlias(text string, options, args []string) {
	w.follow("git alias "+text, func() {
		w.behind("in a git alias", func() {
			if unknown(text) && strings.TrimLeft(text, string(unknownWord)+string(unknownWords)) != text {
				w.opaque("opaque.program", "what a git alias stands for is known only when it runs")
			} else if command, ok := strings.CutPrefix(text, "!"); ok {
				w.shell(command+" "+quoted(args), Bash, args)
			} else {
				w.external(slices.Concat([]string{"git"}, options, splitWords(text), args))
			}
		})
	})
}
