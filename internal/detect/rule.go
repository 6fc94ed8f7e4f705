package detect

import (
	"slices"
	"strings"
)

// A Rule is one line of the table.
type Rule struct {
	// ID names the rule for good: it stands in verdicts, journals and operators' notes.
	ID string

	// Program is the program's name, without directories, versions and suffixes such as ".exe".
	Program string

	// Subcommands are alternatives separated by blanks. Words joined by "+" follow each other, a "*" at the end stands
	// for any ending, "*" alone for anything or nothing, "." for nothing.
	Subcommands string

	// Options, if any, must hold for the rule to match: one of these options is given.
	Options string

	Class Class

	// Why completes the sentence that begins with the program and the subcommand.
	Why string
}

// Rules returns the table: for the README, for --explain and for tests.
func Rules() []Rule { return slices.Clone(rules[:]) }

// rulesFor returns the table's lines for a program.
func rulesFor(program string) []Rule {
	byProgram := func(r Rule, program string) int { return strings.Compare(r.Program, program) }
	from, found := slices.BinarySearchFunc(rules[:], program, byProgram)
	if !found {
		return nil
	}
	to := from
	for to < len(rules) && rules[to].Program == program {
		to++
	}
	return rules[from:to]
}

var noOptions = programOptions{ends: defaultEnds}

func optionsOf(program string) *programOptions {
	i, ok := slices.BinarySearchFunc(options[:], program, func(o programOptions, name string) int { return strings.Compare(o.name, name) })
	if !ok {
		return &noOptions
	}
	return &options[i]
}

// Arguments are a program's arguments, sorted into operands and the rest by what is known about its options.
type arguments struct {
	operands []string
	options  []string // without their values
	ends     bool     // an option was given with which the program only prints something
	unclear  bool     // there may be an operand in front of the first one
	at       int      // index of the first operand in the arguments
}

func (o *programOptions) sort(args []string) arguments {
	sorted := arguments{at: len(args)}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			if len(sorted.operands) == 0 {
				sorted.at = i + 1
			}
			sorted.operands = append(sorted.operands, args[i+1:]...)
			return sorted
		case len(a) > 1 && a[0] == '-':
			if name, _, _ := strings.Cut(a, "="); has(o.ends, name) && (o.passes == "" || len(sorted.operands) < 2 || sorted.operands[0] != o.passes) {
				sorted.ends = true
			}
			sorted.options = append(sorted.options, a)
			n := arity(o.values, a)
			if n == ifNumber {
				n = numbers(args[i+1:])
			}
			if n > 0 {
				sorted.ends = sorted.ends || i+1 < len(args) && has(o.ends, a+"="+args[i+1])
				i += n
			}
		case maybeNothing(a):
			sorted.unclear = sorted.unclear || len(sorted.operands) == 0
		default:
			if len(sorted.operands) == 0 {
				sorted.at = i
				if has(o.ends, a) {
					sorted.ends = true
				}
			}
			sorted.operands = append(sorted.operands, a)
		}
	}
	return sorted
}

// withValue is another reading of a command: the word behind the first long option in front of a subcommand is the option's
// value, where no table says what the option takes. A word that the program is known for is no value, and something must be
// left to be the subcommand. It returns nil where there is no such option; further ones are found in the reading itself.
func (w *walker) withValue(program string, argv []string) []string {
	runner := has(runners, program)
	if !runner && !w.hasRules(program) {
		return nil
	}
	values := optionsOf(program).values
	var operands []string
	for i := 1; i+2 < len(argv) && len(operands) < 3; i++ {
		a, value := argv[i], argv[i+1]
		switch {
		case a == "--":
			return nil
		case len(a) < 2 || a[0] != '-':
			operands = append(operands, a)
			continue
		case !strings.HasPrefix(a, "--") || strings.Contains(a, "="):
			continue
		}
		n := arity(values, a)
		if n != 0 {
			i += max(n, 0)
			continue
		}
		if value == "" || value[0] == '-' || takesNone(a) && !has("true false null", value) || runner && knownProgram(value) ||
			has(lookups, value) || scriptStem(value) != value {
			continue
		}
		if r, sub := w.match(program, append(slices.Clip(operands), value), nil); r != nil && sub != "" {
			continue
		}
		if !slices.ContainsFunc(argv[i+2:], func(a string) bool { return a != "" && a[0] != '-' }) {
			return nil
		}
		return slices.Concat(argv[:i], []string{a + "=" + value}, argv[i+2:])
	}
	return nil
}

// runners are programs without lines in the table, or with few, that run the program they are given.
const runners = "npx pnpx bunx pnx nlx uv uvx pipx coverage memray debugpy kernprof pyinstrument viztracer node tsx ts-node"

// takesNone reports whether a long option takes no value, whatever the program. Only npm lets "true" or "false" follow.
func takesNone(option string) bool {
	return strings.HasPrefix(option, "--no-") || has(switches, option)
}

const switches = "--all --build --debug --detach --disable-content-trust --disable-pip-version-check --dry-run --force --frozen " +
	"--frozen-lockfile --global --help --if-present --ignore-scripts --ignore-workspace-root-check --init --interactive --isolated " +
	"--json --locked --long --no --offline --oom-kill-disable --paginate --parallel --prefer-offline --privileged --production " +
	"--publish-all --quiet --quiet-pull --read-only --recursive --remove-orphans --replace --require-virtualenv --rm --rmi --save " +
	"--enable-asserts --save-dev --save-exact --service-ports --sig-proxy --silent --stream --tls --tlsverify --trace-deprecation --trace-uncaught " +
	"--trace-warnings --tty --unstable --use-aliases --verbose --workspace-root --workspaces --yes"

// lookups are subcommands that many programs have and few options take for a value.
const lookups = "check config describe fmt get help images info inspect list logs ls outdated ps search show stack status version view why"

// given reports whether one of the options of a list is among args. One-letter options may be part of a cluster.
func given(list string, args []string) bool {
	for _, a := range args {
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		name, _, _ := strings.Cut(a, "=")
		if has(list, name) || has(list, a) {
			return true
		}
		if a[1] == '-' {
			continue
		}
		for opt := range strings.SplitSeq(list, " ") {
			if len(opt) == 2 && cluster(a) && strings.IndexByte(a, opt[1]) > 0 {
				return true
			}
		}
	}
	return false
}

// cluster reports whether an option word may be several one-letter options.
func cluster(a string) bool {
	for i := 1; i < len(a); i++ {
		if a[i]|0x20 < 'a' || a[i]|0x20 > 'z' {
			return i > 1
		}
	}
	return len(a) <= 6
}

// rank is how particular a rule's match is, 0 for no match: options count most, then words of the subcommand, then
// whether the last of them is spelled out. sub is the pattern that matched.
func (r *Rule) rank(operands, options []string) (rank int, sub string) {
	if r.Options != "" {
		if !given(r.Options, options) {
			return 0, ""
		}
		rank = 100
	}
	best := 0
	for pattern := range strings.SplitSeq(r.Subcommands, " ") {
		if n := matchPattern(pattern, operands); n > best {
			best, sub = n, pattern
		}
	}
	if best == 0 {
		return 0, ""
	}
	return rank + best, sub
}

func matchPattern(pattern string, operands []string) int {
	switch pattern {
	case "":
		return 0
	case ".":
		if len(operands) == 0 {
			return 2
		}
		return 0
	case "*":
		return 1
	}
	if first := pattern[0]; isWordByte(first) && (len(operands) == 0 || operands[0] == "" || operands[0][0] != first) {
		return 0 // most patterns, in one look
	}
	n := 0
	for word := range strings.SplitSeq(pattern, "+") {
		if n == len(operands) {
			return 0
		}
		op := operands[n]
		n++
		switch star := strings.IndexByte(word, '*'); {
		case star < 0:
			if word != op {
				return 0
			}
		case star == len(word)-1:
			if !strings.HasPrefix(op, word[:star]) {
				return 0
			}
			if star == 0 { // "*" as a further word
				continue
			}
			return n*10 + min(star, 8)
		default:
			if !glob(word, op) {
				return 0
			}
			return n * 10
		}
	}
	return n*10 + 9
}

// match returns the rule that counts for a program's arguments, and the subcommand that matched.
func (w *walker) match(program string, operands, options []string) (*Rule, string) {
	var found *Rule
	best, pattern := 0, ""
	consider := func(r *Rule, bonus int) {
		w.left.steps -= len(r.Subcommands) / 64
		rank, sub := r.rank(operands, options)
		if rank > 0 && (rank+bonus > best || rank+bonus == best && r.Class > found.Class) {
			found, best, pattern = r, rank+bonus, sub
		}
	}
	table := rulesFor(program)
	for i := range table {
		consider(&table[i], 0)
	}
	if w.in.Extra != nil {
		for i := range w.in.Extra.rules {
			if r := &w.in.Extra.rules[i]; r.Program == program {
				consider(r, 1000)
			}
		}
	}
	return found, strings.TrimRight(strings.ReplaceAll(pattern, "+", " "), "*.")
}

// rules judges a program by the table. It reports whether the program is in it.
func (w *walker) rules(program string, argv []string) bool {
	if !w.hasRules(program) || program == "file" || program == "script" { // no programs in the table: names of files and scripts
		return false
	}
	opts := optionsOf(program)
	args := opts.sort(argv[1:])
	if args.ends {
		return true
	}
	if opts.each && len(args.operands) > 0 {
		for i, target := range args.operands {
			if strings.IndexByte(target, '=') > 0 && isName(target[:strings.IndexByte(target, '=')]) {
				if len(args.operands) == 1 {
					w.judge(program, nil, args)
				}
				continue
			}
			w.judge(program, args.operands[i:i+1], args)
		}
	} else {
		w.judge(program, args.operands, args)
	}
	return true
}

func (w *walker) hasRules(program string) bool {
	return len(rulesFor(program)) > 0 || w.in.Extra != nil &&
		slices.ContainsFunc(w.in.Extra.rules, func(r Rule) bool { return r.Program == program })
}

// judge notes what the table says about a program and its operands. It reports whether a rule matched.
func (w *walker) judge(program string, operands []string, args arguments) bool {
	r, sub := w.match(program, operands, args.options)
	w.unclear(program, operands, args)
	if r == nil {
		return false
	}
	w.noteRule(r, program, sub)
	return true
}

func (w *walker) noteRule(r *Rule, program, sub string) {
	w.note(finding{class: r.Class, rule: r.ID, program: program, sub: sub, why: r.Why})
}

// unclear notes a subcommand that is known only when the command runs, where that could make it heavy.
func (w *walker) unclear(program string, operands []string, args arguments) {
	if !args.unclear && (len(operands) == 0 || !unknown(operands[0])) {
		return
	}
	for _, r := range rulesFor(program) {
		if r.Class < MaybeHeavy || r.Options != "" || r.Subcommands == "*" {
			continue
		}
		if args.unclear || couldMatch(r.Subcommands, operands[0]) {
			w.note(finding{class: MaybeHeavy, opaque: true, rule: "opaque.subcommand", program: program,
				why: "is given a subcommand that is known only when it runs"})
			return
		}
	}
}

// couldMatch reports whether a word that is known in part may turn out to be one of the subcommands.
func couldMatch(subcommands, word string) bool {
	known := word[:strings.IndexFunc(word, func(r rune) bool { return r == unknownWord || r == unknownWords })]
	for pattern := range strings.SplitSeq(subcommands, " ") {
		if strings.HasPrefix(pattern, known) {
			return true
		}
	}
	return false
}
