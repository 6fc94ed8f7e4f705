package detect

import (
	"slices"
	"strings"
)

// Programs that run a command from their arguments or from what they read, in ways that the table of wrappers cannot say.

var envWrapper = wrapper{name: "env", form: assignForm, values: "-u -C --unset --chdir -a --argv0", ends: "--help --version"}

var xargsOptions = wrapper{values: "-n -P -L -d -a -E -s -R -S --max-args --max-procs --max-lines --delimiter --arg-file --max-chars --process-slot-var"}

var parallelOptions = wrapper{values: "-j -P --jobs --max-procs -n -N -L -I -a --arg-file -C --colsep --joblog --results --delay --timeout --retries --tmpdir --workdir --wd -S --sshlogin --load --memfree --nice --halt --tagstring --env -d --delimiter --block --recstart --recend --shebang-wrap --shell-x"}

var switchUserOptions = wrapper{
	values: "-u --user -s --shell -g --group -G --supp-group -w --whitelist-environment",
	shell:  "-c --command --session-command",
}

// env reads env's arguments. The string of -S is split into words that take the option's place.
func (w *walker) env(argv []string) {
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		var text string
		used := 1
		switch {
		case a == "--split-string":
			if i+1 == len(argv) {
				return
			}
			text, used = argv[i+1], 2
		case strings.HasPrefix(a, "--split-string="):
			text = a[len("--split-string="):]
		case len(a) > 1 && a[0] == '-' && strings.HasPrefix(strings.TrimLeft(a[1:], "iv0"), "S"): // -S, -vS, -iS'…'
			if text = a[strings.IndexByte(a, 'S')+1:]; text == "" && i+1 < len(argv) {
				text, used = argv[i+1], 2
			}
		case a == "-u" || a == "-C" || a == "--unset" || a == "--chdir":
			i++
			continue
		case len(a) > 0 && a[0] == '-' || strings.Contains(a, "="):
			continue
		}
		if text == "" {
			break
		}
		split := slices.Concat(argv[:i], splitWords(text), argv[min(i+used, len(argv)):])
		if len(split) > 512 || !w.enter() {
			w.opaque("budget", "too many words")
			return
		}
		w.env(split)
		w.leave()
		return
	}
	w.wrapped(&envWrapper, argv)
}

// splitWords splits a string at blanks, as env -S does, minding quotes.
func splitWords(s string) []string {
	var words []string
	var b strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				b.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
			open = true
		case isBlank(rune(c)):
			if open {
				words = append(words, b.String())
				b.Reset()
				open = false
			}
		default:
			b.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, b.String())
	}
	return words
}

// switchUser reads su and runuser: options and operands in any order, a string for the user's shell behind -c, or, for
// runuser -u, a command.
func (w *walker) switchUser(name string, args []string) {
	w.behind("behind "+name, func() {
		var operands []string
		command := false
		for i := 0; i < len(args); i++ {
			a := args[i]
			if a == "--" && (command || name != "su") {
				operands = append(operands, args[i+1:]...)
				break
			}
			if a == "--" { // su USER -- -c TEXT: what follows is for the user's shell, which has the same -c
				continue
			}
			if len(a) < 2 || a[0] != '-' {
				operands = append(operands, args[i:]...)
				if command {
					break
				}
				operands = operands[:len(operands)-len(args[i+1:])]
				continue
			}
			opt := option(a, &switchUserOptions)
			if opt.text {
				if opt.next > 0 && i+1 < len(args) {
					opt.value = args[i+1]
				}
				w.shell(opt.value, Bash, nil)
			}
			command = command || name == "runuser" && (a == "-u" || a == "--user" || strings.HasPrefix(a, "--user="))
			i += opt.next
		}
		if command {
			w.external(operands)
		}
	})
}

// windowsShell reads pwsh -Command and cmd /c, whose strings are near enough to a shell's to find commands in them.
func (w *walker) windowsShell(args []string) {
	for i, a := range args {
		switch strings.ToLower(a) {
		case "-command", "-c", "/c", "/k":
			w.shell(strings.Join(args[i+1:], " "), Bash, nil)
			return
		}
	}
}

// watcher reads the commands that nodemon and its like start again and again.
func (w *walker) watcher(name string, args []string) {
	w.behind("behind "+name, func() {
		for i, a := range args {
			opt, value, attached := strings.Cut(a, "=")
			if !attached && i+1 < len(args) {
				value = args[i+1]
			}
			switch opt {
			case "-x", "--exec", "-c", "--command", "-s":
				w.shell(value, Bash, nil)
			case "--":
				w.external(args[i+1:])
			}
		}
	})
}

// queued judges at and crontab, which run later, by a daemon, what they read now.
func (w *walker) queued() {
	saved := w.surroundings
	w.elsewhere = true
	w.shellStdin(Bash, nil)
	w.surroundings = saved
}

// entr reads the command that entr runs when files change: arguments, or a string behind -s.
func (w *walker) entr(args []string) {
	text := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		text = text || strings.Contains(args[0], "s")
		args = args[1:]
	}
	w.behind("behind entr", func() {
		if text && len(args) > 0 {
			w.shell(args[0], Bash, nil)
			return
		}
		w.external(args)
	})
}

// xargs adds the words that it reads to a command.
func (w *walker) xargs(args []string) {
	replace := ""
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		a := args[i]
		if a == "--" {
			i++
			break
		}
		switch {
		case strings.HasPrefix(a, "-I") || a == "-J":
			if replace = a[2:]; replace == "" && i+1 < len(args) {
				i++
				replace = args[i]
			}
		case a == "-i" || a == "--replace":
			replace = "{}"
		case strings.HasPrefix(a, "-i"):
			replace = a[2:]
		case strings.HasPrefix(a, "--replace="):
			replace = a[len("--replace="):]
		default:
			i += option(a, &xargsOptions).next
		}
	}
	command := slices.Clone(args[min(i, len(args)):])
	if len(command) == 0 {
		return
	}
	split := splitWords
	if options := args[:min(i, len(args))]; given("-0 --null", options) {
		split = func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00") }
	} else if given("-d --delimiter", options) {
		split = func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\n"), "\n") }
	}
	text, known := w.stdinText()
	w.behind("behind xargs", func() {
		saved := w.stdin
		w.stdin = stdin{}
		defer func() { w.stdin = saved }()
		if replace != "" {
			w.replaced(command, replace, text, known)
			return
		}
		if known && len(text) < 4096 {
			command = append(command, split(text)...)
		} else {
			command = append(command, string(unknownWords))
		}
		w.external(command)
	})
}

// replaced judges a command in which a placeholder stands for each of the lines that are read.
func (w *walker) replaced(command []string, placeholder, text string, known bool) {
	lines := []string{string(unknownWord)}
	if known {
		lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	for _, line := range lines[:min(len(lines), maxAlts)] {
		filled := make([]string, len(command))
		for i, c := range command {
			filled[i] = strings.ReplaceAll(c, placeholder, line)
		}
		if !w.step(len(line)) {
			return
		}
		w.external(filled)
	}
}

// parallel reads GNU parallel's command, a shell string with the inputs put in, or inputs that are commands themselves.
func (w *walker) parallel(args []string) {
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		if args[i] == "--" {
			i++
			break
		}
		i += option(args[i], &parallelOptions).next
	}
	var command, inputs []string
	for i = min(i, len(args)); i < len(args) && !strings.HasPrefix(args[i], ":::"); i++ {
		command = append(command, args[i])
	}
	if i < len(args) && (args[i] == ":::" || args[i] == ":::+") {
		for _, in := range args[i+1:] {
			if !strings.HasPrefix(in, ":::") {
				inputs = append(inputs, in)
			}
		}
	} else if text, ok := w.stdinText(); ok && i == len(args) {
		inputs = strings.Split(strings.TrimRight(text, "\n"), "\n")
	} else {
		inputs = []string{string(unknownWord)}
	}
	w.behind("behind parallel", func() {
		saved := w.stdin
		w.stdin = stdin{}
		defer func() { w.stdin = saved }()
		template := strings.Join(command, " ")
		for _, in := range inputs[:min(len(inputs), maxAlts)] {
			switch {
			case template == "":
				w.shell(in, Bash, nil)
			case strings.Contains(template, "{}"):
				w.shell(strings.ReplaceAll(template, "{}", in), Bash, nil)
			default:
				w.shell(template+" "+in, Bash, nil)
			}
		}
	})
}
