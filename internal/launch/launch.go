// Package launch turns this process into a command, or runs one as its child and then ends as the child ended. It hands on
// everything that it was given itself: descriptors, process group, session, directory, umask, limits, signal mask. It
// decides nothing about commands and knows nothing of scopes.
package launch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/inherit"
)

// Vectors are the arguments and the environment of this process. Package os does not know them: see inherit.Vectors.
func Vectors() (argv, environ []string) {
	if argv, environ, ok := inherit.Vectors(); ok {
		return argv, environ
	}
	return os.Args, os.Environ()
}

// Command is a program with its arguments and environment, as execve(2) takes them.
type Command struct {
	Path string
	Args []string // with argv[0]
	Env  []string
}

// Exec becomes the command and returns only on failure, after which this process can do no more than say so and end.
func (c Command) Exec() error {
	if !inherit.Captured() {
		return syscall.Exec(c.Path, c.Args, c.Env)
	}
	file, err := syscall.BytePtrFromString(c.Path)
	if err != nil {
		return err
	}
	argv, err := syscall.SlicePtrFromStrings(c.Args)
	if err != nil {
		return err
	}
	envp, err := syscall.SlicePtrFromStrings(c.Env)
	if err != nil {
		return err
	}
	return syscall.Errno(inherit.Execve(file, &argv[0], &envp[0]))
}

// FailureStatus is the exit status that a shell gives when a program cannot be started: 127 for one that is not there, 126
// for one that is and cannot be run.
func FailureStatus(err error) int {
	if errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

// FallbackPath is searched where PATH is missing, and after it for a shell that must be found.
const FallbackPath = "/usr/local/bin:/usr/bin:/bin"

// Look finds the file of the program name as a shell does: by itself when it holds a slash, else in the directories of
// searchPath. Files for which skip is true are passed over; a nil skip passes over none. The error satisfies
// fs.ErrNotExist where there is none, fs.ErrPermission where none may be run.
func Look(name, searchPath string, skip func(file string) bool) (string, error) {
	if name == "" {
		return "", fs.ErrNotExist
	}
	if strings.Contains(name, "/") {
		if err := executable(name); err != nil {
			return "", err
		}
		if skip != nil && skip(name) {
			return "", fs.ErrNotExist
		}
		return name, nil
	}
	err := error(fs.ErrNotExist)
	for dir := range strings.SplitSeq(searchPath, ":") {
		file := path.Join(dir, name)
		if dir == "" || dir == "." {
			file = "./" + name
		}
		switch e := executable(file); {
		case errors.Is(e, fs.ErrPermission):
			err = e
		case e == nil && (skip == nil || !skip(file)):
			return file, nil
		}
	}
	return "", err
}

func executable(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fs.ErrPermission
	}
	return unix.Access(file, unix.X_OK)
}

// action is the kernel's struct sigaction on the 64-bit Linux ports of Go. See rt_sigaction(2).
type action struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// setAction changes what a signal does, behind the back of the Go runtime: os/signal can neither stop this process by TSTP nor
// end it by an arbitrary signal. It returns what was in force.
func setAction(sig syscall.Signal, a action) (old action) {
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&a)), uintptr(unsafe.Pointer(&old)), 8, 0, 0)
	return old
}
