// Heavy-run runs a command in a systemd scope with a hard memory limit, so that it dies alone when it takes too much. It is
// also the operator's window on what exec-prefix does. See README.md.
package main

import (
	"os"
	"slices"
	"strings"

	"github.com/heavy-run/heavy-run/internal/launch"
)

func main() {
	argv, environ := launch.Vectors()
	// Packages time and os/user, and a trial that this program starts of itself, ask package os. The first of two is the one
	// that counts, as for getenv(3).
	for _, entry := range slices.Backward(environ) {
		if name, value, ok := strings.Cut(entry, "="); ok {
			os.Setenv(name, value)
		}
	}
	os.Exit(run(argv, environ, os.Stdin, os.Stdout, os.Stderr))
}
