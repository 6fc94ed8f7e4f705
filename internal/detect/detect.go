// Package detect judges a shell command string: will what it starts need a lot of memory? Text goes in, a verdict comes
// out: a class, the rule and the simple command that decided, and why, in words for a person.
//
// It reads the string as the shell would: it parses it in the shell's own dialect, folds what is constant, follows
// functions, aliases, wrappers such as sudo, env and xargs, strings handed to another shell, and, through an fs.FS that
// the caller may supply, package.json scripts, shell scripts, makefiles and git hooks. It never runs anything, never
// opens a file by itself, never prints, and never looks at the clock: its budgets are sizes and depths, so that the same
// string always gets the same verdict. Whatever it cannot know counts against the string, never for it.
package detect

import (
	"io/fs"
	"strings"
	"unicode/utf8"
)

// Class says how much a string has to be feared. The classes are ordered: a string has the greatest class of its parts.
type Class uint8

const (
	Light      Class = iota // nothing in it needs much memory
	Isolated                // whatever does stands behind a limit already
	MaybeHeavy              // it depends on something that the string does not say
	Heavy                   // it compiles, bundles, lints, tests or installs
)

// String is the class as verdicts and the corpus spell it.
func (c Class) String() string {
	switch c {
	case Isolated:
		return "isolated"
	case MaybeHeavy:
		return "maybe-heavy"
	case Heavy:
		return "heavy"
	}
	return "light"
}

// Dialect is the shell language in which a string is written.
type Dialect uint8

const (
	Bash  Dialect = iota // bash, and whatever is not known better
	Zsh                  // zsh, with its own globs, aliases and =name
	POSIX                // sh and dash: read as bash, which understands all that they do
)

// Shape says which program put the string together.
type Shape uint8

const (
	Raw        Shape = iota // nothing known: a hook, an MCP server, a -c string
	ClaudeBash              // the string of Claude Code's Bash tool
	OpenClaw                // OpenClaw's PATH prologue, snapshot form or managed identity
)

// Input is a string to judge and what is known about where it will run. Only Text is required.
type Input struct {
	Text    string
	Dialect Dialect

	// Dir is the working directory, empty when unknown.
	Dir string

	// FS is rooted at "/"; nil means that no file is looked at. What is found there can raise a class, never lower it.
	FS fs.FS

	// Getenv is the environment that the string will start with; nil means that nothing is known about it.
	Getenv func(name string) (value string, ok bool)

	// Wrapper reports whether a command word, as the shell would find it, is an approved isolating wrapper. It is asked
	// only where the string itself cannot have given that word another meaning: no function or alias of that name, no
	// assignment to PATH. A relative path arrives joined to the directory that the string has changed to.
	Wrapper func(word string) bool

	// Extra holds an operator's additional rules.
	Extra *Extra
}

// Verdict is what Classify found.
type Verdict struct {
	Class  Class
	Opaque bool   // something that cannot be known from the text decided
	Rule   string // the ID of the rule that decided, empty for a light string

	// Program and Subcommand are words from the rule table, never from the string: they hold no secrets and may be logged.
	Program, Subcommand string

	Command  string // the deciding simple command as it is written, shortened, for people
	Pos, End int    // where that command stands in Input.Text, in bytes; both -1 when nothing in it decided
	Reason   string // one clause, lower case, for people

	Shape Shape
	Inner string // the model's own command where a client's wrapping was taken off, else Input.Text
}

// Classify judges a string. It is total: any bytes of any size get a verdict, in time and memory that are bounded by the
// package's budgets.
func Classify(in Input) (v Verdict) {
	shape, inner := Raw, in.Text
	defer func() {
		if recover() != nil { // a bug here must not decide that a string is light
			v = Verdict{Class: MaybeHeavy, Opaque: true, Rule: "panic", Reason: "the classifier failed on this string", Pos: -1, End: -1}
		}
		v.Shape, v.Inner = shape, inner
	}()
	w := newWalker(&in)
	decoded := decode(in.Text)
	shape, inner = decoded.shape, decoded.inner
	w.decoded(decoded)
	return w.best.verdict()
}

// maxCommand bounds Verdict.Command; longer commands keep their beginning.
const maxCommand = 160

func shorten(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxCommand {
		cut := maxCommand
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
