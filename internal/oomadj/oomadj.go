// Package oomadj reads and raises this process's oom_score_adj, so that under memory pressure the kernel picks the command
// and not the agent that started it. It touches no process but its own and knows nothing of commands, scopes or settings.
//
// Scores run from -1000 (never killed) to 1000 (killed first); children inherit them. Raising needs no privilege. See
// proc_pid_oom_score_adj(5) and Documentation/filesystems/proc.rst section 3.1 in the kernel tree.
package oomadj

import (
	"bytes"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/plainfile"
)

// Max is the score of the process that the kernel kills first.
const Max = 1000

const path = "/proc/self/oom_score_adj"

// Raise makes the score of this process at least score and returns the score that it had. It never lowers it: a client
// may have raised it already. Errors are those of reading or writing /proc/self/oom_score_adj (no /proc, or a read-only one).
func Raise(score int) (before int, err error) {
	before, err = read()
	if err != nil || before >= score {
		return before, err
	}
	return before, write(score)
}

// Lower makes the score of this process at most score, as far as the kernel lets an unprivileged process go: down to
// the lowest value that it inherited. Only a process that must outlive the command beside it has a reason to.
func Lower(score int) error {
	now, err := read()
	if err != nil || now <= score {
		return err
	}
	return write(score)
}

func read() (int, error) {
	data, err := plainfile.Read(path, 64)
	if err != nil {
		return 0, err
	}
	score, err := strconv.Atoi(string(bytes.TrimSpace(data)))
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return score, nil
}

// write uses the system calls themselves, as package plainfile does.
func write(score int) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, strconv.AppendInt(nil, int64(score), 10)); err != nil {
		return fmt.Errorf("write %d to %s: %w", score, path, err)
	}
	return nil
}
