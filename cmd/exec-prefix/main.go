// Exec-prefix stands between an agent and its shell: set as CLAUDE_CODE_SHELL_PREFIX or as a gateway's SHELL, it becomes the
// shell for light commands and puts heavy ones into a systemd scope with a memory limit. See README.md.
package main

import (
	"os"

	"github.com/heavy-run/heavy-run/internal/launch"
)

func main() {
	argv, environ := launch.Vectors()
	os.Exit(run(argv, environ, os.Stderr))
}
