package shellargs

import (
	"os/exec"
	"strings"
	"testing"
)

const printsItself = `printf 'ran:%s' "$0"`

// cases holds the words after argv[0]; RUN stands for the string that must be found. A case whose want is -1 has no -c string.
var cases = []struct {
	shells string
	args   []string
	want   int
}{
	{"bash zsh dash", []string{"-c", "RUN"}, 1},
	{"bash zsh dash", []string{"-c", "--", "RUN"}, 2},
	{"bash zsh dash", []string{"-c", "-", "RUN"}, 2},
	{"bash zsh dash", []string{"-e", "-c", "RUN"}, 2},
	{"bash zsh dash", []string{"-c", "-e", "RUN"}, 2},
	{"bash zsh dash", []string{"-ec", "RUN", "arg0", "-c"}, 1},
	{"bash zsh dash", []string{"-lc", "RUN"}, 1},
	{"bash zsh dash", []string{"-c", "-l", "RUN"}, 2},
	{"bash zsh dash", []string{"+e", "-c", "RUN"}, 2},
	{"bash zsh dash", []string{"-o", "errexit", "-c", "RUN"}, 3},
	{"bash zsh dash", []string{"-eo", "nounset", "-c", "RUN"}, 3},
	{"bash zsh dash", []string{"-co", "nounset", "RUN"}, 2},
	{"bash", []string{"-oc", "nounset", "RUN"}, 2},
	{"bash", []string{"-O", "extglob", "-c", "RUN"}, 3},
	{"bash", []string{"+O", "extglob", "-c", "RUN"}, 3},
	{"bash", []string{"-Oo", "extglob", "errexit", "-c", "RUN"}, 4},
	{"bash", []string{"--noprofile", "--norc", "-c", "RUN"}, 3},
	{"bash", []string{"-norc", "-c", "RUN"}, 2},
	{"bash", []string{"--rcfile", "/dev/null", "-c", "RUN"}, 3},
	{"bash", []string{"--init-file", "/dev/null", "--login", "-c", "RUN"}, 4},
	{"zsh", []string{"-f", "-c", "RUN"}, 2},
	{"zsh", []string{"-oerrexit", "-c", "RUN"}, 2},
	{"zsh", []string{"--no-rcs", "-c", "RUN"}, 2},
	{"zsh", []string{"--emulate", "sh", "-c", "RUN"}, 3},
	{"zsh", []string{"-cb", "RUN"}, 1},
	{"zsh", []string{"-c", "-b", "RUN"}, 2},
	{"bash zsh dash", []string{"/dev/null", "-c", "RUN"}, -1},
	{"bash zsh dash", []string{"--", "/dev/null", "-c", "RUN"}, -1},
	{"bash zsh dash", []string{"-s"}, -1},
	{"bash zsh dash", nil, -1},
}

func TestParseFindsTheString(t *testing.T) {
	for _, c := range cases {
		for _, shell := range strings.Fields(c.shells) {
			t.Run(shell+" "+strings.Join(c.args, " "), func(t *testing.T) {
				if got := Parse(shell, c.args).Command; got != c.want {
					t.Errorf("Command = %d, want %d", got, c.want)
				}
			})
		}
	}
}

// TestRealShellsAgree runs every case in the shell itself: the shells are the definition, the table only quotes them.
func TestRealShellsAgree(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "dash"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed: its rows are not confirmed", shell)
			continue
		}
		for _, c := range cases {
			if !strings.Contains(c.shells, shell) {
				continue
			}
			args := append([]string(nil), c.args...)
			for i, a := range args {
				if a == "RUN" {
					args[i] = printsItself
				}
			}
			out, err := exec.Command(path, args...).CombinedOutput()
			if ran := strings.HasPrefix(string(out), "ran:"); err != nil || ran != (c.want >= 0) {
				t.Errorf("%s %q: the string ran: %v (%v), want %v\n%s", shell, c.args, ran, err, c.want >= 0, out)
			}
		}
	}
}

func TestParseFlags(t *testing.T) {
	if inv := Parse("bash", []string{"-lic", "x"}); !inv.Login || !inv.Interactive || inv.Stdin || inv.Operand != 1 {
		t.Errorf("-lic: %+v", inv)
	}
	if inv := Parse("bash", []string{"--login", "script", "-i"}); !inv.Login || inv.Interactive || inv.Operand != 1 {
		t.Errorf("--login script -i: %+v", inv)
	}
	if inv := Parse("zsh", []string{"-s", "a", "b"}); !inv.Stdin || inv.Operand != 1 {
		t.Errorf("-s a b: %+v", inv)
	}
	if inv := Parse("bash", []string{"-c"}); inv.Command != -1 || inv.Operand != 1 {
		t.Errorf("-c alone: %+v", inv)
	}
	if inv := Parse("bash", []string{"-o"}); inv.Operand != 1 {
		t.Errorf("-o alone: %+v", inv)
	}
	if !Parse("bash", []string{"--version"}).Ends || !Parse("zsh", []string{"--help"}).Ends {
		t.Error("--version and --help must end the shell")
	}
}
