// Package scripts holds the tests of the scripts that operators run: installing on a host and in a sandbox. They write below
// a temporary directory only.
package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

func TestMain(m *testing.M) { os.Exit(testbin.Main(m)) }

func TestScripts(t *testing.T) {
	testbin.Need(t, "bash", "dash", "unshare", "cksum")
	// The tree as install.sh expects it: programs in bin, beside the rest.
	tree := t.TempDir()
	if err := os.Mkdir(filepath.Join(tree, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{}
	for _, name := range []string{"scripts", "man", "completions", "heavy-run.conf.example"} {
		links[name] = filepath.Join(testbin.Root(), name)
	}
	for _, name := range []string{"exec-prefix", "heavy-run"} {
		links["bin/"+name] = testbin.Path(t, name)
	}
	for name, target := range links {
		if name == "scripts" {
			continue // copied: install.sh goes by the directory that it is in
		}
		if err := os.Symlink(target, filepath.Join(tree, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(tree, "scripts"), os.DirFS(links["scripts"])); err != nil {
		t.Fatal(err)
	}
	// The release is built by go itself, which must not look for its caches in the test's home.
	goEnv, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOARCH").Output()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"SHELL", "XDG_RUNTIME_DIR", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX", "CLAUDE_CONFIG_DIR", "DESTDIR"} {
				env.Setenv(name, "")
			}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOARCH"} {
				env.Setenv(name, strings.Split(string(goEnv), "\n")[i])
			}
			env.Setenv("ROOT", testbin.Root())
			env.Setenv("TREE", tree)
			env.Setenv("INSTALL", filepath.Join(tree, "scripts/install.sh"))
			env.Setenv("MATERIALIZE", filepath.Join(tree, "scripts/materialize.sh"))
			env.Setenv("EXEC_PREFIX", testbin.Path(t, "exec-prefix"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": testbin.Status},
	})
}
