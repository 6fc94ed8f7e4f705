// Package plainfile reads regular files, the kernel's among them, in front of a command that waits. It uses the system calls
// themselves: package os makes each file known to the runtime's poller, which starts for the first one.
package plainfile

import (
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"
)

// Read is os.ReadFile for a regular file of at most limit bytes. It waits for nobody: what is a FIFO or a device is an error at
// once. Errors are *fs.PathError.
func Read(name string, limit int) ([]byte, error) {
	failed := func(op string, err error) ([]byte, error) { return nil, &fs.PathError{Op: op, Path: name, Err: err} }
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return failed("open", err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return failed("stat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return failed("read", errors.New("not a regular file"))
	}
	data := make([]byte, 0, min(int(st.Size), limit)+512) // the kernel's own have size 0
	for {
		n, err := unix.Read(fd, data[len(data):cap(data)])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return failed("read", err)
		case n == 0:
			return data, nil
		}
		if data = data[:len(data)+n]; len(data) > limit {
			return failed("read", errors.New("too large"))
		}
		data = slices.Grow(data, 512)
	}
}
