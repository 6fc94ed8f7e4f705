package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/testbin"
)

var update = flag.Bool("update", false, "write the parts of man pages and completions that are made from the options")

// options are those that -h shows, in its order.
func options() (out []*pflag.Flag) {
	newFlagSet(new(flags)).VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			out = append(out, f)
		}
	})
	own := pflag.NewFlagSet("", pflag.ContinueOnError) // pflag has it without being told
	own.BoolP("help", "h", false, "print the options with an example")
	return append(out, own.Lookup("help"))
}

// described gives the name of an option's value, empty for a switch, and what it does.
func described(f *pflag.Flag) (value, usage string) {
	value, usage = pflag.UnquoteUsage(f)
	if f.NoOptDefVal != "" {
		value = ""
	}
	return value, usage
}

// TestDocuments compares what is written down with the options themselves, which are the one source.
func TestDocuments(t *testing.T) {
	for name, made := range map[string]func(old string) string{
		"man/heavy-run.1":            manOptions,
		"completions/heavy-run.bash": func(string) string { return bashCompletion() },
		"completions/heavy-run.zsh":  func(string) string { return zshCompletion() },
		"completions/heavy-run.fish": func(string) string { return fishCompletion() },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(testbin.Root(), name)
			old, err := os.ReadFile(file)
			if err != nil && !*update {
				t.Fatal(err)
			}
			text := made(string(old))
			if text == string(old) {
				return
			}
			if !*update {
				t.Fatalf("not what the options say: go test ./cmd/heavy-run -run TestDocuments -update")
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`)

func manOptions(page string) string {
	before, rest, _ := strings.Cut(page, ".SH OPTIONS\n")
	_, after, _ := strings.Cut(rest, ".\\\" options end\n")
	var b strings.Builder
	b.WriteString(before + ".SH OPTIONS\n.\\\" Made from the options: go test ./cmd/heavy-run -run TestDocuments -update\n")
	for _, f := range options() {
		value, usage := described(f)
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + "\\fR, \\fB" + names
		}
		b.WriteString(".TP\n\\fB" + roff.Replace(names[:len(names)-len(f.Name)-2]) + roff.Replace("--"+f.Name) + "\\fR")
		if value != "" {
			b.WriteString(" \\fI" + roff.Replace(value) + "\\fR")
		}
		b.WriteString("\n" + roff.Replace(usage) + "\n")
	}
	text := b.String()
	text = strings.ReplaceAll(text, `\efR, \efB`, `\fR, \fB`)
	return text + ".\\\" options end\n" + after
}

// properties are the names that -p takes.
func properties() (names []string) {
	for _, s := range config.Load(nil).Effective(1 << 30) {
		if s.Section == "[Scope]" && s.Key != "Slice" {
			names = append(names, s.Key+"=")
		}
	}
	return names
}

// optionWords gives every option as it is written, short ones first, and of these the ones that take a value.
func optionWords() (all, valued []string) {
	add := func(f *pflag.Flag, word string) {
		all = append(all, word)
		if value, _ := described(f); value != "" {
			valued = append(valued, word)
		}
	}
	for _, f := range options() {
		if f.Shorthand != "" {
			add(f, "-"+f.Shorthand)
		}
	}
	for _, f := range options() {
		add(f, "--"+f.Name)
	}
	return all, valued
}

func bashCompletion() string {
	all, valued := optionWords()
	return `# bash completion for heavy-run. Made from its options: go test ./cmd/heavy-run -run TestDocuments -update
_heavy_run() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} stop= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    ` + strings.Join(valued, " | ") + `) ((++i)) ;;
    --stop) stop=yes ;;
    -?*) [ "${COMP_WORDS[i]}" != -- ] || break ;;
    *) break ;;
    esac
  done
  if [ -n "$stop" ] && [[ $cur != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(heavy-run --list 2> /dev/null | sed -n 's/^\(heavy-run-[^ ]*\) .*/\1/p')" -- "$cur")
  elif ((i < COMP_CWORD)); then # a command and its arguments
    [ "${COMP_WORDS[i]}" != -- ] || ((++i))
    if declare -F _command_offset > /dev/null; then
      _command_offset "$i"
    elif ((i == COMP_CWORD)); then
      mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
  elif [ "$previous" = -p ] || [ "$previous" = --property ]; then
    mapfile -t COMPREPLY < <(compgen -W "` + strings.Join(properties(), " ") + `" -- "$cur")
    compopt -o nospace 2> /dev/null
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "` + strings.Join(all, " ") + `" -- "$cur")
  elif ((i == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$cur")
  fi
}
complete -o default -F _heavy_run heavy-run
`
}

var zshText = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`, "'", `'\''`)

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef heavy-run\n# Made from the options: go test ./cmd/heavy-run -run TestDocuments -update\n\n" + `_heavy_run_units() {
  local -a units
  units=(${(f)"$(heavy-run --list 2> /dev/null | sed -n 's/^\(heavy-run-[^ ]*\) .*/\1/p')"})
  compadd -a units
}

_heavy_run_operands() {
  if (( ${+opt_args[--stop]} )); then
    _heavy_run_units
  else
    _normal
  fi
}

local -A opt_args
`)
	b.WriteString("_arguments -S -A '-*' \\\n")
	for _, f := range options() {
		value, usage := described(f)
		names := "'--" + f.Name
		if f.Shorthand != "" {
			names = fmt.Sprintf("'(-%s --%s)'{-%s,--%s}'", f.Shorthand, f.Name, f.Shorthand, f.Name)
		}
		if f.Name == "property" {
			names = strings.Replace(names, "'(-p --property)'", "'*'", 1)
		}
		action := ""
		switch {
		case f.Name == "property":
			action = ":" + value + ":(" + zshText.Replace(strings.Join(properties(), " ")) + ")"
		case value != "":
			action = ":" + value + ": "
		}
		b.WriteString("  " + names + "[" + zshText.Replace(usage) + "]" + action + "' \\\n")
	}
	b.WriteString("  '*:: :_heavy_run_operands'\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for heavy-run. Made from its options: go test ./cmd/heavy-run -run TestDocuments -update\n")
	for _, f := range options() {
		value, usage := described(f)
		line := "complete -c heavy-run -l " + f.Name
		if f.Shorthand != "" {
			line += " -s " + f.Shorthand
		}
		switch {
		case f.Name == "property":
			line += " -x -a '" + strings.Join(properties(), " ") + "'"
		case value != "":
			line += " -x"
		}
		b.WriteString(line + " -d '" + strings.ReplaceAll(usage, "'", `\'`) + "'\n")
	}
	b.WriteString(`complete -c heavy-run -n '__fish_seen_argument -l stop' -f -a "(heavy-run --list 2> /dev/null | string match -r '^heavy-run-\S+')"` + "\n")
	_, valued := optionWords()
	b.WriteString(`
# What stands after the options is completed as if it stood alone. (fish's own __fish_complete_subcommand loses count at a value
# that has an equals sign.)
function __heavy_run_complete_command
  set -l words (commandline -opc) (commandline -ct)
  set -e words[1]
  while set -q words[1]
    switch $words[1]
      case ` + strings.Join(valued, " ") + `
        set -e words[1..2]
      case --
        set -e words[1]
        break
      case '-*'
        set -e words[1]
      case '*'
        break
    end
  end
  set -q words[1]; and complete -C "$words"
end
complete -c heavy-run -n 'not __fish_seen_argument -l stop' -x -a '(__heavy_run_complete_command)'
`)
	return b.String()
}

// TestTheSynopsisIsTheUsage: the man page's synopsis has the lines of -h.
func TestTheSynopsisIsTheUsage(t *testing.T) {
	page := read(t, "man/heavy-run.1")
	_, synopsis, _ := strings.Cut(page, ".SH SYNOPSIS\n.nf\n")
	synopsis, _, _ = strings.Cut(synopsis, ".fi")
	synopsis = strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\-`, "-", "...", "…").Replace(synopsis)
	lines, _, _ := strings.Cut(usage, "\n\n")
	lines = strings.ReplaceAll(strings.TrimPrefix(lines, "usage: "), "\n       ", "\n")
	if strings.TrimSpace(synopsis) != strings.TrimSpace(lines) {
		t.Errorf("the man page says\n%s\n-h says\n%s", synopsis, lines)
	}
}

// TestEveryKeyIsInTheManual: the man page has the keys of the example file, which another test holds against the code, in
// the same sections with the same defaults.
func TestEveryKeyIsInTheManual(t *testing.T) {
	var want, got []string
	section := ""
	for line := range strings.Lines(read(t, "heavy-run.conf.example")) {
		if line[0] == '[' {
			section = strings.TrimSpace(line)
		} else if line[0] == '#' && line[1] >= 'A' && line[1] <= 'Z' {
			want = append(want, section+strings.TrimSpace(line[1:]))
		}
	}
	section = ""
	head := false
	for line := range strings.Lines(read(t, "man/heavy-run.conf.5")) {
		headed := head
		head = line == ".TP\n" || line == ".TQ\n"
		line = strings.ReplaceAll(strings.TrimSpace(line), `\-`, "-")
		if title, ok := strings.CutPrefix(line, ".SH "); ok {
			title = strings.Trim(title, `"`)
			section = title[:min(2, len(title))] + strings.ToLower(title[min(2, len(title)):])
		}
		if key, ok := strings.CutPrefix(line, ".B "); ok && headed && strings.Contains(key, "=") && section[0] == '[' {
			got = append(got, section+key)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("the manual has\n%q\nthe example\n%q", got, want)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testbin.Root(), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestManPagesRenderWithoutWarnings(t *testing.T) {
	testbin.Need(t, "man", "groff")
	pages, err := filepath.Glob(filepath.Join(testbin.Root(), "man/*.[15]"))
	if err != nil || len(pages) != 3 {
		t.Fatalf("pages %q, %v", pages, err)
	}
	for _, page := range pages {
		cmd := exec.Command("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANROFFSEQ=")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 || len(out) < 1000 {
			t.Errorf("%s: %v, %d bytes\n%s", filepath.Base(page), err, len(out), stderr.String())
		}
	}
}

// TestCompletionsLoad completes in real shells, with a heavy-run that has two scopes to stop.
func TestCompletionsLoad(t *testing.T) {
	testbin.Need(t, "bash", "zsh", "fish")
	dir := filepath.Join(testbin.Root(), "completions")
	stub := t.TempDir()
	if err := os.WriteFile(filepath.Join(stub, "heavy-run"), []byte("#!/bin/sh\nprintf 'UNIT CLASS\\nheavy-run-1-ab.scope heavy\\nheavy-run-x.scope -\\n'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	complete := map[string]func(words []string) *exec.Cmd{
		"bash": func(words []string) *exec.Cmd {
			script := `set -u; . "$1/heavy-run.bash"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _heavy_run; printf '%s\n' "${COMPREPLY[@]}"`
			return exec.Command("bash", append([]string{"--norc", "-c", script, "bash", dir}, words...)...)
		},
		"fish": func(words []string) *exec.Cmd { // what it completes to, without the descriptions
			script := `source $argv[1]/heavy-run.fish; complete -c tool -x -a treasure; complete -C $argv[2] | string replace -r '\t.*' ''; true`
			return exec.Command("fish", "--no-config", "-c", script, dir, strings.Join(words, " "))
		},
	}
	for _, c := range []struct{ words, want []string }{
		{[]string{"heavy-run", "--ex"}, []string{"--explain"}},
		{[]string{"heavy-run", "--explain", "--js"}, []string{"--json"}},
		{[]string{"heavy-run", "-p", "MemoryM"}, []string{"MemoryMax="}},
		{[]string{"heavy-run", "--property", "CPU"}, []string{"CPUQuota=", "CPUWeight="}},
		{[]string{"heavy-run", "--unit", "x", "--li"}, []string{"--list"}},
		{[]string{"heavy-run", "--", "heavy-ru"}, []string{"heavy-run"}},
		{[]string{"heavy-run", "heavy-ru"}, []string{"heavy-run"}},
		{[]string{"heavy-run", "ls", dir + "/heavy-run.z"}, []string{dir + "/heavy-run.zsh"}},
		{[]string{"heavy-run", "--unit", "x", "-p", "MemoryMax=1G", "--", "ls", dir + "/heavy-run.z"}, []string{dir + "/heavy-run.zsh"}},
		{[]string{"heavy-run", "--unit", "x", "-p", "MemoryMax=1G", "--", "tool", "tr"}, []string{"treasure"}},
		{[]string{"heavy-run", "--stop", "heavy-run-"}, []string{"heavy-run-1-ab.scope", "heavy-run-x.scope"}},
		{[]string{"heavy-run", "--stop", "--a"}, []string{"--all"}},
	} {
		for shell, command := range complete {
			if slices.Contains(c.words, "tool") && shell != "fish" {
				continue // bash leaves it to bash-completion
			}
			cmd := command(c.words)
			cmd.Env = append(os.Environ(), "PATH="+stub+":"+os.Getenv("PATH"), "HOME="+stub)
			out, err := cmd.CombinedOutput()
			got := strings.Fields(string(out))
			slices.Sort(got)
			if got = slices.Compact(got); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s completes %q to %q, want %q (%v)", shell, c.words, got, c.want, err)
			}
		}
	}

	functions := t.TempDir() // as installed: found by its name and first line
	if err := os.Symlink(filepath.Join(dir, "heavy-run.zsh"), filepath.Join(functions, "_heavy-run")); err != nil {
		t.Fatal(err)
	}
	// zsh completes in a terminal only: zpty is one. TAB must turn the beginning of a word into the whole of it.
	script := `
zmodload zsh/zpty
zpty z 'zsh -f -i'
zpty -w z "PS1= PS2=; unset zle_bracketed_paste; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; print REA''DY"
zpty -r z line '*READY*'
zpty -w -n z "heavy-run $2"$'\t'
zpty -r z line "*$3*"
print -r -- "$line"
zpty -d z`
	for begun, want := range map[string]string{
		"--show-c":           "--show-config",
		"-p MemoryS":         "MemorySwapMax=",
		"--stop heavy-run-x": "heavy-run-x.scope",
		"--unit x -- dirnam": "dirname",
	} {
		cmd := exec.Command("timeout", "30", "zsh", "-f", "-c", script, "zsh", functions, begun, want)
		cmd.Env = append(os.Environ(), "PATH="+stub+":"+os.Getenv("PATH"), "HOME="+stub)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("zsh completes %q: %v\n%q", begun, err, out)
		}
	}
}
