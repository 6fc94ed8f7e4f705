package detect

import "strings"

// Programs that edit files. They write files that they are told, and their scripts may start commands.

// patch judges patch, git apply and git am: whatever the patch names may be a script that runs later.
func (w *walker) patch(args []string) {
	sorted := patchOptions.sort(args)
	if given("--dry-run --check --stat --numstat --summary", sorted.options) {
		return
	}
	input := sorted.operands
	for i := range args {
		opt, value := nameAndValue(args[i:])
		if has("-i --input", opt) {
			input = append(input, value)
		}
	}
	if len(input) == 0 && w.stdin.kind != stdinNone {
		w.tell(w.stdinText())
	}
	for _, name := range input {
		w.tell(w.scriptText(name))
	}
	w.tellWords(args)
}

var patchOptions = programOptions{values: "-p -i -o -d -B -F -D -Y -V -z -r --input --output --directory --fuzz --strip --exclude --include -C --whitespace"}

// sed judges the commands that sed's scripts start: 1e date, s/.*/date/e.
func (w *walker) sed(args []string) {
	var scripts, operands []string
	inPlace := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		opt, value, attached := strings.Cut(a, "=")
		next := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		switch {
		case len(a) < 2 || a[0] != '-':
			operands = append(operands, a)
		case attached && opt == "--expression":
			scripts = append(scripts, value)
		case attached && opt == "--file":
			text, _ := w.scriptText(value)
			scripts = append(scripts, text)
		case strings.HasPrefix(a, "-i") || opt == "--in-place":
			inPlace = true
		case a == "--expression" || lastLetter(a, 'e'):
			scripts = append(scripts, next())
		case a == "--file" || lastLetter(a, 'f'):
			text, _ := w.scriptText(next())
			scripts = append(scripts, text)
		case strings.HasPrefix(a, "-e"):
			scripts = append(scripts, a[2:])
		case a == "-l" || a == "--line-length":
			i++
		}
		inPlace = inPlace || len(a) < 6 && isCluster(a, 'i')
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts, operands = operands[:1], operands[1:]
	}
	w.behind("in a sed script", func() {
		for _, text := range scripts {
			w.sedScript(text)
		}
	})
	if inPlace {
		w.tellWords(operands)
	}
}

func (w *walker) sedScript(text string) {
	if !w.step(len(text) / 16) {
		return
	}
	line := func(from int) int { // the end of the line, where a backslash does not continue it
		for i := from; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if text[i] == '\n' {
				return i
			}
		}
		return len(text)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '/':
			i = sedPart(text, i+1, c)
		case '\\':
			if i+1 < len(text) {
				i = sedPart(text, i+2, text[i+1])
			}
		case 's', 'y':
			if i+1 >= len(text) {
				return
			}
			delimiter := text[i+1]
			from := sedPart(text, i+2, delimiter) + 1
			to := sedPart(text, from, delimiter)
			i = to
			if c == 'y' {
				continue
			}
			for i+1 < len(text) && strings.IndexByte("gpiImMe0123456789", text[i+1]) >= 0 {
				if i++; text[i] == 'e' {
					w.runsInput(strings.ReplaceAll(unescape(text[from:to], string(delimiter)), "&", string(unknownWords)), true)
				}
			}
			if i+1 < len(text) && text[i+1] == 'w' {
				i = line(i)
			}
		case 'e':
			end := line(i)
			command := strings.TrimSpace(text[i+1 : end])
			w.runsInput(command, command == "" || command[0] == ';' || command[0] == '}')
			i = end
		case 'w', 'W':
			end := line(i)
			w.writeFile(strings.TrimSpace(text[i+1:end]), string(unknownWords), true)
			i = end
		case 'a', 'i', 'c', 'r', 'R', '#':
			i = line(i)
		case ':', 'b', 't', 'T':
			for i+1 < len(text) && strings.IndexByte(";\n}", text[i+1]) < 0 {
				i++
			}
		}
	}
}

// sedPart returns the index of the delimiter that ends a pattern or replacement.
func sedPart(text string, from int, delimiter byte) int {
	for i := from; i < len(text); i++ {
		switch text[i] {
		case delimiter:
			return i
		case '\\':
			i++
		}
	}
	return len(text)
}

// runsInput judges a command that sed or awk starts. It may be made of the lines that they read.
func (w *walker) runsInput(command string, ofInput bool) {
	w.shell(command, Bash, nil)
	if ofInput {
		if text, ok := w.stdinText(); ok {
			w.shell(text, Bash, nil)
		} else {
			w.opaque("opaque.stdin", "what it reads is run as commands")
		}
	}
}

// editor judges the commands that ed, ex and vi start: vim -c '!make', ed <<< '!make'.
func (w *walker) editor(name string, args []string) {
	w.behind("in "+name, func() {
		for i, a := range args {
			switch {
			case len(a) > 1 && a[0] == '+':
				w.editorCommand(a[1:])
			case i+1 < len(args) && (a == "--cmd" || lastLetter(a, 'c')):
				w.editorCommand(args[i+1])
			case a == "-S" && i+1 < len(args):
				text, _ := w.scriptText(args[i+1])
				for line := range strings.Lines(text) {
					w.editorCommand(strings.TrimSuffix(line, "\n"))
				}
			}
		}
		if text, ok := w.stdinText(); ok {
			for line := range strings.Lines(text) {
				w.editorCommand(strings.TrimSuffix(line, "\n"))
			}
			w.tell(text, true)
		}
	})
	w.tellWords(args)
}

func (w *walker) editorCommand(line string) {
	if !w.step(1 + len(line)/16) {
		return
	}
	w.startedIn(line) // call system('make')
	for more := true; more; {
		command := strings.TrimLeft(line, ": \t")
		for _, before := range [...]string{"silent! ", "silent ", "exe ", "execute "} {
			command = strings.TrimLeft(strings.TrimPrefix(command, before), `'"`)
		}
		command = strings.TrimLeft(command, "%.$,'<>0123456789 ")
		for _, before := range [...]string{"r", "read", "w", "write", "term", "terminal"} {
			if rest, ok := strings.CutPrefix(command, before); ok && (strings.HasPrefix(rest, " !") || before == "r" && strings.HasPrefix(rest, "!")) {
				command = strings.TrimSpace(rest)
			} else if ok && before[0] == 't' && strings.HasPrefix(rest, " ") {
				command = "!" + rest
			}
		}
		if shell, ok := strings.CutPrefix(command, "!"); ok { // what follows is the shell's, bars too
			w.shell(strings.TrimRight(shell, `'"`), Bash, nil)
			return
		}
		_, line, more = strings.Cut(line, "|")
	}
}
