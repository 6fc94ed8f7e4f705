package main

import (
	"fmt"
	"io"

	"github.com/heavy-run/heavy-run/internal/words"
)

// voice says whatever a user of this program reads; what is about a command is exec-prefix's too, see package words.
type voice struct {
	words.Voice
	stdout io.Writer
}

func (v voice) usage(err error) int {
	v.Say(err.Error() + "; heavy-run -h shows the options")
	return words.StatusRefused
}

func (v voice) print(text string) int {
	if _, err := io.WriteString(v.stdout, text); err != nil {
		v.Say(fmt.Sprintf("cannot write: %v", err))
		return words.StatusRefused
	}
	return 0
}
