// Package admission lets heavy commands run a few at a time, in the order in which they came. Each command holds a locked file
// in one directory; the lock goes with the process, so that a kill -9 of a waiter or a runner frees its place. It is a
// courtesy to the machine, no limit: limits are the scope's and the slice's.
package admission

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Ticket is a place in the queue, and then among the running. It is given up when the process ends, at the latest.
type Ticket struct {
	dir  string
	name string // without suffix: the time of arrival, then the pid
	file int    // descriptor that holds the lock
}

// The two states of a ticket's file.
const (
	waiting = ".waiting"
	running = ".running"
)

// Place is somebody else's ticket.
type Place struct {
	Subject string        // what runs, by its rule: never arguments
	Since   time.Duration // how long it has been there
	Running bool
	Where   string // what the runner said about where it runs; see Ticket.Runs
}

// pollInterval is how often a waiter looks again. Memory has to be polled, so the queue is too.
const pollInterval = 200 * time.Millisecond

// Enter joins the queue in dir, which it creates. Errors are those of the file system; the caller goes on without a place.
func Enter(dir, subject string) (*Ticket, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%020d-%d", now(), os.Getpid())
	// Locked before it has the name that others look at: an unlocked ticket is a dead one.
	file, err := unix.Open(filepath.Join(dir, name+".new"), unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	t := &Ticket{dir: dir, name: name, file: file}
	if err := unix.Flock(file, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Leave()
		return nil, err
	}
	unix.Write(file, []byte(subject))
	if err := os.Rename(t.path(".new"), t.path(waiting)); err != nil {
		t.Leave()
		return nil, err
	}
	return t, nil
}

// Leave gives the place up.
func (t *Ticket) Leave() {
	for _, state := range []string{".new", waiting, running} {
		os.Remove(t.path(state))
	}
	unix.Close(t.file)
}

func (t *Ticket) path(state string) string { return filepath.Join(t.dir, t.name+state) }

// Runs notes where the command runs, for those who ask what it may still take. A nil ticket has nobody to tell.
func (t *Ticket) Runs(where string) {
	if t == nil {
		return
	}
	unix.Write(t.file, []byte("\n"+where))
}

// Wait returns when this ticket is the oldest that waits, fewer than limit run, and room says that there is memory, given what
// runs. blocked is called once, when waiting begins, with who is in the way; room's reason is passed on. The error is the
// context's.
func (t *Ticket) Wait(ctx context.Context, limit int, room func(running []Place) (ok bool, why string), blocked func(others []Place, why string)) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for told := false; ; told = true {
		// One that has said why it waits needs no more than the word that it is not its turn: fifty that all look at all of the
		// others, five times a second, would be load enough by themselves.
		if !told || !t.behind() {
			admitted, others, why := t.try(limit, room)
			if admitted {
				return nil
			}
			if !told && blocked != nil {
				blocked(others, why)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// try takes a running place if it may, in one step for all processes: under the lock of the directory itself.
func (t *Ticket) try(limit int, room func([]Place) (bool, string)) (admitted bool, others []Place, why string) {
	lock, err := unix.Open(t.dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return true, nil, "" // fails open: somebody removed the directory, nobody can be asked
	}
	defer unix.Close(lock)
	// Held for microseconds, unless its holder was stopped: that must not stop everybody.
	for tries := 0; unix.Flock(lock, unix.LOCK_EX|unix.LOCK_NB) != nil; tries++ {
		if tries == 100 {
			return false, nil, "the queue is locked"
		}
		time.Sleep(time.Millisecond)
	}
	first := true
	var runners []Place
	for _, p := range t.others() {
		others = append(others, p.Place)
		if p.Running {
			runners = append(runners, p.Place)
		} else if p.name < t.name {
			first = false
		}
	}
	if !first || len(runners) >= limit {
		return false, others, ""
	}
	if ok, why := room(runners); !ok {
		return false, others, why
	}
	os.Rename(t.path(waiting), t.path(running))
	return true, nil, ""
}

type place struct {
	Place
	name string
}

// behind says whether an older ticket waits.
func (t *Ticket) behind() bool {
	entries, _ := os.ReadDir(t.dir) // sorted by name, so by age
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), waiting); ok && name < t.name {
			if _, alive := read(filepath.Join(t.dir, e.Name())); alive {
				return true
			}
		}
	}
	return false
}

// others lists the living tickets of other processes, oldest first, and removes the dead.
func (t *Ticket) others() []place {
	var out []place
	entries, _ := os.ReadDir(t.dir)
	for _, e := range entries {
		name, state, ok := strings.Cut(e.Name(), ".")
		if !ok || name == t.name || "."+state != waiting && "."+state != running {
			continue
		}
		path := filepath.Join(t.dir, e.Name())
		text, alive := read(path)
		if !alive {
			os.Remove(path)
			continue
		}
		arrived, _, _ := strings.Cut(name, "-")
		since, _ := strconv.ParseInt(arrived, 10, 64)
		subject, where, _ := strings.Cut(text, "\n")
		out = append(out, place{Place{subject, time.Duration(now() - since), "."+state == running, where}, name})
	}
	slices.SortFunc(out, func(a, b place) int { return strings.Compare(a.name, b.name) })
	return out
}

// read gives what a ticket says and whether its process still holds it.
func read(path string) (text string, alive bool) {
	file, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer unix.Close(file)
	if unix.Flock(file, unix.LOCK_SH|unix.LOCK_NB) == nil {
		return "", false
	}
	buf := make([]byte, 4096)
	n, _ := unix.Read(file, buf)
	return string(buf[:max(n, 0)]), true
}

// now is in nanoseconds, on the one clock that all processes share and nobody sets.
func now() int64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return ts.Nano()
}
