package detect

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// decoded judges a string whose client wrapping is known.
func (w *walker) decoded(d decoding) {
	if d.head != "" {
		w.src, w.hi = d.head, len(d.head)
		w.plain(d.head)
		w.pathSet = false // what the client itself does to PATH gives nothing another meaning
	}
	whole := func() {
		w.plain(d.inner)
		if w.left.steps < 0 {
			w.overBudget()
		}
		if w.exhausted && w.best.class < Heavy {
			w.left = budget{steps: maxSteps / 4, parsed: maxParsed / 4, depth: maxDepth / 4}
			w.scan(0)
		}
	}
	if d.shape == Raw {
		whole()
	} else {
		w.within(d.inner, w.dialect, d.carrier, whole)
	}
}

// within walks text that stands inside the current simple command, or at outer where it is the whole string that is
// still being unwrapped.
func (w *walker) within(src string, dialect Dialect, outer span, f func()) {
	saved := w.location
	if !w.inner {
		w.outer = outer
	}
	w.src, w.lo, w.hi, w.inner, w.dialect = src, 0, len(src), true, dialect
	f()
	w.location = saved
}

// eval judges text that the current shell runs: eval, source, a trap.
func (w *walker) eval(text string) { w.run(text, w.dialect) }

// shell judges text that a new shell runs, with its parameters: sh -c text name args….
func (w *walker) shell(text string, dialect Dialect, params []string) {
	w.shellAs("", text, dialect, params)
}

func (w *walker) shellAs(arg0, text string, dialect Dialect, params []string) {
	w.apart(func() {
		w.inherited = len(w.bindings)
		w.arg0, w.params, w.paramsSet = arg0, params, len(params) > 0
		w.run(text, dialect)
	})
}

func (w *walker) run(text string, dialect Dialect) {
	if !w.enter() || !w.step(runCost) {
		return
	}
	defer w.leave()
	d := decode(text)
	command := w.src[w.lo:w.hi]
	w.within(text, dialect, span{w.lo, w.hi}, func() {
		if !unknown(command) {
			w.asWritten = command
		}
		if d.head != "" {
			w.within(d.head, dialect, span{}, func() { w.plain(d.head) })
		}
		w.within(d.inner, dialect, span{}, func() { w.plain(d.inner) })
	})
}

// plain judges shell text as it stands.
func (w *walker) plain(text string) {
	if text == "" || w.done() {
		return
	}
	text = parserText(text)
	w.left.parsed -= len(text)
	if w.left.parsed < 0 || !parseable(text) {
		w.overBudget()
		w.scan(0)
		return
	}
	stmts, err := w.parse(w.dialect, text)
	if err != nil && w.dialect == Zsh { // the parser's zsh is incomplete, and much zsh is valid bash
		if again, err2 := w.parse(Bash, text); err2 == nil {
			stmts, err = again, nil
		}
	}
	w.stmts(stmts)
	if err == nil || w.done() {
		return
	}
	rest := 0
	if len(stmts) > 0 {
		rest = min(int(stmts[len(stmts)-1].End().Offset()), len(text))
	}
	w.lo, w.hi = 0, len(text)
	w.unparsable(rest)
}

// unparsable judges text of which only what stands before an offset parses. The shell runs the lines before its error, and
// its parser and ours do not always agree on what an error is.
func (w *walker) unparsable(from int) {
	w.note(finding{class: MaybeHeavy, opaque: true, rule: "unparsable", why: "the string does not parse as shell"})
	w.scan(from)
}

// parse returns the statements before the first error, and the error.
func (w *walker) parse(d Dialect, text string) (stmts []*syntax.Stmt, err error) {
	stmts, err = w.parseOnce(d, text)
	for range 8 {
		at := misreadComment(stmts, text)
		if at < 0 {
			break
		}
		text = text[:at] + "\x7f" + text[at+1:]
		stmts, err = w.parseOnce(d, text)
	}
	return stmts, err
}

func (w *walker) parseOnce(d Dialect, text string) (stmts []*syntax.Stmt, err error) {
	p := w.parsers[d]
	if p == nil {
		lang := syntax.LangBash // a superset of what dash and other POSIX shells read
		if d == Zsh {
			lang = syntax.LangZsh
		}
		p = syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true))
		w.parsers[d] = p
	}
	for s, e := range p.StmtsSeq(strings.NewReader(text)) { // yields again behind an error, so no break
		switch {
		case err != nil:
		case e != nil:
			err = e
		default:
			stmts = append(stmts, s)
		}
	}
	return stmts, err
}

// misreadComment returns where the parser takes a "#" within a word for the beginning of a comment, -1 if nowhere. It does
// so behind quotes and expansions in subshells and substitutions (v3.14.1), and would hide the rest of the line:
//
//	(echo ""#; npm ci
//	)
func misreadComment(stmts []*syntax.Stmt, text string) int {
	suspect := false
	for i := 1; i < len(text) && !suspect; i++ {
		suspect = text[i] == '#' && (closes(text[i-1]) || !beforeComment(text[i-1]))
	}
	if !suspect {
		return -1
	}
	at := -1
	var ends []int // of expansions that end as a subshell does, or as nothing: behind those a "#" goes on with the word
	var hashes []int
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.ExtGlob:
				ends = append(ends, int(n.End().Offset()))
			case *syntax.Comment:
				hash := int(n.Hash.Offset())
				switch {
				case hash <= 0 || hash >= len(text):
				case closes(text[hash-1]):
					hashes = append(hashes, hash)
				case at < 0 && !beforeComment(text[hash-1]):
					at = hash
				}
			}
			return true
		})
	}
	slices.Sort(ends)
	for _, hash := range hashes {
		if _, found := slices.BinarySearch(ends, hash); found && (at < 0 || hash < at) {
			at = hash
		}
	}
	return at
}

// closes reports whether a byte ends a subshell, behind which a comment may begin, or an expansion, behind which it may not.
func closes(c byte) bool { return c == ')' || c == '`' }

// beforeComment reports whether a comment may begin behind a byte.
func beforeComment(c byte) bool { return strings.IndexByte(" \t\n\r;&|()<>`$", c) >= 0 }

// parserText replaces what the parser rejects or skips, and shells do not, by as many bytes that are characters of a word
// for both: bytes that are not UTF-8. A NUL is in no argument, and where a file holds one no name can.
func parserText(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	out := []byte(text)
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && size == 1 || r == 0 {
			out[i] = 0x7f
		}
		i += size
	}
	return string(out)
}

// scan looks for commands in the rest of the text, which is not parsed: it is too large, nests too deeply or has a syntax error. Every
// piece between two separators is judged as a simple command; quotes are dropped, so words in them count as well. It
// notes heavy commands only: that the text is doubtful has been noted already.
func (w *walker) scan(from int) {
	if w.scanning || w.best.class == Heavy {
		return
	}
	w.scanning = true
	saved := w.location
	text := w.src
	var words [8]string
	for start := from; start < len(text) && w.best.class < Heavy; {
		end := strings.IndexAny(text[start:], "\n;&|(){}`")
		if end < 0 {
			end = len(text) - start
		}
		w.lo, w.hi = start, start+end
		n := 0
		for field := range strings.FieldsSeq(text[start : start+end]) {
			field = strings.Trim(field, "'\"\\<>")
			if n == 0 && (field == "" || skippedByScan(field)) {
				continue
			}
			if strings.HasPrefix(field, "$") {
				field = string(unknownWords)
			}
			words[n] = field
			if n++; n == len(words) {
				break
			}
		}
		if n > 0 && w.left.steps > 0 && (known(path.Base(words[0])) || shellWord(words[0])) {
			w.command(append([]string(nil), words[:n]...))
		}
		start += end + 1
	}
	w.location = saved
	w.scanning = false
}

// skippedByScan reports whether a word may stand in front of a command: a keyword, an assignment.
func skippedByScan(word string) bool {
	switch word {
	case "if", "then", "elif", "else", "while", "until", "do", "!", "time", "in", "case", "for", "eval":
		return true
	}
	name, _, ok := strings.Cut(word, "=")
	return ok && isName(name)
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
