// Bench measures what a prefix adds to a command before its shell begins, for exec-prefix and for the least that a prefix can
// do in C, as a script and in Go, all in one run and in turns, so that the machine's moods meet all of them alike:
//
//	go run ./bench [-rounds 400] [-check]
//
// Behind each stands the same shell, which ends at once. With -check it fails when exec-prefix has become slower, beside bare
// Go, than recorded here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// recorded is what exec-prefix added in CPU time, as a multiple of what bare Go adds; tolerance is how much more is a
// regression. CPU time is compared, and with a Go program: wall time follows the neighbours' load, C and scripts the machine's
// price of a page fault and of a thread.
var recorded = map[string]float64{
	"exec-prefix, light":   1.3,
	"exec-prefix, typical": 1.4,
}

const tolerance = 1.25

// typical is what Claude Code makes of a short command.
const typical = `source /root/.claude/shell-snapshots/snapshot-bash-0-0.sh 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && ` +
	`eval 'git status --short && sed -n 1,40p README.md | head -20' \< /dev/null && pwd -P >| /tmp/claude-0000-cwd`

// worst is 128 KiB, the most that one argument holds, full of lists of three simple commands, each of which is judged; a few rounds are
// enough.
const (
	list  = `cd "$a" && ls -la ${b:-src} | head; `
	lists = 128<<10/len(list) - 1
)

var worst = strings.Repeat(list, lists)

const worstRounds = 20

// candidate is a command line that ends in the shell.
type candidate struct {
	name string
	argv []string

	wall, cpu, faults []float64 // in microseconds and numbers, one a round
}

func main() {
	rounds := flag.Int("rounds", 400, "how often each is run")
	check := flag.Bool("check", false, "fail on a regression")
	flag.Parse()
	dir, err := os.MkdirTemp("", "bench")
	if err == nil {
		defer os.RemoveAll(dir)
		err = run(dir, *rounds, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(dir string, rounds int, check bool) error {
	candidates, err := build(dir)
	if err != nil {
		return err
	}
	env := []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "BENCH_SHELL=" + filepath.Join(dir, "bash")}
	inTurns := func(candidates []*candidate, rounds int) error {
		for round := range rounds {
			for i := range candidates {
				if err := candidates[(round+i)%len(candidates)].measure(env); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := inTurns(candidates, rounds); err != nil {
		return err
	}
	shell, script, bare := candidates[0], candidates[2], candidates[3]
	fmt.Printf("| added to a shell that ends at once | wall, us | CPU, us | page faults | wall, script = 1 | CPU, script = 1 | CPU, bare Go = 1 |\n|---|---|---|---|---|---|---|\n")
	slow := ""
	for _, c := range candidates[1:] {
		wall, cpu := added(c.wall, shell.wall), added(c.cpu, shell.cpu)
		ratio := cpu / added(bare.cpu, shell.cpu)
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |\n", c.name, wall, cpu, added(c.faults, shell.faults),
			wall/added(script.wall, shell.wall), cpu/added(script.cpu, shell.cpu), ratio)
		if was, ok := recorded[c.name]; ok && ratio > was*tolerance {
			slow += fmt.Sprintf("%s takes %.2f times the CPU time of bare Go, recorded are %.2f; ", c.name, ratio, was)
		}
	}
	fmt.Printf("\n| | threads started | most memory, KiB | instructions in user space |\n|---|---|---|---|\n")
	for _, c := range candidates {
		threads, memory, err := c.count(filepath.Join(dir, "count"), env)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f | %.0f | %s |\n", c.name, threads, memory, c.instructions(env))
	}
	// By itself, since it empties every cache of the machine.
	longest := []*candidate{{argv: shell.argv}, {name: "exec-prefix, worst", argv: []string{filepath.Join(dir, "exec-prefix"), "-c", worst}}}
	if err := inTurns(longest, worstRounds); err != nil {
		return err
	}
	fmt.Printf("\nA string of %d KiB with %d commands takes %.0f ms of CPU time.\n", len(worst)>>10, 3*lists,
		added(longest[1].cpu, longest[0].cpu)/1000)
	for _, program := range []string{"exec-prefix", "heavy-run"} {
		info, err := os.Stat(filepath.Join(dir, program))
		if err != nil {
			return err
		}
		fmt.Printf("%s has %.2f MB.\n", program, float64(info.Size())/1e6)
	}
	if check && slow != "" {
		return fmt.Errorf("%sif that is meant, change what bench/main.go records", slow)
	}
	return nil
}

// build compiles everything and copies it into dir, as an installation does: what a linker has written through a mapping lies
// in the page cache page by page, and a program that size starts a seventh slower from there.
func build(dir string) ([]*candidate, error) {
	built := filepath.Join(dir, "built")
	in := func(name string) string { return filepath.Join(built, name) }
	for _, command := range [][]string{
		{"mkdir", built},
		{"gcc", "-O2", "-static", "-nostdlib", "-o", in("bash"), "bench/prefixes/shell.c"},
		{"gcc", "-O2", "-static", "-o", in("prefix-c"), "bench/prefixes/prefix.c"},
		{"gcc", "-O2", "-static", "-o", in("count"), "bench/prefixes/count.c"},
		{"cp", "bench/prefixes/prefix.sh", built},
		{"env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built, "./bench/prefixes/bare"},
		{"scripts/build.sh", built},
		{"cp", "-R", built + "/.", dir},
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%q: %v\n%s", command, err, out)
		}
	}
	var candidates []*candidate
	for _, c := range []struct{ name, program, text string }{
		{"the shell", "bash", ":"},
		{"static C", "prefix-c", ":"},
		{"dash script", "prefix.sh", ":"},
		{"bare Go", "bare", ":"},
		{"exec-prefix, light", "exec-prefix", ":"},
		{"exec-prefix, typical", "exec-prefix", typical},
	} {
		candidates = append(candidates, &candidate{name: c.name, argv: []string{filepath.Join(dir, c.program), "-c", c.text}})
	}
	return candidates, nil
}

// patience is for a candidate that hangs.
const patience = time.Minute

func (c *candidate) measure(env []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	command.Env = env
	start := time.Now()
	out, err := command.CombinedOutput()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("%s: %v %s", c.name, err, out)
	}
	c.wall = append(c.wall, float64(time.Since(start).Microseconds()))
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	c.cpu = append(c.cpu, float64(command.ProcessState.SystemTime()+command.ProcessState.UserTime())/float64(time.Microsecond))
	c.faults = append(c.faults, float64(usage.Minflt))
	return nil
}

// countRounds is enough: the numbers hardly change from one to the next.
const countRounds = 9

// count gives the medians of the threads started and of the most memory held, in KiB, by the candidate and its shell.
func (c *candidate) count(counter string, env []string) (threads, memory float64, err error) {
	var ts, ms []float64
	for range countRounds {
		command := exec.Command(counter, c.argv...)
		command.Env = env
		out, err := command.CombinedOutput()
		var t, m float64
		if _, scanned := fmt.Sscan(string(out), &t, &m); err != nil || scanned != nil {
			return 0, 0, fmt.Errorf("count %s: %v %s", c.name, err, out)
		}
		ts, ms = append(ts, t), append(ms, m)
	}
	return median(ts), median(ms), nil
}

// instructions are what perf counts, or why it does not: most virtual machines have no counters.
func (c *candidate) instructions(env []string) string {
	command := exec.Command("perf", append([]string{"stat", "-x,", "-e", "instructions:u", "--"}, c.argv...)...)
	command.Env = env
	out, err := command.CombinedOutput()
	if err != nil {
		return "no perf here"
	}
	number, _, _ := strings.Cut(string(out), ",")
	return strings.Trim(number, "<>")
}

// added is the median of what is over the same round's base.
func added(values, base []float64) float64 {
	over := make([]float64, len(values))
	for i := range values {
		over[i] = values[i] - base[i]
	}
	return median(over)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
