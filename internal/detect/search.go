package detect

import (
	"path"
	"strconv"
	"strings"
)

// ripgrep judges rg. It skips what git ignores and binary files, so only the options that switch this off make it read a
// whole tree: -u, --no-ignore, and -S, which stands in OpenClaw's list of what filled the gateway's memory
// (https://github.com/openclaw/openclaw/issues/77121).
func (w *walker) ripgrep(args []string) {
	sorted := optionsOf("rg").sort(args)
	if sorted.ends || !given("-u -S --no-ignore --unrestricted --smart-case", sorted.options) {
		return
	}
	files := sorted.operands
	if !given("-e --regexp -f --file --files", sorted.options) && len(files) > 0 {
		files = files[1:]
	}
	for _, f := range files {
		if !namesFile(f) {
			files = nil
			break
		}
	}
	if len(files) == 0 {
		w.note(finding{class: MaybeHeavy, rule: "rg.tree", program: "rg", why: "reads a whole tree"})
	}
}

// namesFile reports whether a word looks like one file rather than a directory.
func namesFile(word string) bool {
	base := path.Base(word)
	return strings.LastIndexByte(base, '.') > 0 && !strings.ContainsAny(base, "*\x01\x02")
}

// grep judges a recursive grep by the table, and -o with bounded repetitions, on which the grep that Claude Code brings
// along took 6 to 16 GB for files of some KB: the memory goes into the automaton
// (https://github.com/anthropics/claude-code/issues/82179, https://github.com/anthropics/claude-code/issues/87625).
func (w *walker) grep(name string, args []string) bool {
	if given("-o --only-matching", optionsOf(name).sort(args).options) {
		sum := 0
		for _, a := range args {
			sum += repetitions(a)
		}
		if sum >= 80 {
			w.note(finding{class: MaybeHeavy, rule: "grep.repeats", program: name, why: "builds a large automaton from bounded repetitions"})
		}
	}
	return false
}

// repetitions adds up the upper bounds of the {m,n} in a regular expression.
func repetitions(re string) int {
	sum := 0
	for {
		_, after, ok := strings.Cut(re, "{")
		if !ok {
			return sum
		}
		re = after
		bounds, _, ok := strings.Cut(after, "}")
		if !ok {
			return sum
		}
		bounds = strings.TrimSuffix(bounds, "\\")
		_, upper, ok := strings.Cut(bounds, ",")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(upper); err == nil {
			sum += min(n, 1000)
		}
	}
}

// find judges what find runs, and whether it goes through a whole tree.
func (w *walker) find(args []string) {
	var roots []string
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if a == "-H" || a == "-L" || a == "-P" || strings.HasPrefix(a, "-O") {
			continue
		}
		if strings.HasPrefix(a, "-") || a == "(" || a == "!" {
			break
		}
		roots = append(roots, a)
	}
	shallow := false
	for ; i < len(args); i++ {
		switch a := args[i]; a {
		case "-maxdepth":
			if i+1 < len(args) {
				n, err := strconv.Atoi(args[i+1])
				shallow = err == nil && n <= 3
			}
		case "-version", "--version", "-help", "--help":
			return
		case "-exec", "-execdir", "-ok", "-okdir":
			from := i + 1
			for i++; i < len(args) && args[i] != ";" && args[i] != "\\;"; i++ {
				if args[i] == "+" && args[i-1] == "{}" {
					break
				}
			}
			command := args[min(from, len(args)):min(i, len(args))]
			w.behind("behind find "+a, func() { w.external(command) })
		}
	}
	if shallow {
		return
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, r := range roots {
		if broad(r) {
			w.note(finding{class: MaybeHeavy, rule: "find.tree", program: "find", why: "goes through a whole tree"})
			return
		}
	}
}

// broad reports whether a directory is likely the top of something large: a project, a home, a file system.
func broad(dir string) bool {
	dir = strings.TrimRight(dir, "/")
	switch dir {
	case "", ".", "..", "~", "../..", "$HOME", "$PWD":
		return true
	}
	if unknown(dir) || !strings.HasPrefix(dir, "/") {
		return false
	}
	if strings.HasPrefix(dir, "/tmp") || strings.HasPrefix(dir, "/etc") || strings.HasPrefix(dir, "/proc") || strings.HasPrefix(dir, "/dev") ||
		strings.HasPrefix(dir, "/run") || strings.HasPrefix(path.Base(dir), ".") {
		return false
	}
	return strings.Count(dir, "/") <= 4
}

// fd judges fd, which respects .gitignore unless told otherwise, and what it runs.
func (w *walker) fd(args []string) {
	for i, a := range args {
		switch a {
		case "-x", "--exec", "-X", "--exec-batch":
			command := args[i+1:]
			for j, c := range command {
				if c == ";" {
					command = command[:j]
					break
				}
			}
			w.behind("behind fd "+a, func() { w.external(command) })
			return
		}
	}
	sorted := (&programOptions{values: "-d --max-depth --min-depth -e --extension -t --type -E --exclude -S --size -j --threads --max-results --changed-within -c"}).sort(args)
	if given("-u --unrestricted --no-ignore -I", sorted.options) {
		w.note(finding{class: MaybeHeavy, rule: "fd.tree", program: "fd", why: "goes through a whole tree"})
		return
	}
	if len(sorted.operands) > 1 && broad(sorted.operands[1]) && strings.HasPrefix(sorted.operands[1], "/") {
		w.note(finding{class: MaybeHeavy, rule: "fd.tree", program: "fd", why: "goes through a whole tree"})
	}
}
