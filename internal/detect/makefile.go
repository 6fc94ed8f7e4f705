package detect

import (
	"path"
	"slices"
	"strings"
)

// makefile judges the recipes of the targets that make is given, as far as a makefile can be read without running make.
// The table judges the targets' names. It reports whether make is only to say what it would do.
func (w *walker) makefile(args []string) bool {
	opts := optionsOf("make")
	sorted := opts.sort(args)
	if sorted.ends {
		return true
	}
	for use := range optionUses(args, &wrapper{abbreviates: true, values: opts.values, ends: opts.ends}) {
		if use.ends { // one of the letters of -qp or -nj8
			return true
		}
	}
	targets := slices.DeleteFunc(slices.Clone(sorted.operands), func(t string) bool { return strings.Contains(t, "=") })
	var overrides strings.Builder
	for _, a := range sorted.operands {
		if strings.Contains(a, "=") {
			overrides.WriteString("override " + a + "\n")
		}
	}
	dir, named := w.workplace(args, opts, "-C --directory", "-f --file --makefile")
	for _, file := range named {
		w.recipesIn(dir, []string{file}, targets, "make", overrides.String())
	}
	if len(named) == 0 {
		w.recipesIn(dir, []string{"GNUmakefile", "makefile", "Makefile"}, targets, "make", overrides.String())
	}
	return false
}

// workplace is the directory in which make, just or task are told to work, each option from where the one before it has led,
// and the files that they are told to read.
func (w *walker) workplace(args []string, opts *programOptions, dirOptions, fileOptions string) (dir string, files []string) {
	dir = w.dir
	for use := range optionUses(args, &wrapper{abbreviates: true, values: opts.values}) {
		switch {
		case use.value == "":
		case has(dirOptions, use.name):
			dir = w.pathFrom(dir, use.value)
		case has(fileOptions, use.name):
			files = append(files, use.value)
		}
	}
	return dir, files
}

// recipes judges just and task: their recipes are named like package.json scripts.
func (w *walker) recipes(name string, args []string) bool {
	opts := optionsOf(name)
	sorted := opts.sort(args)
	if sorted.ends {
		return true
	}
	targets := sorted.operands
	if !opts.each {
		targets = targets[:min(len(targets), 1)] // what follows may be the recipe's arguments
	}
	for _, t := range targets {
		if r, sub := w.match(name, []string{t}, nil); r != nil {
			w.noteRule(r, name, sub)
			continue
		}
		w.named("script", name, t)
	}
	files := []string{"justfile", "Justfile", ".justfile"}
	if name == "task" {
		files = []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml"}
	}
	dir, named := w.workplace(args, opts, "-d --dir --working-directory", "-f --justfile -t --taskfile")
	if len(named) > 0 {
		files = named[len(named)-1:]
	}
	w.recipesIn(dir, files, targets, name, "")
	return true
}

func (w *walker) recipesIn(dir string, names, targets []string, program, head string) {
	for _, name := range names {
		saved := w.dir
		w.dir = dir
		text, ok := w.scriptText(name)
		w.dir = saved
		if !ok {
			continue
		}
		text = head + text
		if len(targets) == 0 {
			targets = []string{""}
		}
		w.apart(func() {
			w.dir = dir
			for _, t := range targets {
				if to, ok := w.fileVariable(text, "alias "+t); ok && program == "just" {
					t = to
				}
				w.recipe(text, t, program, 0)
			}
		})
		return
	}
}

// recipe judges the lines below a target, and those of the targets that it needs. An empty target is the first one.
func (w *walker) recipe(text, target, program string, depth int) {
	if depth > 6 || unknown(target) || w.done() {
		return
	}
	inside := false
	indent := 0
	for line := range strings.Lines(text) {
		if !w.step(1) {
			return
		}
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		depthOf := len(line) - len(strings.TrimLeft(line, " \t"))
		if inside && depthOf > indent {
			w.recipeLine(text, trimmed, target, program)
			continue
		}
		inside = false
		head, deps, ok := strings.Cut(trimmed, ":")
		if !ok || strings.HasPrefix(deps, "=") || depthOf > 0 && program != "task" {
			continue
		}
		heads := strings.Fields(head)
		switch {
		case len(heads) == 0 || strings.HasPrefix(heads[0], "."):
			continue
		case target == "" && program != "task":
			target = heads[0]
		case program == "make" && !slices.Contains(heads, target), program != "make" && strings.TrimPrefix(heads[0], "@") != target:
			continue
		}
		inside, indent = true, depthOf
		if program == "task" {
			continue
		}
		deps, command, oneLine := strings.Cut(deps, ";")
		for _, dep := range strings.Fields(deps) {
			if dep != target {
				w.follow("target "+dep, func() { w.recipe(text, dep, program, depth+1) })
			}
		}
		if oneLine {
			w.recipeLine(text, command, target, program)
		}
	}
}

// recipeLine judges one line of a recipe. Variables are what the file says that they are, or anything.
func (w *walker) recipeLine(text, line, target, program string) {
	switch program {
	case "make":
		line = strings.TrimLeft(line, "@-+ ")
		line = w.makeExpand(text, line, 0)
	case "just":
		line = w.justExpand(text, strings.TrimLeft(line, "@-"))
	case "task":
		line = strings.TrimPrefix(line, "- ")
		line = strings.TrimPrefix(line, "cmd: ")
		if strings.HasSuffix(line, ":") || strings.HasPrefix(line, "desc:") || strings.HasPrefix(line, "summary:") {
			return
		}
		line = strings.Trim(line, `"'`)
	}
	w.follow("recipe "+line, func() {
		w.behind("from the target "+shorten(path.Base(target)), func() { w.shell(line, Bash, nil) })
	})
}

// makeExpand puts the values of make's $(NAME) and ${NAME} in their place, an unknown word where they are not known.
func (w *walker) makeExpand(text, line string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		if line[i] != '$' || i+1 == len(line) {
			b.WriteByte(line[i])
			continue
		}
		i++
		switch line[i] {
		case '$':
			b.WriteByte('$')
		case '(', '{':
			end := closing(line[i:])
			if end < 0 {
				b.WriteString("$" + line[i:])
				return b.String()
			}
			name := line[i+1 : i+end]
			i += end
			value, ok := w.fileVariable(text, name)
			switch {
			case name == "MAKE":
				b.WriteString("make")
			case ok && depth < 4 && b.Len() < maxValue:
				b.WriteString(w.makeExpand(text, value, depth+1))
			default:
				b.WriteByte(unknownWords)
			}
		default: // $@, $<: the shell's own, as far as commands go
			b.WriteString("$" + line[i:i+1])
		}
	}
	return b.String()
}

// closing is the index of the parenthesis or brace that closes the one at s[0], -1 if none does.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// justExpand puts the values of just's {{name}} in their place, an unknown word where they are not known.
func (w *walker) justExpand(text, line string) string {
	for {
		before, rest, ok := strings.Cut(line, "{{")
		name, after, closed := strings.Cut(rest, "}}")
		if !ok || !closed {
			return line
		}
		value, known := w.fileVariable(text, strings.TrimSpace(name))
		if literal, rest, ok := literalString(value); known && ok && strings.TrimSpace(rest) == "" && !strings.Contains(literal, "{{") {
			line = before + literal + after
		} else {
			line = before + string(unknownWords) + after
		}
	}
}

// fileVariable returns what a makefile or justfile assigns to a name, if it does so once. An override is the last word.
func (w *walker) fileVariable(text, name string) (value string, ok bool) {
	if !w.step(len(text) / 64) {
		return "", false
	}
	for line := range strings.Lines(text) {
		rest, override := strings.CutPrefix(line, "override ")
		rest, found := strings.CutPrefix(strings.TrimPrefix(rest, "export "), name)
		if !found {
			continue
		}
		rest = strings.TrimLeft(rest, " \t")
		assigned := strings.TrimLeft(rest, ":?")
		assigned, found = strings.CutPrefix(assigned, "=")
		if !found {
			if strings.HasPrefix(rest, "+=") {
				return "", false
			}
			continue
		}
		if ok {
			return "", false
		}
		assigned, _, _ = strings.Cut(assigned, " #")
		value, ok = strings.TrimSpace(assigned), true
		if override {
			break
		}
	}
	return value, ok
}
