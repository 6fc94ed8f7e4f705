// Package shellargs divides the command line of a POSIX shell, bash or zsh into options and operands, as those shells
// do it themselves, and finds the string that -c runs. It never looks at the string itself and starts nothing.
package shellargs

import "strings"

// Invocation says where the parts of a shell's command line are. Indices count from the first word after argv[0].
type Invocation struct {
	Command     int  // index of the string that -c runs; -1 when there is none
	Operand     int  // index of the first operand: the -c string or the script; the number of words when there is none
	Stdin       bool // -s: the script comes from standard input, operands are its arguments
	Login       bool // -l or --login
	Interactive bool // -i
	Ends        bool // --help or --version: the shell prints and runs nothing
}

// Parse divides args, the words after argv[0], for the shell named name ("bash", "zsh"; anything else is read as a POSIX
// shell, which has the same short options as bash and no long ones).
//
// All three shells take the first operand as the string when a -c stands anywhere among the options, so `bash -c -l STRING`
// and `bash -lc STRING` are the same. They differ in what takes a value: bash's -o and -O take the next word even from
// the middle of a cluster, zsh's -o takes the rest of its word first. See bash(1) OPTIONS, zsh(1) INVOCATION.
func Parse(name string, args []string) Invocation {
	p := parser{args: args, inv: Invocation{Command: -1}}
	switch name {
	case "zsh":
		p.zsh()
	case "bash":
		p.bashLong()
		p.short()
	default:
		p.short()
	}
	p.next = min(p.next, len(args))
	p.inv.Operand = p.next
	if p.command && p.next < len(args) {
		p.inv.Command = p.next
	}
	return p.inv
}

type parser struct {
	args    []string
	next    int
	command bool
	inv     Invocation
}

// bashLong reads the long options, which bash knows in front of the short ones only and with one dash as well as two.
func (p *parser) bashLong() {
	for ; p.next < len(p.args); p.next++ {
		word, dash := strings.CutPrefix(p.args[p.next], "-")
		if !dash {
			return
		}
		switch strings.TrimPrefix(word, "-") {
		case "rcfile", "init-file":
			p.next++
		case "login":
			p.inv.Login = true
		case "help", "version":
			p.inv.Ends = true
		case "debug", "debugger", "dump-po-strings", "dump-strings", "noediting", "noprofile", "norc", "posix",
			"pretty-print", "protected", "restricted", "verbose", "wordexp":
		default:
			return
		}
	}
}

// short reads clusters of short options up to the first operand, "-" or "--".
func (p *parser) short() {
	for p.next < len(p.args) && isOption(p.args[p.next]) {
		word := p.args[p.next]
		p.next++
		if word == "-" || word == "--" {
			return
		}
		for _, letter := range []byte(word[1:]) {
			p.letter(letter)
			if letter == 'o' || letter == 'O' {
				p.next++
			}
		}
	}
}

// zsh reads options as zsh does: long ones anywhere, -b ends them all, -o takes the rest of its word or the next.
func (p *parser) zsh() {
	for p.next < len(p.args) && isOption(p.args[p.next]) {
		word := p.args[p.next]
		p.next++
		if word == "-" || word == "--" {
			return
		}
		if long, ok := strings.CutPrefix(word, "--"); ok {
			switch long {
			case "emulate":
				p.next++
			case "login":
				p.inv.Login = true
			case "help", "version":
				p.inv.Ends = true
			}
			continue
		}
		last := false
	cluster:
		for i := 1; i < len(word); i++ {
			p.letter(word[i])
			switch word[i] {
			case 'o':
				if i+1 == len(word) {
					p.next++
				}
				break cluster
			case 'b':
				last = true
			case '-': // "-c-": zsh stops at a dash inside a cluster
				last = true
				break cluster
			}
		}
		if last {
			return
		}
	}
}

func (p *parser) letter(letter byte) {
	switch letter {
	case 'c':
		p.command = true
	case 's':
		p.inv.Stdin = true
	case 'l':
		p.inv.Login = true
	case 'i':
		p.inv.Interactive = true
	}
}

func isOption(word string) bool {
	return word != "" && (word[0] == '-' || word[0] == '+')
}
