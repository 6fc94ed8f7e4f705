//go:build live

// Package livetest holds the tests that touch a real service manager and a real OOM killer. They run inside the project's
// VM only (scripts/vm/test.sh), as user agent below systemd --user, with passwordless sudo and the fake gateway.
package livetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// TestLive runs the scripts of one boot of the VM: LIVE_BOOT names their directory.
func TestLive(t *testing.T) {
	boot := os.Getenv("LIVE_BOOT")
	if boot == "" {
		t.Fatal("LIVE_BOOT is not set: these tests run through scripts/vm/test.sh")
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", boot),
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_RUNTIME_DIR", os.Getenv("XDG_RUNTIME_DIR"))
			env.Setenv("HOME", os.Getenv("HOME"))
			env.Setenv("SHELL", "/bin/bash")
			env.Setenv("EXEC_PREFIX", testbin.Path(t, "exec-prefix"))
			env.Setenv("USERCG", "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service")
			env.Setenv("GWCG", env.Getenv("USERCG")+"/app.slice/openclaw-gateway.service")
			return os.Chmod(env.WorkDir, 0o777) // some commands run as another user and leave a mark here
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": testbin.Status, "connections": connections, "starts": starts,
		},
	})
}
