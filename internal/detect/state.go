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
	text  string     // an alias's, file's or setting's text
	link  string     // the file that a file is a copy of, or a link to; the variable that a variable is another name of
	fn    function
}

type bindingKind uint8

const (
	variable bindingKind = iota
	functionName
	alias
	file
	setting // of git, by its full name in lower case; a script that npm pkg set has put into package.json
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
	renamed    bool // a variable is another name of another one
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
	case name == "PS4": // set -x expands it in front of every command
		for _, v := range values {
			w.expandedAgain(strings.Join(v, " "))
		}
	case name == "IFS" && len(values) == 1 && len(values[0]) == 1:
		w.separators = values[0][0]
	}
	w.bind(binding{kind: variable, name: w.referred(name), words: values, maybe: maybe})
}

func inFileName(c byte) bool { return isWordByte(c) || c == '.' || c == '-' }

// refer makes a variable another name of another one.
func (w *walker) refer(name, other string) {
	w.renamed = true
	w.bind(binding{kind: variable, name: name, link: other, maybe: true})
}

// referred follows declare -n NAME=OTHER.
func (w *walker) referred(name string) string {
	for range 4 {
		if !w.renamed {
			break
		}
		b := w.lookup(variable, name)
		if b == nil || b.link == "" {
			break
		}
		name = b.link
	}
	return name
}

func (w *walker) assignText(name, value string) { w.assign(name, [][]string{{value}}, false) }

// forget makes a name unknown.
func (w *walker) forget(kind bindingKind, name string) {
	w.bind(binding{kind: kind, name: name, maybe: true})
}

// apart runs f as a subshell would: nothing that it does to the shell lasts. Files and settings that it writes do.
func (w *walker) apart(f func()) {
	saved := w.state
	f()
	after := w.bindings
	w.state = saved
	w.keepFiles(after[min(len(saved.bindings), len(after)):])
}

// either runs f, and g as another reading of the same command: both begin in the same state, f's lasts. Files that g writes, and
// what it tells programs, count too.
func (w *walker) either(f, g func()) {
	before, told, untold := w.state, w.told, w.untold
	before.bindings = slices.Clip(before.bindings)
	f()
	if w.done() {
		return
	}
	after, toldAfter, untoldAfter := w.state, w.told, w.untold
	w.state, w.told, w.untold = before, told, untold
	g()
	made, also := w.bindings[min(len(before.bindings), len(w.bindings)):], w.told[len(told):]
	w.state, w.told, w.untold = after, toldAfter, untoldAfter || w.untold
	w.keepFiles(made)
	if also != "" && !strings.Contains(w.told, also) {
		w.tell(also, true)
	}
}

// keepFiles binds what outlives the shell that has made it.
func (w *walker) keepFiles(made []binding) {
	for _, b := range made {
		if b.kind == file || b.kind == setting {
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
				if len(old.text)+len(b.text) < maxValue && w.step((len(old.text)+len(b.text))/64) {
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
		if fd := descriptor(name); fd != "" {
			return fdDir + fd
		}
		return path.Clean(name)
	}
	return path.Join(w.dir, name)
}

// pathFrom is path for a command that is told to work in a directory.
func (w *walker) pathFrom(dir, name string) string {
	saved := w.dir
	w.dir = dir
	name = w.path(name)
	w.dir = saved
	return name
}

// What is read from a descriptor is bound as the text of a file in this directory.
const fdDir = "/dev/fd/"

// descriptor returns the number of the descriptor that a path stands for, or nothing: /dev/fd/3, /proc/self/fd/3.
func descriptor(name string) string {
	if name == "/dev/stdin" {
		return "0"
	}
	if fd, ok := strings.CutPrefix(name, fdDir); ok {
		return fd
	}
	if process, ok := strings.CutPrefix(name, "/proc/"); ok {
		_, fd, _ := strings.Cut(process, "/fd/")
		return fd
	}
	return ""
}

// chdir follows a cd.
func (w *walker) chdir(to string) {
	w.dirChanged = true
	if w.dir = w.path(to); len(w.dir) > maxPath || !w.step(len(w.dir)/32) {
		w.dir = "" // not known
	}
}

// written returns the text that the string itself has put into a file. Where a program that it has run may have written
// there as well, what the file held before may still be among it.
func (w *walker) written(name string) (text string, ok bool) {
	if b := w.lookup(file, w.path(name)); b != nil && len(b.text) > 0 {
		text, ok = b.text, true
	}
	if w.mayBeWritten(name) {
		if !ok {
			text, _ = w.readText(w.path(w.origin(name)))
		}
		return text + "\n" + string(unknownWords), true
	}
	return text, ok
}

// tell notes what a program that writes files of its choice is told: its arguments, its code, a patch. A script that is
// named there and run later may be what it wrote. Not knowing what it is told, no script is known any more.
func (w *walker) tell(text string, ok bool) {
	if !ok || len(w.told)+len(text) > maxValue {
		w.untold = true
		return
	}
	if w.step(len(w.told) / 64) {
		w.told += "\n" + text
	}
}

// tellWords notes the arguments of such a program.
func (w *walker) tellWords(args []string) { w.tell(strings.Join(args, "\n"), true) }

// mayBeWritten reports whether a program that the string has run was told a file's name.
func (w *walker) mayBeWritten(name string) bool {
	if w.untold && !strings.Contains("/"+name, "/.git/") { // hooks: git keeps patches out of there, and who means one names it
		return true
	}
	base := path.Base(name)
	script := strings.IndexByte(base, '.') > 0 // gunzip x.sh.gz makes x.sh, but acme.db says nothing of acme
	for rest := w.told; rest != "" && w.step(1+len(rest)/64); {
		i := strings.Index(rest, base)
		if i < 0 {
			break
		}
		end := i + len(base)
		if (i == 0 || !inFileName(rest[i-1])) && (end == len(rest) || rest[end] != '/' && (!inFileName(rest[end]) || rest[end] == '.' && script)) {
			return true
		}
		rest = rest[end:]
	}
	return false
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
	if descriptor(name) == "0" {
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

func (w *walker) writeFile(name, text string, appending bool) {
	if name == "" || name == "/dev/null" || len(text) > maxValue {
		return
	}
	key, before := w.path(name), ""
	if appending {
		if b := w.lookup(file, key); b != nil {
			before = b.text
		}
	}
	if size := len(before) + len(text); size <= maxValue && w.step(size/64) {
		w.bind(binding{kind: file, name: key, text: before + text})
	}
}
