package detect

// The budgets of one Classify. They are sizes, depths and counts, never times: a verdict must not depend on how busy the
// machine is (a guard that timed out under load first let everything through and then blocked good commands,
// https://github.com/Dicklesworthstone/destructive_command_guard/issues/241).
const (
	// maxText is the length of the longest string that is parsed. Linux caps one argument at 128 KiB
	// (MAX_ARG_STRLEN), so only files and foreign callers can exceed it.
	maxText = 128 << 10

	// maxOpeners bounds what can nest in one string, before the parser sees it. The parser recurses, a stack overflow in
	// Go cannot be recovered from, and 64,000 × "((" takes it 1.4 s and 1 GB.
	maxOpeners = 6000

	// maxArithmetic bounds "((" alone: the parser first tries an arithmetic command and starts again as two subshells
	// where that fails, at every level.
	maxArithmetic = 400

	maxParsed    = 512 << 10 // bytes parsed in one Classify: the string, what eval and sh -c run, scripts
	maxSteps     = 200_000   // statements, words and table look-ups in one Classify
	runCost      = 16        // steps for beginning to parse one more string
	maxDepth     = 120       // commands within commands: substitutions, functions, shells within shells
	maxAlts      = 16        // meanings that one command is followed in
	maxBindings  = 2000      // variables, functions, aliases and files that a string may define
	maxWordParts = 256       // quoted pieces and expansions of one word that is folded
	maxValue     = 64 << 10  // bytes of one folded value
	maxPath      = 4096      // bytes of a directory's name, PATH_MAX of limits.h
)

// parseable reports whether s is small and flat enough for the parser. It looks at bytes only: quotes are not tracked,
// since a scanner that can be led to see a quote where the parser sees none is no protection.
func parseable(s string) bool {
	if len(s) > maxText {
		return false
	}
	openers, arithmetic := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(':
			if i > 0 && s[i-1] == '(' {
				arithmetic++
			}
			openers++
		case '{', '`', '[':
			openers++
		case 'f', 'e', 'o': // if, elif, case, while, do: keywords nest as well
			if i > 0 && (s[i-1] == 'i' || s[i-1] == 'l' || s[i-1] == 's' || s[i-1] == 'd') && endsWord(s, i) {
				openers++
			}
		}
	}
	return openers <= maxOpeners && arithmetic <= maxArithmetic
}

func endsWord(s string, i int) bool {
	return i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || s[i+1] == '\t' || s[i+1] == ';'
}

// budget counts down what a Classify may still spend.
type budget struct {
	steps, parsed, depth int
}

// Some costs are taken from left.steps directly, where nothing has to stop at once; done sees that they are used up.

// step spends n steps and reports whether there were that many left.
func (w *walker) step(n int) bool {
	w.left.steps -= n
	if w.left.steps < 0 {
		w.overBudget()
		return false
	}
	return true
}

// enter spends a level of depth; leave gives it back.
func (w *walker) enter() bool {
	if w.left.depth == 0 {
		w.overBudget()
		return false
	}
	w.left.depth--
	return w.step(1)
}

func (w *walker) leave() { w.left.depth++ }

func (w *walker) overBudget() {
	w.note(finding{class: MaybeHeavy, opaque: true, rule: "budget", why: "the string is too large or too deeply nested to be judged in full"})
}
