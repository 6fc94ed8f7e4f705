package main

import (
	"path"
	"strings"

	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/launch"
)

// innerShell chooses the shell that runs the string. It never chooses this binary.
func innerShell(c call, env launch.Environment, self launch.Self, operators string) (string, error) {
	var candidates []string
	switch {
	case c.named != "":
		candidates = []string{c.named}
	case c.prefix:
		// Claude Code sets SHELL to the shell that it chose itself, which is always one of these two.
		for _, name := range []string{"CLAUDE_CODE_SHELL", "SHELL"} {
			if shell := env.Get(name); isBashOrZsh(shell) {
				candidates = append(candidates, shell)
			}
		}
		if strings.Contains(path.Base(env.Get("SHELL")), "bash") {
			candidates = append(candidates, "bash", "zsh", "sh")
		} else {
			candidates = append(candidates, "zsh", "bash", "sh")
		}
	default:
		// OpenClaw removes SHELL from the environment: the user's shell cannot be learned from it.
		candidates = []string{operators, "bash", "zsh", "sh"}
	}
	// The usual directories are searched only when PATH has none of the candidates: it may be empty, or hold nothing but us.
	var err error
	for _, searchPath := range []string{env.Get("PATH"), launch.FallbackPath} {
		for _, candidate := range candidates {
			var shell string
			if shell, err = launch.Look(candidate, searchPath, self.Is); err == nil {
				return shell, nil
			}
		}
	}
	return "", err
}

func isBashOrZsh(shell string) bool {
	name := path.Base(shell)
	return name == "bash" || name == "zsh"
}

// shellOfHook is /bin/sh where the string certainly is a hook's or a status line's, which Claude Code runs in /bin/sh when
// there is no prefix; else it is empty. Hooks have CLAUDE_PROJECT_DIR and CLAUDE_CODE_CHILD_SESSION, MCP servers only the
// first (and newer ones LAUNCHED_BY), the Bash tool only the second. A claude that runs inside a Bash tool inherits that
// tool's GIT_EDITOR and EXECPATH: then it is in doubt.
func shellOfHook(c call, v detect.Verdict, env launch.Environment, self launch.Self) string {
	const sh = "/bin/sh"
	if c.prefix && v.Shape != detect.ClaudeBash &&
		env.Has("CLAUDE_PROJECT_DIR") && env.Has("CLAUDE_CODE_CHILD_SESSION") && !env.Has("CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS") &&
		!env.Has("GIT_EDITOR") && !env.Has("CLAUDE_CODE_EXECPATH") && !self.Is(sh) {
		return sh
	}
	return ""
}
