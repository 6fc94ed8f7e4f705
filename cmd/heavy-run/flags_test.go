package main

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/heavy-run/heavy-run/internal/detect"
)

// The classifier knows of each of heavy-run's options whether it takes a value and whether anything is run with it.
func TestClassifierKnowsTheOptions(t *testing.T) {
	class := func(text string, want detect.Class) {
		t.Helper()
		if v := detect.Classify(detect.Input{Text: text}); v.Class != want {
			t.Errorf("%s, not %s: %q", v.Class, want, text)
		}
	}
	newFlagSet(&flags{}).VisitAll(func(flag *pflag.Flag) {
		value, words := "true", ""
		if flag.NoOptDefVal == "" {
			value, words = "ls", " ls" // a program's name, so that it is taken for the command where the option is not known
		}
		var f flags
		if err := newFlagSet(&f).Set(flag.Name, value); err != nil {
			t.Fatal(err)
		}
		want := detect.Heavy
		if f.version || f.explain || f.asked() {
			want = detect.Light
		}
		options := []string{"--" + flag.Name}
		if flag.Shorthand != "" {
			options = append(options, "-"+flag.Shorthand)
		}
		for _, option := range options {
			class("heavy-run "+option+words+" make", want)
			if flag.Name == "command" {
				class("heavy-run "+option+" make", detect.Heavy)
			}
		}
	})
	class("heavy-run --help -- make", detect.Light) // the flag package's own
	class("heavy-run -h -- make", detect.Light)
}
