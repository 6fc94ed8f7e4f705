package detect

import (
	"path"
	"strings"
)

// taskFiles are the files in which programs find the tasks that they run by name, and the tables that hold them. All of
// deno's are JSON, the others' TOML.
var taskFiles = [...]struct{ program, files, table string }{
	{"composer", "composer.json", "scripts"},
	{"deno", "deno.json deno.jsonc", "tasks"},
	{"deno", "package.json", "scripts"},
	{"hatch", "pyproject.toml", "tool.hatch.envs.default.scripts"},
	{"mise", "mise.toml .mise.toml", "tasks"},
	{"pdm", "pyproject.toml", "tool.pdm.scripts"},
	{"pixi", "pixi.toml", "tasks"},
	{"pixi", "pyproject.toml", "tool.pixi.tasks"},
	{"poe", "pyproject.toml", "tool.poe.tasks"},
	{"rye", "pyproject.toml", "tool.rye.scripts"},
}

// task judges a task by its name and, where its file can be read, by its text.
func (w *walker) task(program, dir, name string) {
	w.named("script", program, name)
	for i := range taskFiles {
		t := &taskFiles[i]
		if t.program != program || w.done() || unknown(name) {
			continue
		}
		for file := range strings.SplitSeq(t.files, " ") {
			text, at := w.nearest(dir, file)
			var commands, needs []string
			if strings.HasSuffix(file, ".toml") {
				commands, needs = tomlTask(text, t.table, name)
			} else if command, ok := jsonString(text, t.table, name); ok {
				commands = []string{command}
			}
			w.follow("task "+at+" "+name, func() {
				w.behind(`from the task "`+shorten(name)+`"`, func() {
					for _, need := range needs {
						w.task(program, dir, need)
					}
					for _, command := range commands {
						w.apart(func() {
							w.dir = at
							w.run(command, Bash)
						})
					}
				})
			})
		}
	}
	if program == "mise" && w.in.FS != nil && !unknown(name) {
		for _, place := range [...]string{"mise-tasks", ".mise-tasks", ".mise/tasks", ".config/mise/tasks"} {
			w.executable(path.Join(dir, place, strings.ReplaceAll(name, ":", "/")), nil)
		}
	}
}

// nearest reads the nearest file of a name at or above a directory.
func (w *walker) nearest(dir, name string) (text, at string) {
	for range maxParents {
		if text, ok := w.textAt(path.Join(dir, name)); ok {
			return text, dir
		}
		if dir == "/" || !path.IsAbs(dir) {
			break
		}
		dir = path.Dir(dir)
	}
	return "", ""
}

// tomlTask returns the commands of a task, and the tasks that it needs: NAME = … in a table, or a table of its own. It reads no
// more of TOML than that takes.
func tomlTask(text, table, name string) (commands, needs []string) {
	section := ""
	for rest := text; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") && !strings.HasPrefix(line, "[[") {
			section = strings.ReplaceAll(strings.Trim(line, "[]"), `"`, "")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.Trim(key, "\"' \t")
		own := section == table+"."+name
		switch {
		case !ok || !own && (section != table || key != name):
		case own && !has("run cmd shell command depends cmds", key):
		default:
			value += "\n" + rest
			if inline, ok := strings.CutPrefix(strings.TrimLeft(value, " \t"), "{"); ok { // { cmd = "…", env = … }
				for _, k := range [...]string{"cmd", "run", "shell", "command"} {
					commands = append(commands, tomlStrings(assigned(inline, k))...)
				}
				return commands, needs
			}
			if found := tomlStrings(value); key == "depends" && own {
				needs = append(needs, found...)
			} else {
				commands = append(commands, found...)
			}
		}
	}
	return commands, needs
}

// tomlStrings reads a string or a list of strings.
func tomlStrings(value string) (found []string) {
	value = strings.TrimLeft(value, " \t")
	for _, long := range [...]string{`"""`, `'''`} {
		if after, ok := strings.CutPrefix(value, long); ok {
			text, _, _ := strings.Cut(after, long)
			return []string{text}
		}
	}
	list, many := strings.CutPrefix(value, "[")
	for value = strings.TrimLeft(list, " \t\r\n"); len(found) < 32; {
		text, rest, ok := literalString(value)
		if !ok {
			break
		}
		found = append(found, text)
		if !many {
			break
		}
		value = strings.TrimLeft(rest, " \t\r\n,")
	}
	return found
}
