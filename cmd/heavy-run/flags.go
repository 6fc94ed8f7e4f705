package main

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/words"
)

// flags is the command line as given.
type flags struct {
	shellString string // -c
	hasString   bool
	properties  []string // -p
	slice       string
	unit        string
	description string
	wait        string // --wait

	explain bool
	json    bool
	batch   bool
	version bool

	operatorFlags

	command []string // what stands after the options
}

const usage = `usage: heavy-run [OPTION…] -- COMMAND [ARG…]
       heavy-run [OPTION…] -c STRING
       heavy-run --explain [--json] (-- COMMAND [ARG…] | -c STRING)
       heavy-run --explain --json --batch < LINES
       heavy-run --list [--watch] [--json]
       heavy-run --stop (UNIT… | --all)
       heavy-run --doctor [--json]
       heavy-run --show-config [--json]

Runs COMMAND, or STRING in your shell, in a systemd scope with a hard memory limit.

`

const example = `
Example:
  heavy-run -p MemoryMax=6G -- pnpm lint:core
`

func newFlagSet(f *flags) *pflag.FlagSet {
	set := pflag.NewFlagSet("heavy-run", pflag.ContinueOnError)
	set.SetInterspersed(false) // options end at the command, whose own follow
	set.SortFlags = false
	set.Usage = func() {}
	set.SetOutput(io.Discard)
	set.StringVarP(&f.shellString, "command", "c", "", "run `STRING` in the shell (bash or zsh from SHELL)")
	set.StringArrayVarP(&f.properties, "property", "p", nil, "tighten a limit: `NAME=VALUE`, with systemd's names and values")
	set.StringVar(&f.slice, "slice", "", "put the scope into slice heavy-run-`NAME`, below heavy-run.slice")
	set.StringVar(&f.unit, "unit", "", "name the scope heavy-run-`NAME`")
	set.StringVar(&f.description, "description", "", "describe the scope as `TEXT` in unit listings")
	set.StringVar(&f.wait, "wait", "", "wait at most `TIME` for a slot and for memory, as in 30s or 0")
	set.BoolVar(&f.explain, "explain", false, "say what exec-prefix would do and why, and run nothing")
	set.BoolVar(&f.json, "json", false, "write JSON: with --explain, --list, --doctor or --show-config")
	set.BoolVar(&f.batch, "batch", false, "with --explain --json: one verdict a line for JSON lines on stdin")
	f.operatorFlags.add(set)
	set.BoolVar(&f.version, "version", false, "print the version")
	return set
}

// parseFlags reads the command line. help is the text to print when -h or --help was asked for. An error is one specific line.
func parseFlags(args []string) (f flags, help string, err error) {
	set := newFlagSet(&f)
	if err := set.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return f, usage + strings.ReplaceAll(set.FlagUsages(), "[=true|false]", strings.Repeat(" ", len("[=true|false]"))) + example, nil
		}
		return f, "", errors.New(strings.ToLower(err.Error()[:1]) + err.Error()[1:])
	}
	f.hasString = set.Changed("command")
	f.command = set.Args()
	switch {
	case f.version:
	case f.asked():
		return f, "", f.checkOperator()
	case f.batch && !(f.explain && f.json):
		return f, "", errors.New("--batch goes with --explain --json")
	case f.batch && (f.hasString || len(f.command) > 0):
		return f, "", errors.New("--batch reads the commands from standard input")
	case f.batch:
	case f.json && !f.explain:
		return f, "", errors.New("--json goes with --explain, --list, --doctor and --show-config")
	case f.hasString && len(f.command) > 0:
		return f, "", fmt.Errorf("-c takes one string, %q is left over (quote the whole string)", f.command[0])
	case !f.hasString && len(f.command) == 0:
		return f, "", errors.New("no command given (as in: heavy-run -- pnpm install)")
	}
	return f, "", nil
}

// tighten adds the limits of the command line to those of the files.
func (f flags) tighten(settings *config.Settings) error {
	for _, p := range f.properties {
		if err := settings.Tighten(p); err != nil {
			return err
		}
	}
	if f.wait == "" {
		return nil
	}
	if err := settings.TightenWait(f.wait); err != nil {
		return fmt.Errorf("--wait: %w", err)
	}
	return nil
}

// text is the command as a shell string, for the classifier.
func (f flags) text() string {
	if f.hasString {
		return f.shellString
	}
	quoted := make([]string, len(f.command))
	for i, word := range f.command {
		quoted[i] = words.Quote(word)
	}
	return strings.Join(quoted, " ")
}

// subSlice is the part of the slice's name that follows parent's, however much of the whole was given.
func (f flags) subSlice(parent string) string {
	return strings.TrimPrefix(strings.TrimSuffix(f.slice, ".slice"), strings.TrimSuffix(parent, ".slice")+"-")
}

// commandLine is what is run: the command itself, found as a shell finds it, or the shell with the string.
func (f flags) commandLine(shell string, env launch.Environment) (launch.Command, error) {
	if f.hasString {
		return launch.Command{Path: shell, Args: []string{shell, "-c", f.shellString}, Env: env}, nil
	}
	file, err := launch.Look(f.command[0], env.Get("PATH"), nil)
	if err != nil {
		if f.likeString() {
			err = fmt.Errorf("%w; a string for the shell goes behind -c", err)
		}
		return launch.Command{Path: f.command[0]}, err
	}
	return launch.Command{Path: file, Args: f.command, Env: env}, nil
}

// ofTheScope names the options that mean nothing without a new scope; it is empty where there are none. MemoryMax is not one: a
// command stays only where that is no higher.
func (f flags) ofTheScope() string {
	var given []string
	for _, p := range f.properties {
		if !strings.HasPrefix(p, "MemoryMax=") {
			given = append(given, "-p "+p)
		}
	}
	for name, value := range map[string]string{"--slice": f.slice, "--unit": f.unit, "--description": f.description} {
		if value != "" {
			given = append(given, name)
		}
	}
	slices.Sort(given)
	return strings.Join(given, ", ")
}

// likeString says that the command is one word with blanks in it, which is the name of a program only in theory.
func (f flags) likeString() bool {
	return len(f.command) == 1 && strings.ContainsAny(f.command[0], " \t\n")
}

// userShell is the shell in which -c runs: the user's own when it is bash or zsh, else bash.
func userShell(env launch.Environment, self launch.Self) string {
	searchPath := env.Get("PATH") + ":" + launch.FallbackPath
	for _, candidate := range []string{env.Get("SHELL"), "bash", "zsh", "sh"} {
		if name := path.Base(candidate); name != "bash" && name != "zsh" && name != "sh" {
			continue
		}
		if shell, err := launch.Look(candidate, searchPath, self.Is); err == nil {
			return shell
		}
	}
	return "/bin/sh"
}

// subject names the command in messages: by its rule, or by its program where no rule knows it. Never by its arguments.
func (f flags) subject(v detect.Verdict) string {
	if v.Program != "" {
		return words.Subject(v)
	}
	if f.hasString {
		return "shell command"
	}
	return path.Base(f.command[0])
}

// describe is the description of the scope.
func (f flags) describe(v detect.Verdict) string {
	if f.description != "" {
		return f.description
	}
	return words.Description(f.subject(v), v)
}
