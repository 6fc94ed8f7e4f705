package detect

import (
	"runtime"
	"strings"
	"testing"
)

// Strings that nest, repeat or multiply as far as one argument can. Each takes less than 64 MiB of allocations, live or
// not, and gets a verdict.
func TestHostileStringsStayWithinBudget(t *testing.T) {
	repeated := []string{
		"((", "(", "{ ", "$(", "`", "[[ ", "[", "if ", "while ", "for i in a; do ", "case a in a) ", "a|", "a&&", "a||", "a;", "a&", "! ",
		"a ", "<a ", "<<a ", "<<<a ", "a\n", "${a", "${a:-", "${a} ", "$a ", "\"", "\"$(", "'a'", "$'a'", "{a,b}", "{a,", "{", "{!", "{{a,", "{a..", "{a,b}{a,b}", "{a,b} ", "a=b ", "a=b\n",
		"a=$a$a\n", "f() { ", "f() { f; }; f\n", "function f { ", "alias a=a; a\n", "eval ", "eval '", "sudo ", "env ", "env -S ", "xargs ", "bash -c ", "sh -c 'sh -c ", "$((", "((a+", "a[", "a[a[", "a+=(a) ", "a+=(a a a a a a a a)\n", "a+=" + strings.Repeat("a", 60) + "\n", "\\", "<(", ">(", "time ", "coproc ",
		"select a in a; do ", "until a; do ", "x() (", "!(", "@(", "*(", "a(", "${!a}", "$[", "let a=a+", "[[ a && ", "<<E\n", "for a in {1..9}; do for b in $a; do ",
		"a=$(a) ", "set -- a; shift; ", "trap 'a' EXIT; ", "nice -n 1 ", "\x01", "\x02", "\xff", "\r\n", "npm run ", "find . -exec ", "timeout 1 ", "eval \"$x\" ",
		"a=\"$a$a\";", "x=a; x=$x$x; ", "git -c alias.a='!a' a; ", "git config alias.a a; git a; ", "git config core.pager a; git log; ",
		"f() { a; } && ", "3<<<a ", "exec 3<<<a; ", "declare -n a=b; a=c; ", "sed 1e\\ a x; ", "python3 -c 'x.sh'; bash x.sh; ", "${a@P}",
		"patch <<< a; sh x.sh; ", "a > >(a); ", "tclsh <<< '[exec a]'; ", "echo '!a' | vim; ", "npm pkg set scripts.a=a; npm run a; ", "f(){ f1; };", "a=1;b=$a;c=$b;", "a=' '$a\"\"$a;", "a=\"b b$a$a\"; ", "echo $((a)) ", "printf %s a | sh; ", "node -e 'exec(\"a\")'; ",
		"exec 3>a; ls && ", "exec > >(a) 2>&1; a && ", "if a; then echo a=a >> b; fi; ", "echo \"$(a)\"#; ", "(echo ''#; a\n)\n", "hyperfine 'a' ls && ", "EDITOR='a b' git commit\n",
		"cd a; ", "cd $a; ", "pushd a; ", "(cd a; ", "git -C a a; ", "make -C a; ",
	}
	var before, after runtime.MemStats
	texts := []string{"x='" + strings.Repeat("a ", maxText/4) + "'; echo" + strings.Repeat(" $x", maxText/8)}
	for _, unit := range repeated {
		// Just below what parseable refuses is where the parser works hardest.
		for _, n := range []int{maxArithmetic - 1, maxOpeners/2 - 1, maxOpeners - 1, maxText} {
			texts = append(texts, strings.Repeat(unit, min(n, maxText/len(unit))))
		}
	}
	for _, text := range texts {
		for _, dialect := range []Dialect{Bash, Zsh} {
			runtime.ReadMemStats(&before)
			Classify(Input{Text: text, Dialect: dialect})
			runtime.ReadMemStats(&after)
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib >= 64 {
				t.Errorf("%d × %.20q… took %d MiB", len(text), text, mib)
			}
		}
	}
}
