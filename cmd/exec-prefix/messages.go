package main

import (
	"fmt"

	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/words"
)

// voice says on stderr whatever a user of this program ever reads; most of it is heavy-run's too, see package words.
type voice struct{ words.Voice }

func (v voice) noShell(c call, err error) int {
	name := c.named
	if name == "" {
		name = "bash, zsh or sh"
	}
	v.Say(fmt.Sprintf("no %s to run the command in: %v", name, err), "nothing was run: install bash, or correct PATH")
	return launch.FailureStatus(err)
}
