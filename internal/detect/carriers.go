package detect

import (
	"encoding/base64"
	"slices"
	"strings"
)

// Programs that run a command from their arguments or from what they read, in ways that the table of wrappers cannot say.

var envWrapper = wrapper{name: "env", form: assignForm, values: "-u -C --unset --chdir -a --argv0", shell: "-S --split-string", ends: "--help --version"}

var xargsOptions = wrapper{abbreviates: true, values: "-n -P -L -d -a -E -s -R -S -I -J -i: -l: -e: --replace: --eof: --max-lines: --max-args --max-procs --delimiter --arg-file --max-chars --process-slot-var"}

var parallelOptions = wrapper{values: "--tag: --max-args -s --sshdelay --halt-on-error --basefile --memsuspend --profile -j -P --jobs --max-procs -n -N -L -I -a --arg-file -C --colsep --joblog --results --delay --timeout --retries --tmpdir --workdir --wd -S --sshlogin --load --memfree --nice --halt --tagstring --env -d --delimiter --block --recstart --recend --shebang-wrap --shell-x"}

var switchUserOptions = wrapper{
	abbreviates: true,
	values:      "-u --user -s --shell -g --group -G --supp-group -w --whitelist-environment",
	shell:       "-c --command --session-command",
}

// env reads env's arguments. The string of -S is split into words that take the option's place.
func (w *walker) env(argv []string) {
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		if a == "-" || strings.Contains(a, "=") && a[0] != '-' {
			continue
		}
		if a == "--" || a == "" || a[0] != '-' {
			break
		}
		opt := option(argv[i:], &envWrapper)
		if !opt.text {
			i += opt.next
			continue
		}
		used := 1 + opt.next
		split := slices.Concat(argv[:i], splitWords(w.envString(opt.value)), argv[min(i+used, len(argv)):])
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

// envString expands what env -S does in its string: ${NAME}, and \_ for a blank.
func (w *walker) envString(text string) string {
	text = strings.ReplaceAll(text, `\_`, " ")
	for {
		before, rest, ok := strings.Cut(text, "${")
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return text
		}
		value := w.oneValue(name)
		if value == "" {
			value = string(unknownWords)
		}
		text = before + value + after
		if len(text) > maxValue || !w.step(len(text)/32+1) {
			return string(unknownWords)
		}
	}
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
		command, text := false, false
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
			opt := option(args[i:], &switchUserOptions)
			if opt.text {
				w.shell(opt.value, Bash, nil)
				text = true
			}
			command = command || name == "runuser" && (opt.name == "-u" || opt.name == "--user")
			i += opt.next
		}
		operands = slices.DeleteFunc(operands, func(o string) bool { return o == "-" && !command })
		switch {
		case command:
			w.external(operands)
		case !text: // the user's shell has what follows the user as its arguments
			w.shellCommand("sh", operands[min(1, len(operands)):])
		}
	})
}

// windowsShell reads pwsh -Command and cmd /c, whose strings are near enough to a shell's to find commands in them.
func (w *walker) windowsShell(args []string) {
	for i, a := range args {
		a = strings.ToLower(a)
		abbreviates := func(name string) bool { return len(a) > 1 && strings.HasPrefix(name, a) }
		switch {
		case abbreviates("-command"), a == "/c", a == "/k":
			w.shell(strings.Join(args[i+1:], " "), Bash, nil)
			return
		case (abbreviates("-encodedcommand") || a == "-ec") && i+1 < len(args):
			if decoded, err := base64.StdEncoding.DecodeString(args[i+1]); err == nil { // UTF-16; what is not ASCII matters to no table
				w.shell(strings.ReplaceAll(string(decoded), "\x00", ""), Bash, nil)
			} else {
				w.opaque("opaque.shell", "a shell runs a command that is known only when it runs")
			}
			return
		}
	}
}

// watcher reads the commands that nodemon and its like start again and again.
func (w *walker) watcher(name string, args []string) {
	w.behind("behind "+name, func() {
		for i := range args {
			opt, value := nameAndValue(args[i:])
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
	var flags []string
	i := 0
	for ; i < len(args) && len(args[i]) > 1 && args[i][0] == '-'; i++ {
		a := args[i]
		if a == "--" {
			i++
			break
		}
		opt := option(args[i:], &xargsOptions)
		switch opt.name {
		case "-I", "-J", "-i", "--replace":
			if replace = opt.value; replace == "" {
				replace = "{}"
			}
		}
		flags = append(flags, strings.TrimSuffix(a, opt.value), opt.name)
		i += opt.next
	}
	command := slices.Clone(args[min(i, len(args)):])
	if len(command) == 0 {
		return
	}
	split := splitWords
	if given("-0 --null", flags) {
		split = func(s string) []string { return strings.Split(strings.TrimSuffix(s, "\x00"), "\x00") }
	} else if given("-d --delimiter", flags) {
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
		i += option(args[i:], &parallelOptions).next
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

// remote judges the local commands of ssh and what is built on it: -o ProxyCommand=…, rsync -e …. What they run on the other machine is
// no concern of ours.
func (w *walker) remote(name string, args []string) {
	w.behind("behind "+name, func() {
		for i, a := range args {
			next := ""
			if i+1 < len(args) {
				next = args[i+1]
			}
			setting, isSetting := strings.CutPrefix(a, "-o")
			if isSetting && setting == "" {
				setting = next
			}
			command, attached := strings.CutPrefix(a, "--rsh=")
			end := max(strings.IndexAny(setting, "= "), 0)
			switch {
			case isSetting && has("proxycommand localcommand knownhostscommand", strings.ToLower(setting[:end])):
				w.shell(setting[end+1:], Bash, nil)
			case attached:
				w.shell(command, Bash, nil)
			case name == "rsync" && (a == "--rsh" || lastLetter(a, 'e')) || (name == "scp" || name == "sftp") && a == "-S":
				w.shell(next, Bash, nil)
			}
		}
	})
	w.tellWords(args)
}

// shellEscapes begin the commands with which programs that talk to a person start a shell: sqlite3 x '.shell make'.
var shellEscapes = [...]string{"!", `\!`, ".shell ", ".system ", "shell ", "system ", "platform shell "}

// escapes judges the shell commands among what such a program is told, by its arguments or its standard input.
func (w *walker) escapes(name string, args []string) {
	escape := func(line string) {
		for _, prefix := range shellEscapes {
			if command, ok := strings.CutPrefix(strings.TrimLeft(line, "+ \t"), prefix); ok {
				w.shell(command, Bash, nil)
				return
			}
		}
		w.startedIn(line) // gdb -ex 'python os.system("make")'
	}
	w.behind("in "+name, func() {
		for _, a := range args {
			if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "--") {
				a = value
			}
			escape(a)
		}
		if text, ok := w.stdinText(); ok {
			for line := range strings.Lines(text) {
				escape(strings.TrimSuffix(line, "\n"))
			}
		}
		if i := slices.Index(args, "--args"); i >= 0 && name == "gdb" {
			w.external(args[i+1:])
		}
	})
}
