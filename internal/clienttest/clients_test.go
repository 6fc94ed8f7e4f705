//go:build clients

// Package clienttest runs real clients against a scripted model, once as they are and once with exec-prefix, and compares
// what the model reads and what is left on disk. Clients come from npm; nothing but the loopback interface is used. See
// scripts/clients/test.sh, which installs them, and docs/clients.md, which quotes what the models read here.
package clienttest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "mcp-server" {
		serveMCP()
		return
	}
	os.Exit(testbin.Main(m))
}

// installed is a directory of npm packages; scripts/clients/test.sh names it in the environment.
func installed(t *testing.T, variable string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		t.Fatalf("%s is not set: these tests run through scripts/clients/test.sh", variable)
	}
	return dir
}

// row is one command, run by a client as it is and by the same client with exec-prefix.
type row struct {
	name    string
	command string                                                      // of the client's shell tool
	input   object                                                      // of that tool, beside the command
	step    func(dir string, read []result) (tool string, input object) // in place of a command; dir holds the client's files
	// want is what the model reads. Both results must match it, and be equal: two clients that fail alike prove nothing.
	want  string
	again bool // the call is made again until its result matches
	// behind is what the model reads behind exec-prefix where that differs.
	behind string
	// quoted is what docs/clients.md calls the result behind exec-prefix, which it quotes.
	quoted string
	// leaves is a file that must be there in the end, and be equal. One in the directory heavy must not be there behind
	// exec-prefix.
	leaves string
}

// script turns rows into the calls of a model whose client's shell tool has the name tool and keeps its files in dir.
func script(tool, dir string, rows []row) (steps []step) {
	for _, r := range rows {
		s := step{call: func(read []result) (string, object) { return r.step(dir, read) }}
		if r.step == nil {
			input := object{"command": r.command}
			maps.Copy(input, r.input)
			s = call(tool, input)
		}
		if r.again {
			s.until = whole(r.want)
		}
		steps = append(steps, s)
	}
	return steps
}

// refused is what the model reads for a heavy command where there is no service manager.
const refused = `exec-prefix: refused "[a-z ]+", it cannot be isolated: .*\n` +
	`exec-prefix: the operator can mend it: .*\n` +
	`exec-prefix: nothing was run: run something lighter, or ask the operator for isolation`

// outcome is what a run of a client leaves behind.
type outcome struct {
	client  string // by its name in docs/clients.md
	results []result
	files   map[string]string // nil where another outcome of the run has them
}

// compare gives each row its test, and one to the files.
func compare(t *testing.T, rows []row, bare, behind outcome) {
	for i, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if i >= len(bare.results) || i >= len(behind.results) {
				t.Fatalf("the model got %d results without exec-prefix and %d with it, for %d calls", len(bare.results), len(behind.results), len(rows))
			}
			was, is := bare.results[i], behind.results[i]
			t.Logf("%.200s\nwithout exec-prefix: %q\nwith: %q", r.command, was.Text, is.Text)
			match(t, r.want, was)
			if r.behind != "" {
				match(t, r.behind, is)
			} else if is != was {
				t.Errorf("the results differ: error flags %t and %t", was.Error, is.Error)
			}
			if r.quoted != "" {
				quoted(t, r.quoted, behind.client, is.Text)
			}
		})
	}
	if bare.files == nil {
		return
	}
	t.Run("files", func(t *testing.T) {
		for _, r := range rows {
			if _, ok := bare.files[r.leaves]; r.leaves != "" && !ok {
				t.Errorf("%s does not leave the file %s, even without exec-prefix", r.name, r.leaves)
			}
		}
		want := maps.Clone(bare.files)
		maps.DeleteFunc(want, func(name, _ string) bool { return strings.HasPrefix(name, "heavy/") })
		if !maps.Equal(want, behind.files) {
			t.Errorf("without exec-prefix: %q\nwith: %q", want, behind.files)
		}
	})
}

// quoted fails the test where docs/clients.md does not quote what the model reads: the words of exec-prefix stand in a block of
// their own, those of the client in the client's column of a table. Numbers may differ.
func quoted(t *testing.T, what, client, text string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	_, docs, _ := strings.Cut(string(page), "\n## What the model reads\n")
	var header, words []string
	said := false
	for line := range strings.Lines(docs) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "| | ") {
			header = cells
		}
		if column := slices.Index(header, client); column > 0 && column < len(cells) && cells[0] == "| "+strings.ToLower(what) {
			said = true
			for i, word := range strings.Split(cells[column], "`") {
				if i%2 == 1 {
					words = append(words, word)
				}
			}
		}
	}
	if !said {
		t.Errorf("docs/clients.md has nothing that %s says of %q", client, what)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("docs/clients.md has %q for %s, whose model reads %q", word, client, text)
		}
	}
	if _, block, found := strings.Cut(docs, "\n**"+what+"**"); found {
		_, block, _ = strings.Cut(block, "\n```\n")
		block, _, _ = strings.Cut(block, "\n```\n")
		pattern := regexp.MustCompile(`[0-9]+(\\\.[0-9]+)?`).ReplaceAllString(regexp.QuoteMeta(block), `[0-9.]+`)
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("docs/clients.md quotes %q, the model reads %q", block, text)
		}
	}
}

func match(t *testing.T, pattern string, r result) {
	t.Helper()
	if !whole(pattern).MatchString(r.Text) {
		t.Errorf("the model reads %q\nwhich does not match %q", r.Text, pattern)
	}
}

// whole is a pattern for a whole text, in which a dot stands for a line break too.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?s)^(?:` + pattern + `)$`) }

// read gives the content of every file below dir, by name. A file may go away meanwhile.
func read(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// write writes files below dir.
func write(t *testing.T, dir string, files map[string]string) {
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(content, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(file, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// programs are what the commands of the tests call, in a directory of PATH. The heavy one does what its arguments say.
var programs = map[string]string{
	"jest": "#!/bin/sh\n[ \"$1\" != --version ] || exec echo 30.0.0\neval \"$*\"\n",
	"vite": "#!/bin/sh\necho \"ran${*:+ $*}\"\n",
}

// untilEnd makes a command run until it is ended, quietly: a shell may or may not come to say that its child was terminated.
const untilEnd = `; exec 2> /dev/null; while :; do sleep 0.1; done`

// mark is a variable that a client hands down to every process that it starts.
type mark string

func newMark() mark {
	return mark(fmt.Sprintf("HEAVY_RUN_CLIENT_TEST=%d-%d", os.Getpid(), time.Now().UnixNano()))
}

// processes are the ids of the living processes that carry the mark.
func (m mark) processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // empty for a zombie
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+string(m)+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// noneLeft fails the test when processes with the mark are still there after a while, and ends them.
func (m mark) noneLeft(t *testing.T) {
	t.Helper()
	if wait(time.Minute, func() bool { return len(m.processes()) == 0 }) {
		return
	}
	for _, pid := range m.processes() {
		words, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("left running: %d %q", pid, bytes.ReplaceAll(words, []byte{0}, []byte{' '}))
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// patience is how long a test waits for what comes soon on an idle machine, sessionPatience for a client to make all its calls
// and end: a machine may be busy, and how fast a client is is not what is tested.
const (
	patience        = 5 * time.Minute
	sessionPatience = 20 * time.Minute
)

// wait polls until the condition holds; false when it does not within the limit.
func wait(limit time.Duration, condition func() bool) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return condition()
}

// exists is the condition that a file is there.
func exists(file string) func() bool {
	return func() bool {
		_, err := os.Stat(file)
		return err == nil
	}
}

// program is a started client.
type program struct {
	*exec.Cmd
	output *os.File
	exited chan struct{}
}

// start starts a client with its output in the file log. When the test ends, the client must be gone, and all its children.
func start(t *testing.T, dir, log string, env, argv []string, stdin *os.File) *program {
	t.Helper()
	output, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	m := newMark()
	p := &program{Cmd: exec.Command(argv[0], argv[1:]...), output: output, exited: make(chan struct{})}
	p.Dir, p.Env, p.Stdout, p.Stderr = dir, append(env, string(m)), output, output
	if stdin != nil { // else it would be an interface that holds nil
		p.Stdin = stdin
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.Wait()
		output.Close()
		close(p.exited)
	}()
	t.Cleanup(func() {
		m.noneLeft(t)
		<-p.exited
	})
	return p
}

// end waits for the client to exit by itself and gives its exit status.
func (p *program) end(t *testing.T) int {
	t.Helper()
	select {
	case <-p.exited:
		return p.ProcessState.ExitCode()
	case <-time.After(sessionPatience):
		p.Process.Kill()
		<-p.exited
		t.Errorf("%s did not end within %v:\n%s", p.Path, sessionPatience, p.log())
		return -1
	}
}

func (p *program) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// log is what the client has printed so far.
func (p *program) log() string {
	data, err := os.ReadFile(p.output.Name())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	return string(data)
}

// find gives what a pattern's one group matches, or nothing: what comes of that is then read by the model.
func find(pattern *regexp.Regexp, text string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// What differs from run to run: ports, process ids, and identifiers that a client makes up; and where in a string of the
// client's own making a shell stands when it complains.
var (
	unique = regexp.MustCompile(`127\.0\.0\.1:\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|\bb[0-9a-z]{8}\b| *\b\d+ Killed +|\bpid \d+|session [a-z]+-[a-z]+`)
	place  = regexp.MustCompile(`(/usr)?/bin/bash: (eval: )?line \d+:`)
)

func ordinary(results []result) []result {
	results = slices.Clone(results)
	for i := range results {
		results[i].Text = place.ReplaceAllString(unique.ReplaceAllString(results[i].Text, "…"), "bash:")
	}
	return results
}
