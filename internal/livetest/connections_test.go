//go:build live

package livetest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/heavy-run/heavy-run/internal/scope"
)

// Nothing here goes by the clock: on an emulated processor fifty starts at once take longer than the programs would wait.
const patience = 5 * time.Minute

// unanswered is how long a call waits before it counts as swallowed: no second message follows that would bring the answer.
const unanswered = time.Minute

const entering = "LIVE_ENTER" // set in the processes that starts starts

func TestMain(m *testing.M) {
	if os.Getenv(entering) != "" {
		os.Exit(enter())
	}
	os.Exit(m.Run())
}

// connections is the testscript command `connections N M`: N connections to the manager's own socket one after another, then M
// at once, and a call on each.
func connections(ts *testscript.TestScript, neg bool, args []string) {
	row, once := numbers(ts, args)
	ask := func() string {
		ctx, cancel := context.WithTimeout(context.Background(), unanswered)
		defer cancel()
		m, err := scope.FindManager(ctx, ts.Getenv("XDG_RUNTIME_DIR"))
		switch {
		case err != nil:
			return err.Error()
		case path.Base(m.Socket) != "private" || m.Version == "" || m.Group.Path == "":
			return fmt.Sprintf("no answer: %+v", m)
		}
		return ""
	}
	began := time.Now()
	for i := range row {
		if bad := ask(); bad != "" {
			ts.Fatalf("connection %d of %d in a row: %s", i, row, bad)
		}
	}
	ts.Logf("%d connections in a row, %v each", row, (time.Since(began) / time.Duration(row)).Round(10*time.Microsecond))
	for _, bad := range atOnce(once, func(int) string { return ask() }) {
		ts.Fatalf("one of %d connections at once: %s", once, bad)
	}
}

// starts is the testscript command `starts N`: N processes enter scopes at once, and stay there until all have.
func starts(ts *testscript.TestScript, neg bool, args []string) {
	_, once := numbers(ts, append([]string{"1"}, args...))
	all := make([]*exec.Cmd, once)
	stdin := make([]io.Closer, once)
	groups := make([]string, once)
	began := time.Now()
	bad := atOnce(once, func(i int) string {
		c := exec.Command("/proc/self/exe")
		c.Env = append(os.Environ(), entering+"=1", "XDG_RUNTIME_DIR="+ts.Getenv("XDG_RUNTIME_DIR"))
		in, _ := c.StdinPipe()
		out, _ := c.StdoutPipe()
		if err := c.Start(); err != nil {
			return err.Error()
		}
		all[i], stdin[i] = c, in
		line := make([]byte, 4096)
		n, _ := out.Read(line)
		if groups[i] = strings.TrimSpace(string(line[:n])); !strings.HasPrefix(groups[i], "/") {
			return groups[i]
		}
		return ""
	})
	took := time.Since(began)
	distinct := map[string]bool{}
	for i, c := range all {
		if c != nil {
			distinct[groups[i]] = true
			stdin[i].Close()
			c.Wait()
		}
	}
	if len(bad) > 0 || len(distinct) != once {
		ts.Fatalf("%d at once are in %d scopes; failed: %q", once, len(distinct), bad)
	}
	ts.Logf("%d starts at once, all in scopes of their own after %v", once, took.Round(time.Millisecond))
}

// enter moves this process into a scope, says which, and stays until stdin ends.
func enter() int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := scope.Enter(ctx, scope.Request{
		RuntimeDir:  os.Getenv("XDG_RUNTIME_DIR"),
		Slice:       scope.DefaultSlice,
		Description: "one of many",
		Limits:      scope.Limits{MemoryMax: 64 << 20, TasksMax: 100, OOMPolicy: "continue"},
		SliceLimits: func(uint64) (memory, swap uint64) { return 128 << 20, 0 },
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(r.Group.Path)
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// atOnce does n things together and gives what went wrong.
func atOnce(n int, do func(i int) string) (bad []string) {
	var all sync.WaitGroup
	results := make([]string, n)
	for i := range n {
		all.Add(1)
		go func() {
			defer all.Done()
			results[i] = do(i)
		}()
	}
	all.Wait()
	for _, r := range results {
		if r != "" {
			bad = append(bad, r)
		}
	}
	return bad
}

func numbers(ts *testscript.TestScript, args []string) (row, once int) {
	var err [2]error
	if len(args) == 2 {
		row, err[0] = strconv.Atoi(args[0])
		once, err[1] = strconv.Atoi(args[1])
	}
	if row < 1 || once < 1 || err[0] != nil || err[1] != nil {
		ts.Fatalf("numbers are wanted, not %q", args)
	}
	return row, once
}
