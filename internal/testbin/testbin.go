// Package testbin builds the programs under test, and the C program that looks at what they hand on, for the tests of other
// packages. It is imported by tests only.
package testbin

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Root is the top of the source tree.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "../..")
}

// Main builds both programs, or the packages given relative to the top of the tree, with scripts/build.sh, puts them first
// in PATH, runs the tests of m and returns their status. HEAVY_RUN_BIN names a directory that has them already, for a VM.
func Main(m *testing.M, packages ...string) int {
	// Under nohup(1) every child would ignore HUP from its start; with a handler here it is again what a login gives it.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	if dir := os.Getenv("HEAVY_RUN_BIN"); dir != "" {
		os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "heavy-run-test")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755) // some tests run the programs as another user
	out, err := exec.Command(filepath.Join(Root(), "scripts/build.sh"), append([]string{dir}, packages...)...).CombinedOutput()
	if err != nil {
		panic(err.Error() + "\n" + string(out))
	}
	os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return m.Run()
}

// Path is the absolute path of a program that Main built.
func Path(t testing.TB, name string) string {
	t.Helper()
	file, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Probe compiles testdata/probe/probe.c, statically, and returns its path.
func Probe(t testing.TB) string {
	t.Helper()
	Need(t, "gcc")
	file := filepath.Join(t.TempDir(), "probe")
	out, err := exec.Command("gcc", "-O1", "-static", "-o", file, filepath.Join(Root(), "testdata/probe/probe.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	return file
}

// Need skips the test where a tool is missing. In CI a skipped test would be a hole, so there it fails.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not installed", tool)
		}
		t.Skipf("%s is not installed", tool)
	}
}

// Status is the testscript command `status N PROGRAM ARG…`: the program must end with exit status N, or by signal N-128.
func Status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		if got = exit.ExitCode(); got < 0 {
			got = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
		}
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%s ended with status %d, want %s", args[1], got, args[0])
	}
}
