package detect

import (
	"path"
	"slices"
	"strings"
)

// makefile judges the recipes of the targets that make is given, as far as a makefile can be read without running make.
// The table has judged the targets' names.
func (w *walker) makefile(args []string) {
	opts := optionsOf("make")
	sorted := opts.sort(args)
	if sorted.ends {
		return
	}
	dir, names := w.dir, []string{"GNUmakefile", "makefile", "Makefile"}
	for i, a := range args {
		if i+1 == len(args) {
			break
		}
		switch a {
		case "-C", "--directory":
			dir = w.path(args[i+1])
		case "-f", "--file":
			names = args[i+1 : i+2]
		}
	}
	targets := slices.DeleteFunc(slices.Clone(sorted.operands), func(t string) bool { return strings.Contains(t, "=") })
	w.recipesIn(dir, names, targets, "make")
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
	w.recipesIn(w.dir, files, targets, name)
	return true
}

func (w *walker) recipesIn(dir string, names, targets []string, program string) {
	for _, name := range names {
		saved := w.dir
		w.dir = dir
		text, ok := w.scriptText(name)
		w.dir = saved
		if !ok {
			continue
		}
		if len(targets) == 0 {
			targets = []string{""}
		}
		w.apart(func() {
			w.dir = dir
			for _, t := range targets {
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
			w.recipeLine(trimmed, target, program)
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
			w.recipeLine(command, target, program)
		}
	}
}

// recipeLine judges one line of a recipe. Variables are not expanded: they may be anything.
func (w *walker) recipeLine(line, target, program string) {
	switch program {
	case "make":
		line = strings.TrimLeft(line, "@-+ ")
		line = strings.NewReplacer("$(MAKE)", "make", "${MAKE}", "make", "$$", "$").Replace(line)
		line = replaceVariables(line)
	case "just":
		line = strings.TrimLeft(line, "@-")
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

// replaceVariables puts an unknown word in the place of make's $(NAME).
func replaceVariables(line string) string {
	for {
		from := strings.Index(line, "$(")
		if from < 0 {
			return line
		}
		length := strings.IndexByte(line[from:], ')')
		if length < 0 {
			return line
		}
		line = line[:from] + string(unknownWords) + line[from+length+1:]
	}
}
