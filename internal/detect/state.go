package detect

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unknown parts of a folded value are marked by a byte that text on a command line hardly ever holds. Where it does, the
// value counts as unknown, which errs on the safe side. Both bytes pass through the parser as ordinary characters, so a
// string that is put together from known and unknown parts can still be parsed.
const (
	unknownWord  = '\x02' // some text within one word: "$X", $(cmd) in quotes
	unknownWords = '\x01' // some text that the shell splits: $X may be no word, one or many
)

// A binding is what the string has said about a name so far. Bindings form a stack: the last one for a name counts, and a
// subshell's are dropped at its end.
type binding struct {
	kind  bindingKind
	name  string
	words [][]string // a variable's possible values; a scalar is a list of one
	maybe bool       // it may have another value, or be unset
	text  string     // an alias's or file's text
	link  string     // the file that a file is a copy of, or a link to
	fn    function
}

type bindingKind uint8

const (
	variable bindingKind = iota
	functionName
	alias
	file
)

// A function is a body and the text in which it stands.
type function struct {
	body *syntax.Stmt
	at   location
}

// A state is what the string has done to the shell by a certain point in it.
type state struct {
	bindings   []binding
	dir        string   // working directory; relative to where the string starts where that is unknown
	params     []string // $1, $2, …
	paramsSet  bool     // false: the parameters are unknown
	arg0       string   // $0, where it is known: a script's path, or what sh -c is given
	file       string   // the script that runs, or is sourced
	separators string   // IFS, where the string has set it
	pathSet    bool     // PATH was assigned: a bare name may mean another program
	dirChanged bool
	foreign    bool // text that is not known ran in this shell: names may have other meanings
	inherited  int  // bindings below this index are a parent shell's: only what it exported arrived
}

// lookup returns the newest binding of a name, nil if there is none.
func (w *walker) lookup(kind bindingKind, name string) *binding {
	b, _ := w.bound(kind, name)
	return b
}

// bound also reports whether the binding is certain to hold here.
func (w *walker) bound(kind bindingKind, name string) (b *binding, certain bool) {
	for i := len(w.bindings) - 1; i >= 0; i-- {
		if b := &w.bindings[i]; b.kind == kind && b.name == name {
			w.left.steps -= (len(w.bindings) - i) / 16
			return b, !b.maybe && i >= w.inherited
		}
	}
	w.left.steps -= len(w.bindings) / 16
	return nil, false
}

// bind adds a binding. It never overwrites an older one, which a branch that does not run or a subshell would leave as
// it was.
func (w *walker) bind(b binding) {
	if len(w.bindings) >= maxBindings {
		w.overBudget()
		return
	}
	w.bindings = append(w.bindings, b)
}

func (w *walker) assign(name string, values [][]string, maybe bool) {
	switch {
	case name == "PATH":
		w.pathSet = true
	case name == "IFS" && len(values) == 1 && len(values[0]) == 1:
		w.separators = values[0][0]
	}
	w.bind(binding{kind: variable, name: name, words: values, maybe: maybe})
}

func (w *walker) assignText(name, value string) { w.assign(name, [][]string{{value}}, false) }

// forget makes a name unknown.
func (w *walker) forget(kind bindingKind, name string) {
	w.bind(binding{kind: kind, name: name, maybe: true})
}

// apart runs f as a subshell would: nothing that it does to the shell lasts. Files that it writes do.
func (w *walker) apart(f func()) {
	saved := w.state
	f()
	after := w.bindings
	w.state = saved
	for _, b := range after[min(len(saved.bindings), len(after)):] {
		if b.kind == file {
			w.bind(b)
		}
	}
}

// maybeRun runs f as a branch that the shell may or may not take: names keep their former meanings beside the new ones.
func (w *walker) maybeRun(f func()) {
	mark := len(w.bindings)
	f()
	w.join(mark)
}

// join turns the bindings since mark into possibilities beside the ones that they hide.
func (w *walker) join(mark int) {
	for i := mark; i < len(w.bindings); i++ {
		b := &w.bindings[i]
		uncertain := b.maybe
		b.maybe = true
		for j := i - 1; j >= 0 && (b.kind == variable || b.kind == file); j-- {
			old := w.bindings[j]
			if old.kind != b.kind || old.name != b.name {
				continue
			}
			if b.kind == file {
				if len(old.text)+len(b.text) < maxValue {
					b.text = old.text + "\n" + b.text // either may be what is run
				}
				break
			}
			b.words = union(b.words, old.words)
			b.maybe = old.maybe || uncertain || len(b.words) == maxAlts
			break
		}
	}
	w.left.steps -= (len(w.bindings) - mark) * (1 + len(w.bindings)/16)
}

func union(a, b [][]string) [][]string {
	out := slices.Clip(a)
	for _, words := range b {
		if len(out) >= maxAlts {
			break
		}
		if !slices.ContainsFunc(out, func(have []string) bool { return slices.Equal(have, words) }) {
			out = append(out, words)
		}
	}
	return out
}

// path resolves a path against the directory that the string has changed to. It stays relative, or unknown in part, where
// that directory is.
func (w *walker) path(name string) string {
	if name == "" {
		return ""
	}
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(w.dir, name)
}

// chdir follows a cd.
func (w *walker) chdir(to string) {
	w.dirChanged = true
	w.dir = w.path(to)
}

// written returns the text that the string itself has put into a file.
func (w *walker) written(name string) (string, bool) {
	if b := w.lookup(file, w.path(name)); b != nil && len(b.text) > 0 {
		return b.text, true
	}
	return "", false
}

// textAt returns the text of the file with a full name: what the string has written there, else what the disk holds.
func (w *walker) textAt(full string) (string, bool) {
	if b := w.lookup(file, full); b != nil && b.link == "" && b.text != "" && !unknown(b.text) {
		return b.text, true
	}
	return w.readText(full)
}

// origin is the file of which a name is a copy, or to which it is a link, if the string has made it one.
func (w *walker) origin(name string) string {
	if len(w.bindings) > 0 {
		if b := w.lookup(file, w.path(name)); b != nil && b.link != "" {
			return b.link
		}
	}
	return name
}

// link makes a name another one for a file: cp, mv, ln. A text that the string has written goes with it.
func (w *walker) link(name, to string) {
	if strings.HasSuffix(to, "/") {
		to = path.Join(to, path.Base(name))
	} else if info := w.stat(w.path(to)); info != nil && info.IsDir() {
		to = path.Join(to, path.Base(name))
	}
	if name == "/dev/stdin" {
		text, ok := w.stdinText()
		if !ok {
			text = string(unknownWords)
		}
		w.writeFile(to, text, false)
		return
	}
	if text, ok := w.written(name); ok {
		w.writeFile(to, text, false)
		return
	}
	if from := w.path(w.origin(name)); from != w.path(to) {
		w.bind(binding{kind: file, name: w.path(to), link: from})
	}
}

// overwritten makes a file's text unknown. What it held before may still be among it.
func (w *walker) overwritten(name string) {
	text, _ := w.scriptText(name)
	w.writeFile(name, text+"\n"+string(unknownWords), false)
}

func (w *walker) writeFile(name, text string, appending bool) {
	if name == "" || name == "/dev/null" || len(text) > maxValue {
		return
	}
	key := w.path(name)
	if appending {
		if b := w.lookup(file, key); b != nil {
			text = b.text + text
		}
	}
	if len(text) <= maxValue {
		w.bind(binding{kind: file, name: key, text: text})
	}
}
