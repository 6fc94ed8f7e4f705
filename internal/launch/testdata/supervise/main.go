// Supervise runs its arguments under launch.Supervise and ends as they end: the subject of the tests of package launch.
package main

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/launch"
)

func main() {
	argv, environ := launch.Vectors()
	command := launch.Command{Path: argv[1], Args: argv[1:], Env: environ}
	ending, err := command.Supervise(func() {})
	if err != nil {
		os.Exit(launch.FailureStatus(err))
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		os.Exit(99) // the witness is still there, and with it the scope
	}
	os.Exit(ending.Repeat())
}
