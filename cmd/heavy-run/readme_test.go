package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/plan"
	"github.com/heavy-run/heavy-run/internal/testbin"
)

// These tests hold the README against the programs. Each block of code and each command in a sentence is run, or is run by
// TestLive/readme in the VM; one that is not known here fails the test, so that nothing is written there untried.

// block is a fenced block of code.
type block struct{ language, text string }

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	inline = regexp.MustCompile("`([^`]+)`")
)

// readmeParts are the blocks of the README and the pieces of code in its sentences.
func readmeParts(t *testing.T) (blocks []block, code []string, sentences string) {
	t.Helper()
	text := read(t, "README.md")
	for _, m := range fenced.FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, block{m[1], m[2]})
	}
	prose := fenced.ReplaceAllString(text, "")
	for _, m := range inline.FindAllStringSubmatch(prose, -1) {
		code = append(code, strings.Join(strings.Fields(m[1]), " "))
	}
	return blocks, code, strings.Join(strings.Fields(prose), " ")
}

// place is a directory as the README's reader has it: the tree with built programs in bin, a home and a stub of pnpm.
func place(t *testing.T) (dir string, run func(script string) (string, int)) {
	t.Helper()
	testbin.Need(t, "bash", "choom")
	dir = t.TempDir()
	for _, name := range []string{"bin", "home", "stubs"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"scripts", "man", "completions", "heavy-run.conf.example", "Makefile"} {
		if err := os.Symlink(filepath.Join(testbin.Root(), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"exec-prefix", "heavy-run"} {
		if err := os.Symlink(testbin.Path(t, name), filepath.Join(dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"sudo": "#!/bin/sh\nexec \"$@\"\n", "pnpm": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, "stubs", name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, func(script string) (string, int) {
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + dir + "/home", "PATH=" + dir + "/stubs:" + os.Getenv("PATH"), "SHELL=/bin/bash", "LC_ALL=C.UTF-8"}
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
}

// mustRun runs a script that must end with status 0.
func mustRun(t *testing.T, run func(string) (string, int), script string) string {
	t.Helper()
	out, status := run(script)
	if status != 0 {
		t.Errorf("%s: status %d\n%s", script, status, out)
	}
	return out
}

func TestReadmeBlocks(t *testing.T) {
	blocks, _, _ := readmeParts(t)
	known := map[string]func(*testing.T, string){
		"1. Today: the gateway":     transcriptIsThePicture,
		"make demo":                 installing,
		`{ "env": {`:                claudeCodeSetting,
		"[Service]":                 gatewayDropIn,
		"sh scripts/materialize.sh": sandbox,
		"heavy-run -- pnpm":         byHand,
		"$ heavy-run --explain":     explained,
		"[Exec]":                    configuration,
	}
	met := map[string]bool{}
	for _, b := range blocks {
		first, _, _ := strings.Cut(b.text, "\n")
		found := false
		for begin, check := range known {
			if strings.HasPrefix(first, begin) {
				found, met[begin] = true, true
				t.Run(begin, func(t *testing.T) { check(t, b.text) })
			}
		}
		if !found {
			t.Errorf("no test runs the block that begins with %q", first)
		}
	}
	for begin := range known {
		if !met[begin] {
			t.Errorf("no block begins with %q any more", begin)
		}
	}
}

// transcriptIsThePicture: scripts/demo.sh compares the transcript with what is really shown; the picture is made from it.
func transcriptIsThePicture(t *testing.T, text string) {
	cmd := exec.Command(filepath.Join(testbin.Root(), "scripts/demo/svg.sh"))
	cmd.Stdin = strings.NewReader(text)
	made, err := cmd.Output()
	if err != nil || string(made) != read(t, "docs/demo.svg") {
		t.Errorf("docs/demo.svg is not made from this transcript (%v): scripts/demo.sh --record", err)
	}
}

// installing checks that each line is one that make or the programs know, and what `make install` puts where.
func installing(t *testing.T, text string) {
	dir, run := place(t)
	for line := range strings.Lines(text) {
		command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
		command = strings.TrimSpace(command)
		switch {
		case strings.HasPrefix(strings.TrimPrefix(command, "sudo "), "make "):
			mustRun(t, run, command+" -n")
		case strings.HasPrefix(command, "heavy-run "):
			parses(t, command)
		default:
			t.Errorf("no test runs %q", command)
		}
		if command == "sudo make install" {
			mustRun(t, run, "DESTDIR="+dir+"/root scripts/install.sh --system")
			for _, word := range strings.Fields(strings.ReplaceAll(comment, ",", " ")) {
				target := word
				if word == "exec-prefix" || word == "heavy-run" {
					target = "/usr/local/bin/" + word
				}
				if _, err := os.Stat(dir + "/root" + target); strings.HasPrefix(target, "/") && err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
		}
	}
}

func claudeCodeSetting(t *testing.T, text string) {
	dir, run := place(t)
	mustRun(t, run, "DESTDIR="+dir+"/root scripts/install.sh --system --claude-code=/settings.json")
	var want, got any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(dir + "/root/settings.json")
	if err != nil || json.Unmarshal(data, &got) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("install.sh writes %s (%v)", data, err)
	}
}

func gatewayDropIn(t *testing.T, text string) {
	dir, run := place(t)
	mustRun(t, run, "DESTDIR="+dir+"/root scripts/install.sh --system --gateway openclaw")
	data, err := os.ReadFile(dir + "/root/etc/systemd/user/openclaw-gateway.service.d/heavy-run.conf")
	if _, written, _ := strings.Cut(string(data), "\n"); err != nil || written != text {
		t.Errorf("install.sh writes\n%s(%v)", data, err)
	}
}

// sandbox runs both lines in turn, each into a directory of its own, and a heavy command in what came of it.
func sandbox(t *testing.T, text string) {
	testbin.Need(t, "dash", "base64", "cksum")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		dir, run := place(t)
		out := mustRun(t, run, strings.ReplaceAll(line, "/tmp/agent", dir+"/agent"))
		if strings.TrimSpace(out) != "exec-prefix is in place" {
			t.Errorf("%s: %s", line, out)
		}
		if got := mustRun(t, run, "agent/exec-prefix 'pnpm install; cat /proc/self/oom_score_adj'"); got != "1000\n" {
			t.Errorf("%s: then a heavy command says %q", line, got)
		}
	}
	if !strings.Contains(text, `prints "exec-prefix is in place"`) {
		t.Error("what is printed is not said")
	}
}

// byHand: TestLive/readme runs these lines.
func byHand(t *testing.T, text string) {
	for line := range strings.Lines(text) {
		parses(t, strings.TrimSpace(line))
	}
}

// explained runs the line behind the $ and compares what follows it, on a machine whose limit is the README's.
func explained(t *testing.T, text string) {
	dir, run := place(t)
	conf := filepath.Join(dir, "home/.config/heavy-run")
	if err := os.MkdirAll(conf, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(conf+"/heavy-run.conf", []byte("[Scope]\nMemoryMax=3G\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	command, want, _ := strings.Cut(strings.TrimPrefix(text, "$ "), "\n")
	if got := mustRun(t, run, command); got != want {
		t.Errorf("%s prints\n%swant\n%s", command, got, want)
	}
}

func configuration(t *testing.T, text string) {
	file := filepath.Join(t.TempDir(), config.FileName)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	settings := config.Load([]config.Source{{Path: file, Operator: true}})
	if len(settings.Problems) > 0 {
		t.Errorf("problems %v", settings.Problems)
	}
	for _, s := range settings.Effective(16 << 30) {
		if line := s.Key + "=" + s.Value; s.Origin != nil && s.Key != "MemoryMax" && !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("%s is in force", line)
		}
	}
	if v := detect.Classify(detect.Input{Text: "mytool build-all", Extra: &settings.Rules}); v.Class != detect.Heavy {
		t.Errorf("mytool build-all is %v", v.Class)
	}
}

// parses checks that a command line is one that heavy-run takes.
func parses(t *testing.T, command string) {
	t.Helper()
	words, err := exec.Command("bash", "-c", `printf '%s\0' `+command).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	args := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	f, _, err := parseFlags(args[1:])
	if err == nil {
		err = f.tighten(config.Load(nil))
	}
	if err != nil || args[0] != "heavy-run" {
		t.Errorf("%s: %v", command, err)
	}
}

// TestReadmeCommands goes over the code in sentences that is a command.
func TestReadmeCommands(t *testing.T) {
	_, code, _ := readmeParts(t)
	live := read(t, "internal/livetest/testdata/script/readme.txtar") + read(t, "internal/livetest/testdata/script/operator-mend.txtar")
	dir, run := place(t)
	programs := []string{"heavy-run", "exec-prefix", "make", "sh", "sudo", "systemctl", "systemd-run", "journalctl", "choom", "loginctl"}
	known := map[string]func(t *testing.T, command string){
		"make build":        func(t *testing.T, c string) { mustRun(t, run, c+" -n") },
		"sudo make install": func(t *testing.T, c string) { mustRun(t, run, c+" -n") },
		"heavy-run --explain --json --batch": func(t *testing.T, c string) {
			line := code[slices.Index(code, c)+1] // the next piece is the line that it reads
			out := mustRun(t, run, c+" <<'EOF'\n"+line+"\n"+line+"\nEOF")
			var v struct{ Class string }
			for verdict := range strings.Lines(out) {
				if err := json.Unmarshal([]byte(verdict), &v); err != nil || v.Class == "" {
					t.Errorf("%s reads %s and writes %s", c, line, verdict)
				}
			}
			if strings.Count(out, "\n") != 2 {
				t.Errorf("%s writes %q for two lines", c, out)
			}
		},
		"sudo -u x env -S": func(t *testing.T, c string) { // one of what is seen through
			if v := detect.Classify(detect.Input{Text: c + " 'pnpm install'"}); v.Class != detect.Heavy {
				t.Errorf("%s 'pnpm install' is %v", c, v.Class)
			}
		},
		"choom -n 1000": func(t *testing.T, c string) { // "is our adjust"
			const show = "cat /proc/self/oom_score_adj"
			if theirs, ours := mustRun(t, run, c+" -- "+show), mustRun(t, run, "exec-prefix '"+show+"'"); theirs != ours {
				t.Errorf("%s gives %s, exec-prefix %s", c, theirs, ours)
			}
		},
	}
	for _, command := range code {
		program, _, _ := strings.Cut(command, " ")
		check := known[command]
		switch {
		case strings.Contains(command, "scripts/install.sh"):
			mustRun(t, run, "DESTDIR="+dir+"/root "+strings.Replace(command, "NAME", "x", 1)+" --dry-run")
		case check != nil:
			check(t, command)
		case !slices.Contains(programs, program) || program == command:
		case strings.Contains(live, command):
		case program == "heavy-run":
			parses(t, command)
		default:
			t.Errorf("no test runs %q", command)
		}
	}
	for command := range known {
		if !slices.Contains(code, command) {
			t.Errorf("%q is not in the README any more", command)
		}
	}
}

// rows are the cells of the table of which the first column's title is title.
func rows(t *testing.T, title string) (out [][]string) {
	t.Helper()
	inside := false
	for line := range strings.Lines(read(t, "README.md")) {
		if !strings.HasPrefix(line, "|") {
			inside = false
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if inside = inside || cells[0] == title; inside && !strings.HasPrefix(cells[0], "---") {
			out = append(out, cells)
		}
	}
	if len(out) < 2 {
		t.Fatalf("no table %q", title)
	}
	return out
}

// TestReadmePlans: the table of what happens to a command says what package plan decides.
func TestReadmePlans(t *testing.T) {
	table := rows(t, "the command is")
	for _, row := range table[1:] {
		for column, cell := range row[2:] {
			name := inline.FindStringSubmatch(table[0][column+2])[1]
			enforcement, ok := config.ParseEnforcement(strings.TrimPrefix(name, "Enforcement="))
			if !ok {
				t.Fatalf("column %q", table[0][column+2])
			}
			classes := map[string][]detect.Class{
				"light, or isolated already":   {detect.Light, detect.Isolated},
				"maybe heavy, or not knowable": {detect.MaybeHeavy},
				"heavy":                        {detect.Heavy},
			}[row[0]]
			if classes == nil {
				t.Errorf("row %q", row[0])
			}
			for _, class := range classes {
				p := plan.For(class, plan.Situation{Settings: &config.Settings{Enforcement: enforcement}, Supervisable: true})
				want := "in place"
				switch {
				case p.Step == plan.Refuse:
					want = "refused, 125"
				case p.Step == plan.Exec && !p.Adjust:
					want = "in place, untouched"
				case p.Step == plan.Exec:
				case row[1] == "fails" && p.Must:
					want = "refused, 125, with the cause and its mend"
				case row[1] == "fails":
					want = "runs in place"
				case p.Step == plan.Supervise:
					want = "in a scope, supervised"
				default:
					want = "in a scope, same pid"
				}
				if strings.TrimPrefix(cell, "runs ") != strings.TrimPrefix(want, "runs ") {
					t.Errorf("%v, %v, isolation %q: the README says %q, the plan is %q", class, enforcement, row[1], cell, want)
				}
			}
		}
	}
}

// TestReadmeStatuses runs a command for each row that needs no manager; TestLive/readme has the other two.
func TestReadmeStatuses(t *testing.T) {
	_, run := place(t)
	refuse := "mkdir -p ~/.config/heavy-run; printf '[Exec]\\nEnforcement=refuse\\n' > ~/.config/heavy-run/heavy-run.conf; "
	scripts := map[string][]string{ // each ends with the status that is tested
		"0–255, or death by signal": {"exec-prefix 'exit 0'; test $? = 0", "exec-prefix 'exit 255'; test $? = 255", "exec-prefix 'kill -TERM $$'; test $? = 143"},
		"137":                       nil,
		"125":                       {refuse + "exec-prefix 'pnpm install; touch ran'; test $? = 125 -a ! -e ran", "heavy-run --nonsense; test $? = 125"},
		"75":                        nil,
		"1":                         {refuse + "echo nonsense >> ~/.config/heavy-run/heavy-run.conf; heavy-run --show-config; test $? = 1"},
		"126, 127":                  {"heavy-run -- /etc/passwd; test $? = 126", "heavy-run -- no-such-command; test $? = 127"},
	}
	live := read(t, "internal/livetest/testdata/script/readme.txtar")
	for _, row := range rows(t, "status")[1:] {
		tried, ok := scripts[row[0]]
		if !ok {
			t.Errorf("no test has the status %q", row[0])
		}
		if tried == nil && !strings.Contains(live, "status "+row[0]+" ") {
			t.Errorf("TestLive/readme has no status %s", row[0])
		}
		for _, script := range tried {
			mustRun(t, run, script)
		}
	}
}

// TestReadmeSentences: what is said in words, and a check that it is so. The sentence must stand there as it is here.
func TestReadmeSentences(t *testing.T) {
	_, _, prose := readmeParts(t)
	dir, run := place(t)
	const gib = 1 << 30
	class := func(text, want string) func(t *testing.T) {
		return func(t *testing.T) {
			v := detect.Classify(detect.Input{Text: text, Dir: dir, FS: os.DirFS("/")})
			if v.Class.String() != want {
				t.Errorf("%q is %v", text, v.Class)
			}
		}
	}
	heavy := func(texts ...string) func(t *testing.T) {
		return func(t *testing.T) {
			for _, text := range texts {
				class(text, "heavy")(t)
			}
		}
	}
	for name, text := range map[string]string{"package.json": `{"scripts": {"ship": "vite build"}}`, "GNUmakefile": "ship:\n\tpnpm install\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for sentence, check := range map[string]func(t *testing.T){
		"through `&&`, pipes, functions, heredocs, `bash -lc`, `sudo -u x env -S`, `npx`, `xargs`, a package.json script or a Makefile target": heavy(
			"true && pnpm install", "pnpm install | cat", "f() { pnpm install; }; f", "bash <<E\npnpm install\nE", "bash -lc 'pnpm install'",
			"sudo -u x env -S 'pnpm install'", "npx vitest run", "echo install | xargs pnpm", "npm run ship", "make ship"),
		"`git commit -m \"fix pnpm install\"` is light": class(`git commit -m "fix pnpm install"`, "light"),
		"`PM=pnpm; $PM \"in\"\"stall\"` is not":         class(`PM=pnpm; $PM "in""stall"`, "heavy"),
		"in bash's or zsh's own syntax": func(t *testing.T) {
			class("[[ -f x ]] && pnpm install", "heavy")(t)
			if v := detect.Classify(detect.Input{Text: "for f (a b) pnpm install", Dialect: detect.Zsh}); v.Class != detect.Heavy {
				t.Errorf("zsh's own for is %v", v.Class)
			}
		},
		"all heavy commands together get the memory of the machine less a quarter (at least 512 MiB and at most 4 GiB are kept)": func(t *testing.T) {
			for machine, kept := range map[uint64]uint64{gib: gib / 2, 4 * gib: gib, 8 * gib: 2 * gib, 16 * gib: 4 * gib, 64 * gib: 4 * gib} {
				if got := limits.DefaultSlice(machine); got != machine-kept {
					t.Errorf("of %s they get %s", limits.FormatSize(machine), limits.FormatSize(got))
				}
			}
		},
		"one command gets all of that up to 12 GiB, three quarters of it, and at least 12 GiB, above": func(t *testing.T) {
			for slice, want := range map[uint64]uint64{3 * gib: 3 * gib, 12 * gib: 12 * gib, 13 * gib: 12 * gib, 16 * gib: 12 * gib, 32 * gib: 24 * gib} {
				if got := limits.DefaultScope(slice); got != want {
					t.Errorf("of %s it gets %s", limits.FormatSize(slice), limits.FormatSize(got))
				}
			}
		},
		"One heavy command runs for every 8 GiB, at most four at once": func(t *testing.T) {
			for machine, want := range map[uint64]int{gib: 1, 8 * gib: 1, 16 * gib: 2, 24 * gib: 3, 32 * gib: 4, 128 * gib: 4} {
				if got := limits.DefaultRunning(machine); got != want {
					t.Errorf("with %s %d run", limits.FormatSize(machine), got)
				}
			}
		},
		"`~/.config/heavy-run/heavy-run.conf` and flags can only tighten": func(t *testing.T) {
			tightened := mustRun(t, run, "heavy-run --show-config -p MemoryMax=100T -p TasksMax=99 --wait=1h")
			for _, line := range []string{"TasksMax=99 .*command line", "WaitSec=10min +default", `MemoryMax=\S+ +default`} {
				if !regexp.MustCompile("(?m)^" + line).MatchString(tightened) {
					t.Errorf("no %q in\n%s", line, tightened)
				}
			}
		},
		"In a command's own environment that does nothing": func(t *testing.T) {
			mustRun(t, run, "mkdir -p ~/.config/heavy-run; printf '[Exec]\\nEnforcement=refuse\\n' > ~/.config/heavy-run/heavy-run.conf; "+
				"HEAVY_RUN_ENFORCEMENT=off exec-prefix 'pnpm install'; status=$?; rm -r ~/.config; test $status = 125")
		},
		"*In place* means: `oom_score_adj` is raised to 1000, so that the kernel takes the command before the agent, and exec-prefix becomes the shell: same pid": func(t *testing.T) {
			out := mustRun(t, run, "bash -c 'echo $$; exec exec-prefix \"echo \\$\\$; cat /proc/self/oom_score_adj\"'")
			if f := strings.Fields(out); len(f) != 3 || f[0] != f[1] || f[2] != "1000" {
				t.Errorf("%q", out)
			}
		},
		"A start under an exhausted RLIMIT_NPROC or RLIMIT_AS fails in the Go runtime, with its own words and status 2": func(t *testing.T) {
			if out, status := run("ulimit -v 400000; exec-prefix true"); status != 2 {
				t.Errorf("status %d: %s", status, out)
			}
		},
		"Enforcement=isolate` (default)": func(t *testing.T) {
			if e := config.Load(nil).Enforcement; e != config.Isolate {
				t.Errorf("it is %v", e)
			}
		},
		"gives up with status 75": func(t *testing.T) {}, // TestReadmeStatuses
	} {
		if !strings.Contains(prose, sentence) {
			t.Errorf("the README does not say: %s", sentence)
		}
		t.Run(sentence[:min(40, len(sentence))], check)
	}
}

// TestReadmeLinks: what is linked is there.
func TestReadmeLinks(t *testing.T) {
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(read(t, "README.md"), -1) {
		if _, err := os.Stat(filepath.Join(testbin.Root(), m[1])); err != nil {
			t.Error(err)
		}
	}
}
