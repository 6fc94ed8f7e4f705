package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

func TestMain(m *testing.M) { os.Exit(testbin.Main(m)) }

func TestScripts(t *testing.T) {
	testbin.Need(t, "bash", "zsh", "dash")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// The caller's own would choose the inner shell, or find a manager.
			for _, name := range []string{"SHELL", "CLAUDE_CODE_SHELL", "XDG_RUNTIME_DIR"} {
				env.Setenv(name, "")
			}
			env.Setenv("BIN", testbin.Path(t, "exec-prefix"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": testbin.Status},
	})
}
