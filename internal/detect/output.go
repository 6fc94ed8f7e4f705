package detect

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output returns the text that commands write, where it follows from the string: echo, printf, a here-document through
// cat. It is what $(…), pipes into a shell and scripts written on the fly are made of.
func (w *walker) output(stmts []*syntax.Stmt) (string, bool) {
	dir := w.dir // cd counts for what follows it here: $(cd "$X" && pwd)
	defer func() { w.dir = dir }()
	if len(stmts) == 1 {
		return w.stmtOutput(stmts[0])
	}
	var b strings.Builder
	for _, s := range stmts {
		text, ok := w.stmtOutput(s)
		if !ok || b.Len()+len(text) > maxValue {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func (w *walker) stmtOutput(s *syntax.Stmt) (string, bool) {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.RdrClob, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrAllClob:
			if (r.N == nil || r.N.Value == "1") && r.Word.Lit() != "/dev/stdout" {
				return "", true
			}
		}
	}
	saved := w.stdin
	w.redirectStdin(s)
	defer func() { w.stdin = saved }()
	if s.Cmd == nil && len(s.Redirs) > 0 { // $(<file)
		return w.stdinText()
	}
	return w.cmdOutput(s.Cmd)
}

func (w *walker) cmdOutput(cmd syntax.Command) (text string, ok bool) {
	if !w.enter() {
		return "", false
	}
	defer w.leave()
	switch c := cmd.(type) {
	case nil:
		return "", true
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return "", true
		}
		if argvs := w.expand(c.Args); len(argvs) == 1 && len(argvs[0]) > 0 {
			return w.argvOutput(argvs[0])
		}
	case *syntax.Block:
		return w.output(c.Stmts)
	case *syntax.Subshell:
		return w.output(c.Stmts)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.Pipe, syntax.PipeAll:
			saved := w.stdin
			w.stdin = stdin{kind: stdinPipe, from: []*syntax.Stmt{c.X}, prev: &saved}
			text, ok = w.stmtOutput(c.Y)
			w.stdin = saved
			return text, ok
		}
		return w.output([]*syntax.Stmt{c.X, c.Y}) // of A || B either may be among what is run
	}
	return "", false
}

// argvOutput returns what one simple command writes.
func (w *walker) argvOutput(argv []string) (string, bool) {
	args := argv[1:]
	switch path.Base(argv[0]) {
	case "print":
		return echo(dropOptions(args)), true
	case "echo":
		return echo(args), true
	case "printf":
		return printf(args)
	case ":", "true", "false", "test", "[", "exit", "return", "set", "shift", "export", "local":
		return "", true
	case "cd":
		if args = dropOptions(args); len(args) == 0 {
			return "", false
		}
		w.dir = w.path(args[len(args)-1])
		return "", true
	case "dirname":
		if args = dropOptions(args); len(args) == 1 {
			return path.Dir(args[0]) + "\n", true
		}
	case "basename":
		if args = dropOptions(args); len(args) > 0 {
			return strings.TrimSuffix(path.Base(args[0]), strings.Join(args[1:], "")) + "\n", true
		}
	case "pwd":
		return w.dir + "\n", path.IsAbs(w.dir)
	case "which", "readlink", "realpath":
		return lastOperand(args)
	case "command", "type", "whence":
		if len(args) > 1 && (args[0] == "-v" || args[0] == "-p" || args[0] == "-P") {
			return lastOperand(args)
		}
	case "cat", "tee", "head", "tail", "sort", "uniq", "grep", "tac", "shuf":
		// These pass on some or all of what they read. Whatever might be among it counts.
		return w.passedOn(argv)
	case "base64":
		if len(args) > 0 && (slices.Contains(args, "-d") || slices.Contains(args, "--decode") || slices.Contains(args, "-D")) {
			text, ok := w.stdinText()
			decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
			return string(decoded), ok && err == nil
		}
	}
	if b, certain := w.bound(functionName, argv[0]); b != nil && b.fn.body != nil && certain && len(w.calling) < 8 {
		w.calling = append(w.calling, b.fn.body)
		params, set := w.params, w.paramsSet
		w.params, w.paramsSet = args, true
		text, ok := w.stmtOutput(b.fn.body)
		w.params, w.paramsSet = params, set
		w.calling = w.calling[:len(w.calling)-1]
		return text, ok
	}
	return "", false
}

// lastOperand is the output of programs that look a program up.
func lastOperand(args []string) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	return args[len(args)-1] + "\n", true
}

func (w *walker) passedOn(argv []string) (string, bool) {
	if argv[0] == "cat" {
		var b strings.Builder
		files := 0
		for _, a := range argv[1:] {
			if strings.HasPrefix(a, "-") {
				continue
			}
			files++
			text, ok := w.scriptText(a)
			if !ok || b.Len()+len(text) > maxValue {
				return "", false
			}
			b.WriteString(text)
		}
		if files > 0 {
			return b.String(), true
		}
	}
	return w.stdinText()
}

// stdinText returns what the current command reads, where that is known.
func (w *walker) stdinText() (string, bool) {
	switch w.stdin.kind {
	case stdinText:
		return w.stdin.text, true
	case stdinPipe:
		if !w.enter() {
			return "", false
		}
		defer w.leave()
		saved := w.stdin
		w.stdin = stdin{}
		if saved.prev != nil {
			w.stdin = *saved.prev
		}
		text, ok := w.output(saved.from)
		w.stdin = saved
		return text, ok
	}
	return "", false
}

func echo(args []string) string {
	newline, escapes := "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		if strings.Contains(args[0], "n") {
			newline = ""
		}
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		text = ansiC(text)
	}
	return text + newline
}

func printf(args []string) (string, bool) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || args[0] == "-v" {
		return "", false
	}
	format := args[0]
	args = args[1:]
	var b strings.Builder
	for first := true; first || len(args) > 0; first = false {
		had := len(args)
		for i := 0; i < len(format); i++ {
			switch {
			case format[i] == '\\' && i+1 < len(format):
				end := escapeEnd(format, i)
				b.WriteString(ansiC(format[i:end]))
				i = end - 1
			case format[i] == '%' && i+1 < len(format):
				i++
				for i < len(format) && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
					i++
				}
				if i == len(format) {
					break
				}
				if format[i] == '%' {
					b.WriteByte('%')
					break
				}
				arg := ""
				if len(args) > 0 {
					arg, args = args[0], args[1:]
				}
				if format[i] == 'b' {
					arg = ansiC(arg)
				}
				b.WriteString(arg)
			default:
				b.WriteByte(format[i])
			}
			if b.Len() > maxValue {
				return "", false
			}
		}
		if len(args) == had {
			break
		}
	}
	return b.String(), true
}

// escapeEnd returns the end of the backslash escape at s[i].
func escapeEnd(s string, i int) int {
	end := i + 2
	switch c := s[i+1]; {
	case c == 'x':
		_, n := digits(s[end:], 16, 2)
		end += n
	case c == 'u':
		_, n := digits(s[end:], 16, 4)
		end += n
	case c == 'U':
		_, n := digits(s[end:], 16, 8)
		end += n
	case c >= '0' && c <= '7':
		_, n := digits(s[end:], 8, 2)
		end += n
	}
	return min(end, len(s))
}

// heredoc folds a here-document's body. It is literal where the delimiter is quoted.
func (w *walker) heredoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	quoted := false
	for _, p := range r.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.IndexByte(lit.Value, '\\') >= 0
	}
	var b strings.Builder
	for _, p := range r.Hdoc.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			text := lit.Value
			if !quoted {
				text = unescape(text, "$`\\")
			}
			b.WriteString(text)
			continue
		}
		pieces := w.pieces(p, true)
		if len(pieces) != 1 {
			b.WriteByte(unknownWord)
			continue
		}
		b.WriteString(strings.Join(pieces[0].words, " "))
		if b.Len() > maxText {
			break
		}
	}
	text := b.String()
	if r.Op == syntax.DashHdoc {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimLeft(l, "\t")
		}
		text = strings.Join(lines, "\n")
	}
	return text
}
