package detect

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A walker goes through a string in the order in which the shell would, noting every command that might run.
type walker struct {
	in   *Input
	left budget
	best finding
	state
	location
	surroundings

	told   string // what programs that write files of their choice were told
	untold bool   // such a program was told something that is not known

	exhausted bool // a budget ran out: the text is scanned for words as well
	scanning  bool
	looping   bool
	files     int // looked at
	opened    int
	parsers   [3]*syntax.Parser
	reading   []string       // scripts, aliases and recipes being followed, innermost last
	calling   []*syntax.Stmt // function bodies being walked, innermost last
}

// A location is where in which text the walker stands.
type location struct {
	src    string // the text being walked
	lo, hi int    // the simple command in it
	outer  span   // where src is not Input.Text: the simple command of Input.Text that carries it
	inner  bool   // src is not Input.Text

	asWritten string // where src was put together from parts: the command that it came from
	dialect   Dialect
}

type span struct{ lo, hi int }

// surroundings are what stands around a command and changes what its class means.
type surroundings struct {
	limited   bool // behind a memory limit
	elsewhere bool // run by a daemon, outside our control group: a limit of ours would not hold it
	via       string
	stdin     stdin
}

// stdin is what a command reads from its standard input.
type stdin struct {
	kind stdinKind
	text string         // kind is stdinText
	from []*syntax.Stmt // kind is stdinPipe: the commands that write into the pipe
	prev *stdin         // and what those read
}

type stdinKind uint8

const (
	stdinNone stdinKind = iota // a terminal, nothing, or what the caller gave
	stdinText
	stdinPipe
	stdinUnknown
)

// A finding is a part of a string that has a class, and why.
type finding struct {
	class        Class
	opaque       bool
	rule         string
	program, sub string
	why          string
	command      string
	pos, end     int
	via          string
}

func (f finding) verdict() Verdict {
	if f.rule == "" {
		return Verdict{Pos: -1, End: -1}
	}
	v := Verdict{Class: f.class, Opaque: f.opaque, Rule: f.rule, Program: f.program, Subcommand: f.sub,
		Command: shorten(f.command), Pos: f.pos, End: f.end, Reason: f.why}
	subject := f.program
	if f.sub != "" {
		subject += " " + f.sub
	}
	if subject != "" {
		v.Reason = subject + " " + f.why
	}
	if f.via != "" {
		v.Reason += ", " + f.via
	}
	return v
}

func newWalker(in *Input) *walker {
	return &walker{
		in:    in,
		left:  budget{steps: maxSteps, parsed: maxParsed, depth: maxDepth},
		state: state{dir: in.Dir},
		location: location{
			src: in.Text, hi: len(in.Text), dialect: in.Dialect,
		},
	}
}

// note records a part's class. The first part of the greatest class decides.
func (w *walker) note(f finding) {
	if f.rule == "budget" {
		w.exhausted = true
	}
	switch {
	case f.class == Light:
		return
	case w.limited && f.class >= MaybeHeavy:
		f.class, f.via = Isolated, "behind a memory limit already"
	case w.elsewhere && f.class == Heavy:
		f.class, f.via = MaybeHeavy, "but outside our control group, where no limit of ours would hold it"
	}
	if f.class < w.best.class || (f.class == w.best.class && w.best.rule != "") {
		return
	}
	f.command = w.src[w.lo:w.hi]
	f.pos, f.end = w.lo, w.hi
	if w.inner {
		f.pos, f.end = w.outer.lo, w.outer.hi
		if unknown(f.command) && w.asWritten != "" { // put together from parts: what is written down says more
			f.command = w.asWritten
		}
	}
	if f.via == "" {
		f.via = w.via
	}
	w.best = f
}

// opaque notes a command that cannot be known from the text.
func (w *walker) opaque(rule, why string) {
	w.note(finding{class: MaybeHeavy, opaque: true, rule: rule, why: why})
}

// done reports whether nothing that follows can change the verdict.
func (w *walker) done() bool {
	return w.best.class == Heavy || w.left.steps < 0
}

// behind runs f with a wrapper's name added to the reasons.
func (w *walker) behind(via string, f func()) {
	saved := w.surroundings
	w.via = via
	f()
	w.surroundings = saved
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		if w.done() {
			return
		}
		w.stmt(s)
		if w.leavesShell(s) {
			return
		}
	}
}

// leavesShell reports whether nothing after s in its list runs: it is a plain exit, and no function has taken that name.
func (w *walker) leavesShell(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || len(call.Args) == 0 || len(call.Args) > 2 || len(call.Assigns) > 0 {
		return false
	}
	return call.Args[0].Lit() == "exit" && w.lookup(functionName, "exit") == nil && w.lookup(alias, "exit") == nil
}

func (w *walker) stmt(s *syntax.Stmt) {
	if !w.enter() {
		return
	}
	defer w.leave()
	saved := w.stdin
	w.redirects(s)
	switch {
	case s.Background || s.Coprocess || s.Disown:
		w.apart(func() { w.cmd(s.Cmd) })
	default:
		w.cmd(s.Cmd)
	}
	w.saveOutput(s)
	if call, ok := s.Cmd.(*syntax.CallExpr); !ok || len(call.Args) != 1 || call.Args[0].Lit() != "exec" { // exec <file lasts
		w.stdin = saved
	}
}

func (w *walker) cmd(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.BinaryCmd:
		w.binary(c)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.apart(func() { w.stmts(c.Stmts) })
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.stmts(c.Cond)
		w.maybeRun(func() { w.loop(c.Do) })
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.substitutions(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.substitutions(p)
			}
			w.maybeRun(func() { w.stmts(item.Stmts) })
		}
	case *syntax.FuncDecl:
		w.funcDecl(c)
	case *syntax.ArithmCmd:
		w.arithm(c.X)
		w.notArithmetic(int(c.Left.Offset())+len("(("), int(c.Right.Offset()))
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			w.arithm(x)
		}
	case *syntax.TestClause:
		w.test(c.X)
	case *syntax.DeclClause:
		w.declare(c.Args)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		w.piped(func() { w.stmt(c.Stmt) })
	case *syntax.TestDecl:
		w.stmt(c.Body)
	}
}

// loop walks a loop's body. It does so twice where the body changes what names mean, since the second time around it
// sees its own changes; loops within loops share the outermost one's second time.
func (w *walker) loop(body []*syntax.Stmt) {
	mark := len(w.bindings)
	nested := w.looping
	w.looping = true
	w.stmts(body)
	if len(w.bindings) > mark && !nested && !w.done() {
		for i := mark; i < len(w.bindings); i++ {
			w.bindings[i].maybe = true
		}
		w.join(mark)
		w.stmts(body)
	}
	w.looping = nested
}

func (w *walker) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		w.stmts(c.Cond)
		w.maybeRun(func() { w.stmts(c.Then) })
	}
}

func (w *walker) forClause(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var items [][]string
		maybe := false
		for _, word := range l.Items {
			w.substitutions(word)
		}
		if l.InPos.IsValid() {
			for _, fields := range w.expand(l.Items) {
				for _, f := range fields {
					if len(items) == maxAlts {
						maybe = true
						break
					}
					items = append(items, []string{f})
				}
			}
		} else if w.paramsSet {
			for _, p := range w.params[:min(len(w.params), maxAlts)] {
				items = append(items, []string{p})
			}
		} else {
			maybe = true
		}
		w.maybeRun(func() {
			w.assign(l.Name.Value, items, maybe)
			w.loop(c.Do)
		})
		return
	case *syntax.CStyleLoop:
		w.arithm(l.Init)
		w.arithm(l.Cond)
		w.arithm(l.Post)
	}
	w.maybeRun(func() { w.loop(c.Do) })
}

// binary walks a pipeline or a list of && and ||. Both lean to one side and may be thousands of commands long, so they are
// flattened first.
func (w *walker) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		w.pipeline(c)
		return
	}
	type link struct {
		op syntax.BinCmdOperator
		s  *syntax.Stmt
	}
	var links []link
	for {
		links = append(links, link{c.Op, c.Y})
		next, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || (next.Op != syntax.AndStmt && next.Op != syntax.OrStmt) || carriesMore(c.X) {
			break
		}
		c = next
	}
	w.stmt(c.X)
	mark := -1
	for _, l := range slices.Backward(links) {
		if mark >= 0 && l.op == syntax.OrStmt {
			w.join(mark)
			mark = -1
		}
		if mark < 0 {
			mark = len(w.bindings) // what follows may not run
		}
		if w.done() {
			return
		}
		w.stmt(l.s)
	}
	w.join(mark)
}

// carriesMore reports whether a statement is more than its command.
func carriesMore(s *syntax.Stmt) bool {
	return len(s.Redirs) > 0 || s.Negated || s.Background
}

func (w *walker) pipeline(c *syntax.BinaryCmd) {
	var parts []*syntax.Stmt // last one first
	for {
		parts = append(parts, c.Y)
		next, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || (next.Op != syntax.Pipe && next.Op != syntax.PipeAll) || carriesMore(c.X) {
			parts = append(parts, c.X)
			break
		}
		c = next
	}
	slices.Reverse(parts)
	saved := w.stdin
	for i, s := range parts {
		if w.done() {
			break
		}
		if i > 0 {
			prev := w.stdin
			w.stdin = stdin{kind: stdinPipe, from: parts[i-1 : i], prev: &prev}
		}
		if i == len(parts)-1 && w.dialect == Zsh {
			w.maybeRun(func() { w.stmt(s) }) // zsh runs the last part in the shell itself
			continue
		}
		w.apart(func() { w.stmt(s) })
	}
	w.stdin = saved
}

func (w *walker) funcDecl(c *syntax.FuncDecl) {
	if list, ok := c.Body.Cmd.(*syntax.BinaryCmd); ok && (c.Name != nil || len(c.Names) > 0) {
		w.binary(afterDecl(c, list))
		return
	}
	fn := function{body: c.Body, at: w.location}
	switch {
	case c.Name != nil:
		w.bind(binding{kind: functionName, name: c.Name.Value, fn: fn})
		if w.dialect == Zsh && strings.HasPrefix(c.Name.Value, "TRAP") { // TRAPEXIT and its like are traps
			w.maybeRun(func() { w.behind("in a trap", func() { w.stmt(c.Body) }) })
		}
	case len(c.Names) > 0:
		for _, n := range c.Names {
			w.bind(binding{kind: functionName, name: n.Value, fn: fn})
		}
	default: // zsh's anonymous function runs at once
		w.stmt(c.Body)
	}
}

// afterDecl puts right what the parser (v3.14.1) takes for a function's body in f() { …; } && f: a list that begins with the
// body, where shells read a list that begins with the declaration.
func afterDecl(c *syntax.FuncDecl, list *syntax.BinaryCmd) *syntax.BinaryCmd {
	top := *list
	for at := &top; ; {
		next, ok := at.X.Cmd.(*syntax.BinaryCmd)
		if !ok {
			decl := *c
			decl.Body = at.X
			at.X = &syntax.Stmt{Position: c.Pos(), Cmd: &decl}
			return &top
		}
		copied, stmt := *next, *at.X
		stmt.Cmd, at.X = &copied, &stmt
		at = &copied
	}
}

// callFunction walks a function's body as a call with args would run it. A function that calls itself is followed once
// more, for those that look at their first argument and go on with the others.
func (w *walker) callFunction(fn function, args []string) {
	active := 0
	for _, body := range w.calling {
		if body == fn.body {
			active++
		}
	}
	if active > 1 || !w.enter() {
		return
	}
	defer w.leave()
	w.calling = append(w.calling, fn.body)
	at, params, set := w.location, w.params, w.paramsSet
	w.location = fn.at
	w.params, w.paramsSet = args, len(args) > 0
	w.stmt(fn.body)
	w.location, w.params, w.paramsSet = at, params, set
	w.calling = w.calling[:len(w.calling)-1]
}

func (w *walker) declare(args []*syntax.Assign) {
	reference := false // declare -n
	for _, a := range args {
		if a.Naked && a.Value != nil {
			option := a.Value.Lit()
			reference = reference || isCluster(option, 'n') && option[0] == '-'
		}
		if reference && !a.Naked && a.Name != nil && a.Index == nil {
			w.substitutions(a.Value)
			for _, other := range w.texts(a.Value) {
				w.refer(a.Name.Value, other)
			}
			continue
		}
		if a.Naked && a.Value != nil && a.Name == nil { // an option, or a word that expands to name=value
			w.substitutions(a.Value)
			for _, fields := range w.expand([]*syntax.Word{a.Value}) {
				for _, f := range fields {
					if name, value, ok := strings.Cut(f, "="); ok {
						w.assignText(name, value)
					}
				}
			}
			continue
		}
		w.assignment(a)
	}
}

// assignment folds name=value, name=(…) and name+=…
func (w *walker) assignment(a *syntax.Assign) {
	w.substitutions(a.Value)
	w.arithm(a.Index)
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			w.arithm(e.Index)
			w.substitutions(e.Value)
		}
	}
	if a.Name == nil || a.Naked {
		return
	}
	name := a.Name.Value
	if a.Index != nil { // one element: the array's other elements stay
		values := [][]string{}
		if a.Value != nil {
			for _, v := range w.texts(a.Value) {
				values = append(values, []string{v})
				if word, ok := a.Index.(*syntax.Word); ok && (has("functions aliases galiases saliases", name) && w.dialect == Zsh || name == "BASH_ALIASES") {
					w.bind(binding{kind: alias, name: strings.Join(w.texts(word), ""), text: v})
				}
			}
		}
		if old := w.lookup(variable, name); old != nil {
			values = union(values, old.words)
		}
		w.assign(name, values, true)
		return
	}
	var values [][]string
	switch {
	case a.Array != nil:
		words := make([]*syntax.Word, 0, len(a.Array.Elems))
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				words = append(words, e.Value)
			}
		}
		values = w.expand(words)
	case a.Value == nil:
		values = [][]string{{""}}
	default:
		for _, v := range w.texts(a.Value) {
			values = append(values, []string{v})
		}
	}
	maybe := false
	if a.Append {
		old := w.lookup(variable, name)
		if old == nil || old.maybe {
			maybe = true
		}
		if old != nil {
			values = w.appended(old.words, values, a.Array != nil)
		}
	}
	w.assign(name, values, maybe)
}

// appended is every old value followed by every new one.
func (w *walker) appended(old, add [][]string, array bool) [][]string {
	var out [][]string
	for _, o := range old {
		for _, n := range add {
			copied := len(o) / 4
			if !array && len(o) > 0 {
				copied += len(o[0]) / 64
			}
			if len(out) == maxAlts || !w.step(copied) {
				return out
			}
			switch {
			case array:
				out = append(out, slices.Concat(o, n))
			case len(o) == 0:
				out = append(out, n)
			case len(n) > 0:
				joined := slices.Clone(o)
				joined[0] += n[0]
				out = append(out, joined)
			}
		}
	}
	return out
}

// redirects walks what a statement's redirections expand and finds out what its command reads.
func (w *walker) redirects(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		saved := w.stdin
		if r.Op == syntax.RdrOut && r.N == nil && s.Cmd != nil && isProcSubst(r.Word) { // > >(sh)
			w.stdin = stdin{kind: stdinPipe, from: []*syntax.Stmt{{Cmd: s.Cmd}}, prev: &saved}
		}
		w.substitutions(r.Word)
		w.stdin = saved
		if r.Hdoc != nil {
			w.substitutions(r.Hdoc)
		}
	}
	w.redirectStdin(s)
}

func isProcSubst(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	_, ok := word.Parts[0].(*syntax.ProcSubst)
	return ok
}

// redirectStdin finds out what a statement's command reads, from its standard input and from other descriptors.
func (w *walker) redirectStdin(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		var from stdin
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			from = stdin{kind: stdinText, text: w.heredoc(r)}
		case syntax.WordHdoc:
			from = stdin{kind: stdinText, text: strings.Join(w.texts(r.Word), "\n") + "\n"}
		case syntax.RdrIn, syntax.RdrInOut:
			from = w.fileStdin(r.Word)
		case syntax.DplIn:
			fd := strings.TrimSuffix(strings.Join(w.texts(r.Word), ""), "-")
			if fd == "" || fd == "0" {
				continue
			}
			from = stdin{kind: stdinUnknown}
			if text, ok := w.written(fdDir + fd); ok {
				from = stdin{kind: stdinText, text: text}
			}
		default:
			continue
		}
		if r.N == nil || r.N.Value == "0" {
			w.stdin = from
		} else {
			w.openDescriptor(r.N.Value, from)
		}
	}
}

// openDescriptor binds what a descriptor other than standard input reads: 3<<<text, {fd}<file.
func (w *walker) openDescriptor(fd string, from stdin) {
	if name, ok := strings.CutPrefix(fd, "{"); ok { // the shell chooses a number
		fd = strings.TrimSuffix(name, "}")
		w.assignText(fd, fd)
	}
	saved := w.stdin
	w.stdin = from
	text, ok := w.stdinText()
	if w.stdin = saved; !ok {
		text = string(unknownWords)
	}
	w.writeFile(fdDir+fd, text, false)
}

func (w *walker) fileStdin(word *syntax.Word) stdin {
	if len(word.Parts) == 1 {
		if p, ok := word.Parts[0].(*syntax.ProcSubst); ok && p.Op == syntax.CmdIn {
			return stdin{kind: stdinPipe, from: p.Stmts}
		}
	}
	for _, name := range w.texts(word) {
		if name == "/dev/null" {
			return stdin{}
		}
		if text, ok := w.written(name); ok {
			return stdin{kind: stdinText, text: text}
		}
		if text, ok := w.readText(w.path(name)); ok {
			return stdin{kind: stdinText, text: text}
		}
	}
	return stdin{kind: stdinUnknown}
}

// saveOutput remembers the text that a statement writes into a file, for a script that is written and then run. Of several
// files only the last one gets it.
func (w *walker) saveOutput(s *syntax.Stmt) {
	for _, r := range slices.Backward(s.Redirs) {
		if r.N != nil && r.N.Value != "1" && r.N.Value != "2" && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut) {
			for _, name := range w.texts(r.Word) { // exec 3>x.sh: what is written there cannot be followed
				w.writeFile(name, string(unknownWords), true)
			}
		}
		appending := r.Op == syntax.AppOut || r.Op == syntax.AppAll
		if !appending && r.Op != syntax.RdrOut && r.Op != syntax.RdrClob && r.Op != syntax.RdrAll || r.N != nil && r.N.Value != "1" {
			continue
		}
		names := w.texts(r.Word)
		if len(names) != 1 || names[0] == "/dev/null" {
			return
		}
		text, ok := w.output([]*syntax.Stmt{{Cmd: s.Cmd}})
		if !ok {
			text = string(unknownWords)
		}
		w.writeFile(names[0], text, appending)
		return
	}
}

// piped runs f as a process that reads from a pipe which other commands may write to: a coprocess, >(…).
func (w *walker) piped(f func()) {
	saved := w.stdin
	if saved.kind == stdinNone {
		w.stdin = stdin{kind: stdinUnknown}
	}
	w.apart(f)
	w.stdin = saved
}

// substitutions walks the commands that a word's expansion runs.
func (w *walker) substitutions(word *syntax.Word) {
	if word == nil {
		return
	}
	w.parts(word.Parts)
}

func (w *walker) parts(parts []syntax.WordPart) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			w.parts(p.Parts)
		case *syntax.CmdSubst:
			w.apart(func() { w.stmts(p.Stmts) })
		case *syntax.ProcSubst:
			if p.Op == syntax.CmdOut {
				w.piped(func() { w.stmts(p.Stmts) })
			} else {
				w.apart(func() { w.stmts(p.Stmts) })
			}
		case *syntax.ArithmExp:
			w.arithm(p.X)
			w.notArithmetic(int(p.Left.Offset())+len("$(("), int(p.Right.Offset()))
		case *syntax.ParamExp:
			w.paramExp(p)
		}
	}
}

func (w *walker) paramExp(p *syntax.ParamExp) {
	if !w.enter() {
		return
	}
	defer w.leave()
	w.arithm(p.Index)
	if p.Flags != nil && strings.Contains(p.Flags.Value, "e") || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word.Lit() == "P" {
		w.evaluated(p)
	}
	if p.NestedParam != nil {
		w.parts([]syntax.WordPart{p.NestedParam})
	}
	if p.Slice != nil {
		w.arithm(p.Slice.Offset)
		w.arithm(p.Slice.Length)
	}
	if p.Repl != nil {
		w.substitutions(p.Repl.Orig)
		w.substitutions(p.Repl.With)
	}
	if p.Exp != nil {
		w.substitutions(p.Exp.Word)
	}
}

// evaluated judges what zsh's ${(e)name} and bash's ${name@P} expand in a value.
func (w *walker) evaluated(p *syntax.ParamExp) {
	plain := *p
	plain.Flags = nil
	if w.dialect != Zsh {
		plain.Exp = nil
	}
	for _, v := range w.param(&plain, true) {
		if text := strings.Join(v.words, " "); unknown(text) {
			w.opaque("opaque.eval", "which commands a value holds is known only when it is expanded")
		} else {
			w.expandedAgain(text)
		}
	}
}

// expandedAgain judges the commands in a value that the shell expands as it does a here-document's text.
func (w *walker) expandedAgain(text string) {
	if strings.ContainsAny(text, "$`") {
		w.apart(func() { w.eval(": <<HEAVY_RUN_VALUE\n" + text + "\nHEAVY_RUN_VALUE\n") })
	}
}

func (w *walker) arithm(x syntax.ArithmExpr) {
	if x == nil || !w.enter() {
		return
	}
	defer w.leave()
	switch x := x.(type) {
	case *syntax.Word:
		w.substitutions(x)
	case *syntax.BinaryArithm:
		w.arithm(x.X)
		w.arithm(x.Y)
	case *syntax.UnaryArithm:
		w.arithm(x.X)
	case *syntax.ParenArithm:
		w.arithm(x.X)
	case *syntax.FlagsArithm:
		w.arithm(x.X)
	}
}

// notArithmetic judges as commands what the parser takes for arithmetic and shells do not: they want the two parentheses at
// its end side by side, and read "((make) )" as a subshell in a subshell. In zsh the parser may find the end where there is
// no parenthesis at all; then nothing that it says of the rest can be relied on.
func (w *walker) notArithmetic(from, to int) {
	switch {
	case from > to || to >= len(w.src):
	case w.src[to] != ')':
		w.unparsable(from)
	case !strings.HasPrefix(w.src[to:], "))"):
		w.shell(w.src[from:to], w.dialect, nil)
	}
}

func (w *walker) test(x syntax.TestExpr) {
	if x == nil || !w.enter() {
		return
	}
	defer w.leave()
	switch x := x.(type) {
	case *syntax.Word:
		w.substitutions(x)
	case *syntax.BinaryTest:
		w.test(x.X)
		w.test(x.Y)
	case *syntax.UnaryTest:
		w.test(x.X)
	case *syntax.ParenTest:
		w.test(x.X)
	}
}
