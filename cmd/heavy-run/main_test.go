package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

func TestMain(m *testing.M) { os.Exit(testbin.Main(m)) }

func TestScripts(t *testing.T) {
	testbin.Need(t, "bash", "zsh")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"SHELL", "XDG_RUNTIME_DIR", "NO_COLOR"} {
				env.Setenv(name, "")
			}
			env.Setenv("TREE", testbin.Root())
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": testbin.Status},
	})
}
