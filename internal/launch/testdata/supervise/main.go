// Supervise runs its arguments under launch.Supervise and ends as they end: the subject of the tests of package launch.
package main

import (
	"os"

	"github.com/heavy-run/heavy-run/internal/launch"
)

func main() {
	command := launch.Command{Path: os.Args[1], Args: os.Args[1:], Env: os.Environ()}
	ending, err := command.Supervise(func() {})
	if err != nil {
		os.Exit(launch.FailureStatus(err))
	}
	os.Exit(ending.Repeat())
}
