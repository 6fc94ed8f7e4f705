package detect

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// unknown reports whether any part of a folded value is not known.
func unknown(s string) bool {
	return strings.IndexByte(s, unknownWord) >= 0 || strings.IndexByte(s, unknownWords) >= 0
}

// maybeNothing reports whether a word may expand to any number of words, none included.
func maybeNothing(s string) bool { return s != "" && strings.Trim(s, string(unknownWords)) == "" }

// An alternative is one thing that a word may expand to.
type alternative struct {
	fields []string // finished fields
	last   string   // the field being put together
	open   bool     // last counts, even if it is empty
}

func (a alternative) finish() []string {
	if a.open {
		return append(slices.Clip(a.fields), a.last)
	}
	return a.fields
}

// A piece is one thing that a part of a word may expand to.
type piece struct {
	words []string
	split bool // the shell splits them at blanks
}

// expand folds words into the argument lists that they may stand for. There is always at least one.
func (w *walker) expand(words []*syntax.Word) [][]string {
	single := make([]string, 0, len(words)+1)
	for i, word := range words {
		if lit, ok := literal(word); ok {
			single = append(single, lit)
			continue
		}
		alts := w.alternatives(word, true)
		if len(alts) == 1 {
			fields := alts[0].finish()
			if single = append(single, fields...); !w.step(len(fields)) {
				break
			}
			continue
		}
		return w.expandRest(single, alts, words[i+1:])
	}
	return [][]string{single}
}

// expandRest goes on after the first word with several meanings.
func (w *walker) expandRest(done []string, alts []alternative, rest []*syntax.Word) [][]string {
	lists := make([][]string, 0, len(alts))
	for _, a := range alts {
		lists = append(lists, slices.Concat(done, a.finish()))
	}
	for _, word := range rest {
		alts := []alternative{{open: true}}
		if lit, ok := literal(word); ok {
			alts[0].last = lit
		} else {
			alts = w.alternatives(word, true)
		}
		if len(lists)*len(alts) > maxAlts {
			alts = []alternative{{last: string(unknownWords), open: true}}
		}
		if len(alts) == 1 {
			for i := range lists {
				lists[i] = append(lists[i], alts[0].finish()...)
			}
			continue
		}
		next := make([][]string, 0, len(lists)*len(alts))
		for _, l := range lists {
			for _, a := range alts {
				next = append(next, slices.Concat(l, a.finish()))
			}
		}
		w.left.steps -= len(next) * (1 + len(done)/16)
		lists = next
	}
	return lists
}

// texts folds a word that is not split into fields: an assignment's value, a redirection's target.
func (w *walker) texts(word *syntax.Word) []string {
	if word == nil {
		return nil
	}
	if lit, ok := literal(word); ok {
		return []string{lit}
	}
	alts := w.alternatives(word, false)
	out := make([]string, len(alts))
	for i, a := range alts {
		if out[i] = strings.Join(a.finish(), " "); len(out[i]) > maxValue {
			out[i] = string(unknownWords)
		}
	}
	return out
}

// literal returns the text of a word that is one plain literal, by far the most common kind.
func literal(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "\\{~") {
			return "", false
		}
		return p.Value, true
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, true
		}
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			return "", true
		}
		if lit, ok := p.Parts[0].(*syntax.Lit); ok && len(p.Parts) == 1 && strings.IndexByte(lit.Value, '\\') < 0 {
			return lit.Value, true
		}
	}
	return "", false
}

// alternatives folds one word. Where the shell makes fields of it, it expands braces and splits what it expands.
func (w *walker) alternatives(word *syntax.Word, fields bool) []alternative {
	alts := []alternative{{}}
	if !w.enter() {
		return []alternative{{last: string(unknownWords), open: true}}
	}
	defer w.leave()
	if fields {
		word = w.splitBraces(word)
	}
	if word == nil || len(word.Parts) > maxWordParts {
		return []alternative{{last: string(unknownWords), open: true}}
	}
	for i, part := range word.Parts {
		for _, a := range alts {
			w.left.steps -= 1 + len(a.last)/32 + len(a.fields)/4 // each part copies what stands before it
		}
		if w.left.steps < 0 {
			return []alternative{{last: string(unknownWords), open: true}}
		}
		if lit, ok := part.(*syntax.Lit); ok {
			value := lit.Value
			if i == 0 && strings.HasPrefix(value, "~") {
				value = w.tilde(value)
			}
			alts = extend(alts, []piece{{words: []string{unescape(value, "")}}})
			continue
		}
		if brace, ok := part.(*syntax.BraceExp); ok {
			alts = w.braces(alts, brace)
			continue
		}
		pieces := w.pieces(part, false)
		if !fields {
			for j := range pieces {
				pieces[j].split = false
			}
		}
		alts = extend(alts, pieces)
	}
	return alts
}

// splitBraces returns the word with its brace expansions as nodes, nil if it has too many. SplitBraces copies what it has so
// far at each brace that nothing closes, the square of a word that is all braces.
func (w *walker) splitBraces(word *syntax.Word) *syntax.Word {
	braces, others := 0, 0
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			braces += strings.Count(lit.Value, "{")
			others += strings.Count(lit.Value, ",") + strings.Count(lit.Value, "..")
		}
	}
	if braces == 0 {
		return word
	}
	if pieces := braces + others; pieces > maxWordParts || !w.step(braces*pieces/4) {
		return nil
	}
	split := *word
	syntax.SplitBraces(&split)
	return &split
}

// braces puts a brace expansion's elements behind what stands before it. They are several fields of one expansion, not
// several things that the word may mean.
func (w *walker) braces(alts []alternative, b *syntax.BraceExp) []alternative {
	if b.Sequence {
		return extend(alts, []piece{{words: []string{string(unknownWord)}}})
	}
	out := make([]alternative, 0, len(alts))
	for _, a := range alts {
		expanded := alternative{fields: a.fields}
		for i, elem := range b.Elems {
			// Only the first meaning of each element is followed: {a,$b} is rare enough.
			fields := w.alternatives(elem, true)[0].finish()
			if len(fields) == 0 {
				fields = []string{""}
			}
			for j, f := range fields {
				if i == len(b.Elems)-1 && j == len(fields)-1 {
					expanded.last, expanded.open = a.last+f, true
					continue
				}
				expanded.fields = append(slices.Clip(expanded.fields), a.last+f)
			}
		}
		if !w.step(len(expanded.fields)) || len(expanded.fields) > 256 {
			expanded = alternative{last: string(unknownWords), open: true}
		}
		out = append(out, expanded)
	}
	return out
}

// extend puts each of the pieces behind each of the alternatives.
func extend(alts []alternative, pieces []piece) []alternative {
	if len(pieces) == 1 {
		for i := range alts {
			alts[i].add(pieces[0])
		}
		return alts
	}
	if len(alts)*len(pieces) > maxAlts { // too many to follow
		pieces = []piece{{words: []string{string(unknownWords)}}}
		return extend(alts, pieces)
	}
	out := make([]alternative, 0, len(alts)*len(pieces))
	for _, a := range alts {
		for _, p := range pieces {
			next := a
			next.fields = slices.Clip(next.fields)
			next.add(p)
			out = append(out, next)
		}
	}
	return out
}

func (a *alternative) add(p piece) {
	for i, text := range p.words {
		if i > 0 {
			a.flush()
		}
		if !p.split {
			a.text(text)
			continue
		}
		first := true
		for field := range strings.FieldsFuncSeq(text, isBlank) {
			if !first || isBlank(rune(text[0])) {
				a.flush()
			}
			a.text(field)
			first = false
		}
		if text != "" && isBlank(rune(text[len(text)-1])) {
			a.flush()
		}
	}
}

func (a *alternative) text(s string) {
	if len(a.last)+len(s) > maxValue {
		s = string(unknownWords)
	}
	a.last += s
	a.open = true
}

func (a *alternative) flush() {
	if a.open {
		a.fields = append(a.fields, a.last)
		a.last, a.open = "", false
	}
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// pieces folds a part of a word other than a plain literal.
func (w *walker) pieces(part syntax.WordPart, quoted bool) []piece {
	switch p := part.(type) {
	case *syntax.Lit:
		return []piece{{words: []string{unescape(p.Value, "$`\"\\")}}}
	case *syntax.SglQuoted:
		value := p.Value
		if p.Dollar {
			value = ansiC(value)
		}
		return []piece{{words: []string{value}}}
	case *syntax.DblQuoted:
		alts := []alternative{{open: true}}
		if len(p.Parts) > maxWordParts {
			return []piece{unknownPiece(true)}
		}
		for _, inner := range p.Parts {
			for _, a := range alts {
				w.left.steps -= 1 + len(a.last)/32
			}
			pieces := w.pieces(inner, true)
			if len(p.Parts) == 1 {
				return pieces
			}
			alts = extend(alts, pieces)
		}
		out := make([]piece, len(alts))
		for i, a := range alts {
			out[i] = piece{words: a.finish()}
		}
		return out
	case *syntax.ParamExp:
		return w.param(p, quoted)
	case *syntax.CmdSubst:
		return w.outcomes(p.Stmts, quoted)
	case *syntax.ProcSubst:
		return []piece{{words: []string{w.procFile(p)}}}
	case *syntax.ArithmExp:
		return []piece{{words: []string{string(unknownWord)}}}
	}
	return []piece{unknownPiece(quoted)}
}

// outcomes folds a command substitution. Of A || B either may be what it says.
func (w *walker) outcomes(stmts []*syntax.Stmt, quoted bool) []piece {
	if len(stmts) == 1 && !carriesMore(stmts[0]) {
		if either, ok := stmts[0].Cmd.(*syntax.BinaryCmd); ok && either.Op == syntax.OrStmt {
			if !w.enter() {
				return []piece{unknownPiece(quoted)}
			}
			defer w.leave()
			out := w.outcomes([]*syntax.Stmt{either.X}, quoted)
			if out = append(out, w.outcomes([]*syntax.Stmt{either.Y}, quoted)...); len(out) > maxAlts {
				return []piece{unknownPiece(quoted)}
			}
			return out
		}
	}
	text, ok := w.output(stmts)
	if !ok {
		return []piece{unknownPiece(quoted)}
	}
	return []piece{{words: []string{strings.TrimRight(text, "\n")}, split: !quoted}}
}

func unknownPiece(quoted bool) piece {
	if quoted {
		return piece{words: []string{string(unknownWord)}}
	}
	return piece{words: []string{string(unknownWords)}}
}

// procFile gives <(commands) a name under which its text can be found again, should a shell read it as a script.
func (w *walker) procFile(p *syntax.ProcSubst) string {
	name := procFile + strconv.Itoa(int(p.OpPos.Offset()))
	if p.Op == syntax.CmdOut {
		return name
	}
	if text, ok := w.output(p.Stmts); ok {
		w.bind(binding{kind: file, name: name, text: text})
	}
	return name
}

const procFile = fdDir + "<("

// value returns what a variable may hold; maybe is set when it may hold something else.
func (w *walker) value(name string) (values [][]string, maybe bool) {
	if w.paramsSet {
		if name == "@" || name == "*" {
			return [][]string{w.params}, false
		}
		if n, err := strconv.Atoi(name); err == nil && n > 0 {
			if n > len(w.params) {
				return [][]string{{""}}, false
			}
			return [][]string{{w.params[n-1]}}, false
		}
	}
	name = w.referred(name)
	if b, certain := w.bound(variable, name); b != nil {
		return b.words, !certain
	}
	switch name {
	case "IFS":
		return [][]string{{" \t\n"}}, false
	case "0":
		if w.arg0 != "" {
			return [][]string{{w.arg0}}, false
		}
		return [][]string{{"sh"}}, true
	case "BASH_SOURCE":
		if w.file != "" {
			return [][]string{{w.file}}, false
		}
	case "SHELL", "BASH":
		return [][]string{{"sh"}}, true
	case "PWD":
		if path.IsAbs(w.dir) {
			return [][]string{{w.dir}}, false
		}
	}
	if w.in.Getenv != nil && !maintained(name) {
		if v, ok := w.in.Getenv(name); ok && len(v) <= maxValue {
			return [][]string{{v}}, w.foreign
		}
	}
	return nil, true
}

// maintained reports whether the shell itself keeps a variable up to date, so that the environment says nothing about it.
func maintained(name string) bool {
	return name == "PWD" || name == "OLDPWD" || name == "_" || name == "OPTARG" || name == "REPLY"
}

// param folds $name, ${name:-word} and their like.
func (w *walker) param(p *syntax.ParamExp, quoted bool) []piece {
	if p.Param == nil || p.Length || p.Width || p.IsSet || p.Names != 0 || p.NestedParam != nil || len(p.Modifiers) > 0 || p.Flags != nil {
		if p.Length || p.IsSet {
			return []piece{unknownPiece(true)}
		}
		return []piece{unknownPiece(quoted)}
	}
	name := p.Param.Value
	switch name {
	case "?", "$", "!", "#", "-":
		return []piece{unknownPiece(true)}
	}
	values, maybe := w.value(name)
	if p.Excl {
		values, maybe = w.indirect(values, maybe)
	}
	values, maybe = w.elements(p, name, values, maybe)
	index := indexWord(p)
	positional := name == "@" || name == "*"
	list := positional || index == "@" || index == "*"
	out := make([]piece, 0, len(values)+1)
	for _, v := range values {
		switch {
		case p.Slice == nil:
		case list || w.dialect == Zsh && len(v) > 1:
			v = sliced(p.Slice, v, positional)
		default:
			v = w.edited(p, v)
		}
		if quoted && (name == "*" || index == "*") && len(v) > 1 {
			v = []string{strings.Join(v, " ")}
		}
		if !quoted && w.separators != "" {
			v = w.separated(v)
		}
		out = append(out, piece{words: v, split: !quoted})
	}
	if p.Exp != nil {
		return w.paramOperator(p, name, out, maybe, quoted)
	}
	if p.Repl != nil {
		for i := range out {
			out[i].words = w.edited(p, out[i].words)
		}
	}
	if maybe {
		out = append(out, unknownPiece(quoted && name != "@" && index != "@"))
	}
	return out
}

// separated puts blanks in the place of the separators that the string has set.
func (w *walker) separated(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = strings.Map(func(r rune) rune {
			if strings.ContainsRune(w.separators, r) {
				return ' '
			}
			return r
		}, v)
	}
	return out
}

// indirect follows ${!name}.
func (w *walker) indirect(names [][]string, maybe bool) ([][]string, bool) {
	var values [][]string
	for _, n := range names {
		if len(n) != 1 || unknown(n[0]) {
			maybe = true
			continue
		}
		v, m := w.value(n[0])
		values, maybe = union(values, v), maybe || m
	}
	return values, maybe
}

// elements picks an array's elements: ${a[@]}, ${a[2]}, and plain $a, which is the first one in bash.
func (w *walker) elements(p *syntax.ParamExp, name string, values [][]string, maybe bool) ([][]string, bool) {
	if p.Index == nil {
		if name == "@" || name == "*" || w.dialect == Zsh {
			return values, maybe
		}
		if !slices.ContainsFunc(values, func(v []string) bool { return len(v) > 1 }) {
			return values, maybe
		}
		out := make([][]string, len(values))
		for i, v := range values {
			out[i] = v[:min(1, len(v))]
		}
		return out, maybe
	}
	index := indexWord(p)
	if index == "@" || index == "*" {
		return values, maybe
	}
	if pair, ok := p.Index.(*syntax.BinaryArithm); ok && pair.Op == syntax.Comma && w.dialect == Zsh { // ${a[2,-1]}
		from, ok1 := number(pair.X, 0)
		to, ok2 := number(pair.Y, 0)
		out := make([][]string, len(values))
		for i, v := range values {
			if from < 0 {
				from += len(v) + 1
			}
			if to < 0 {
				to += len(v) + 1
			}
			if from < 1 || to < from-1 || from > len(v) || !ok1 || !ok2 {
				return nil, true
			}
			out[i] = v[from-1 : min(to, len(v))]
		}
		return out, maybe
	}
	n, err := strconv.Atoi(index)
	if w.dialect == Zsh {
		n--
	}
	var out [][]string
	for _, v := range values {
		switch {
		case err == nil && n >= 0 && n < len(v):
			out = append(out, v[n:n+1])
		case err != nil: // any of them
			for i := range v[:min(len(v), maxAlts)] {
				out = append(out, v[i:i+1])
			}
			maybe = true
		}
	}
	return out, maybe || len(out) == 0
}

// indexWord is the index of ${name[index]}, where it is one plain word.
func indexWord(p *syntax.ParamExp) string {
	if word, ok := p.Index.(*syntax.Word); ok {
		return word.Lit()
	}
	return ""
}

// sliced folds ${list[@]:offset:length}. The positional parameters count from one: before them stands $0.
func sliced(s *syntax.Slice, list []string, positional bool) []string {
	from, ok1 := number(s.Offset, 0)
	length, ok2 := number(s.Length, len(list))
	switch {
	case from < 0:
		from += len(list)
	case positional && from > 0:
		from--
	case positional: // ${@:0} has the shell itself in front
		return []string{string(unknownWords)}
	}
	if !ok1 || !ok2 || from < 0 || length < 0 {
		return []string{string(unknownWords)}
	}
	from = min(from, len(list))
	return list[from:min(from+length, len(list))]
}

// paramOperator folds the operators of ${name:-word}, ${name%pattern} and so on.
func (w *walker) paramOperator(p *syntax.ParamExp, name string, values []piece, maybe, quoted bool) []piece {
	other := func() []piece {
		if p.Exp.Word == nil {
			return []piece{{words: []string{""}, split: !quoted}}
		}
		var out []piece
		for _, a := range w.alternatives(p.Exp.Word, false) {
			out = append(out, piece{words: a.finish(), split: !quoted})
		}
		return out
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		empty := func(v piece) bool { return len(v.words) == 0 || len(v.words) == 1 && v.words[0] == "" }
		if !maybe && !slices.ContainsFunc(values, empty) {
			return values
		}
		out := append(slices.DeleteFunc(values, empty), other()...)
		if maybe {
			out = append(out, unknownPiece(quoted))
		}
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			assigned := make([][]string, 0, len(out))
			for _, o := range out {
				assigned = append(assigned, o.words)
			}
			w.assign(name, assigned, maybe)
		}
		return out
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return append(other(), piece{words: nil, split: true})
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		pattern := ""
		if texts := w.texts(p.Exp.Word); len(texts) == 1 {
			pattern = texts[0]
		}
		for i := range values {
			words := slices.Clone(values[i].words)
			for j := range words {
				words[j] = edit(p.Exp.Op, words[j], pattern)
			}
			values[i].words = words
		}
	default: // ${name@Q} and the like
		return []piece{unknownPiece(quoted)}
	}
	if maybe {
		values = append(values, unknownPiece(quoted))
	}
	return values
}

// edit removes a prefix or suffix or changes letters, as ${name#pattern} and ${name^^} do.
func edit(op syntax.ParExpOperator, s, pattern string) string {
	switch op {
	case syntax.UpperAll:
		return strings.ToUpper(s)
	case syntax.LowerAll:
		return strings.ToLower(s)
	case syntax.UpperFirst:
		return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):]
	case syntax.LowerFirst:
		return strings.ToLower(s[:min(1, len(s))]) + s[min(1, len(s)):]
	}
	if unknown(s) || unknown(pattern) || len(s) > 4096 || strings.ContainsAny(pattern, "[\\") {
		return string(unknownWord)
	}
	switch op {
	case syntax.RemSmallPrefix:
		for i := 0; i <= len(s); i++ {
			if glob(pattern, s[:i]) {
				return s[i:]
			}
		}
	case syntax.RemLargePrefix:
		for i := len(s); i >= 0; i-- {
			if glob(pattern, s[:i]) {
				return s[i:]
			}
		}
	case syntax.RemSmallSuffix:
		for i := len(s); i >= 0; i-- {
			if glob(pattern, s[i:]) {
				return s[:i]
			}
		}
	case syntax.RemLargeSuffix:
		for i := 0; i <= len(s); i++ {
			if glob(pattern, s[i:]) {
				return s[:i]
			}
		}
	}
	return s
}

// glob matches a shell pattern of literals, * and ?. It takes time proportional to len(pattern)·len(s) at most.
func glob(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

func (w *walker) edited(p *syntax.ParamExp, words []string) []string {
	out := make([]string, len(words))
	for i, s := range words {
		out[i] = w.substring(p, s)
	}
	return out
}

// substring folds ${name/old/new} and ${name:offset:length} of literals.
func (w *walker) substring(p *syntax.ParamExp, s string) string {
	if p.Repl != nil {
		old, with := w.texts(p.Repl.Orig), w.texts(p.Repl.With)
		if len(with) == 0 {
			with = []string{""}
		}
		if len(old) != 1 || len(with) != 1 || old[0] == "" || unknown(old[0]) || strings.ContainsAny(old[0], "*?[#%\\") {
			return string(unknownWord)
		}
		if p.Repl.All {
			if len(s)*(1+len(with[0])) > maxValue {
				return string(unknownWord)
			}
			return strings.ReplaceAll(s, old[0], with[0])
		}
		return strings.Replace(s, old[0], with[0], 1)
	}
	from, ok1 := number(p.Slice.Offset, 0)
	length, ok2 := number(p.Slice.Length, len(s))
	if from < 0 {
		from += len(s)
	}
	if !ok1 || !ok2 || from < 0 || length < 0 || from > len(s) || unknown(s) {
		return string(unknownWord)
	}
	return s[from:min(from+length, len(s))]
}

func number(x syntax.ArithmExpr, otherwise int) (int, bool) {
	if x == nil {
		return otherwise, true
	}
	if minus, ok := x.(*syntax.UnaryArithm); ok && minus.Op == syntax.Minus && !minus.Post {
		n, ok := number(minus.X, 0)
		return -n, ok
	}
	word, ok := x.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(word.Lit())
	return n, err == nil && n < maxValue
}

// tilde replaces ~ at the beginning of a word.
func (w *walker) tilde(s string) string {
	if s != "~" && !strings.HasPrefix(s, "~/") {
		return s
	}
	if home, maybe := w.value("HOME"); len(home) == 1 && len(home[0]) == 1 && !maybe {
		return path.Clean(home[0][0]) + s[1:]
	}
	return s
}

// unescape removes the backslashes that quote a character. Within double quotes and here-documents they do so before
// special characters only.
func unescape(s, special string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		next := s[i+1]
		switch {
		case next == '\n':
		case special == "" || strings.IndexByte(special, next) >= 0:
			b.WriteByte(next)
		default:
			b.WriteByte('\\')
			b.WriteByte(next)
		}
		i++
	}
	return b.String()
}

// ansiC folds the escapes of $'…', which printf and echo -e share.
func ansiC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a', 'b', 'f', 'v', 'e', 'E':
			b.WriteByte(' ')
		case 'c':
			i++
		case 'x':
			n, width := digits(s[i+1:], 16, 2)
			b.WriteByte(byte(n))
			i += width
		case 'u', 'U':
			most := 4
			if c == 'U' {
				most = 8
			}
			n, width := digits(s[i+1:], 16, most)
			if n > utf8.MaxRune {
				n = utf8.RuneError
			}
			b.WriteRune(rune(n))
			i += width
		case '0', '1', '2', '3', '4', '5', '6', '7':
			most := 3
			if c == '0' {
				most = 4 // printf and echo write \0nnn
			}
			n, width := digits(s[i:], 8, most)
			b.WriteByte(byte(n))
			i += width - 1
		default: // \\ \' \" \?
			b.WriteByte(c)
		}
	}
	return b.String()
}

func digits(s string, base, most int) (n, width int) {
	for width < most && width < len(s) {
		d, err := strconv.ParseUint(s[width:width+1], base, 8)
		if err != nil {
			break
		}
		n = n*base + int(d)
		width++
	}
	return n, width
}
