package main

import (
	"path"
	"strings"

	"github.com/heavy-run/heavy-run/internal/shellargs"
	"github.com/heavy-run/heavy-run/internal/words"
)

// call is how this program was called. There are three forms, beside words.VersionName, for heavy-run --doctor:
//
//	exec-prefix STRING           the prefix form, CLAUDE_CODE_SHELL_PREFIX
//	exec-prefix [OPTION…] …      the shell form, a gateway's SHELL
//	bash|zsh|sh [OPTION…] …      the shell form through a symlink of that name, which names the inner shell
type call struct {
	version bool
	prefix  bool
	named   string   // "bash", "zsh" or "sh"; empty when called by another name
	argv0   string   // as given, to be passed on to a named shell that is a login shell by its leading dash
	words   []string // the rest of the command line
}

func parseCall(argv []string) call {
	if len(argv) == 0 {
		return call{}
	}
	c := call{argv0: argv[0], words: argv[1:]}
	switch name := path.Base(strings.TrimPrefix(argv[0], "-")); name {
	case words.VersionName:
		c.version = true
	case "bash", "zsh", "sh":
		c.named = name
	default:
		c.prefix = len(c.words) == 1 && !strings.HasPrefix(c.words[0], "-")
	}
	return c
}

// text is the string that the inner shell will run; false when there is none: a login shell, a script file, a terminal.
func (c call) text(shell string) (string, bool) {
	if c.prefix {
		return c.words[0], true
	}
	inv := shellargs.Parse(path.Base(shell), c.words)
	if inv.Command < 0 || inv.Ends {
		return "", false
	}
	return c.words[inv.Command], true
}

// shellArgs is the argument vector of the inner shell: its path as chosen, then every word unchanged.
func (c call) shellArgs(shell string) []string {
	argv0 := shell
	if c.named != "" && strings.HasPrefix(c.argv0, "-") {
		argv0 = c.argv0
	}
	if c.prefix {
		return []string{argv0, "-c", c.words[0]}
	}
	return append([]string{argv0}, c.words...)
}
