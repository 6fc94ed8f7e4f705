package guard

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// A keeper stands in the scope of a heavy command whose service has another manager, so that nothing binds the one to the other.
// It ends the scope with that service, also when the supervising parent is gone: killed, or done before what its command has
// left in the background. It is a process of this program, apart from the command's session and descriptors.

// keeperName is argv[0] of a keeper. The words after it are its scope's unit, the cgroup of the service and XDG_RUNTIME_DIR.
const keeperName = "heavy-run-keeper"

// startKeeper fails open: the command is limited all the same.
func startKeeper(receipt scope.Receipt, runtimeDir string) {
	keeper, err := os.StartProcess("/proc/self/exe", []string{keeperName, receipt.Unit, receipt.Origin.Path, runtimeDir},
		&os.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err == nil {
		keeper.Release()
	}
}

// Keep returns false at once where argv is not a keeper's. Else it returns when the scope has nobody else left in it, or has been
// told to stop.
func Keep(argv []string) bool {
	if len(argv) != 4 || argv[0] != keeperName {
		return false
	}
	here, err := cgroup.Current()
	if err != nil || here.Name() != argv[1] {
		return true
	}
	origin, err := cgroup.Named(argv[2])
	if err != nil {
		return true
	}
	ended := make(chan struct{}, 2)
	go func() {
		endWithOrigin(scope.Receipt{Unit: argv[1], Origin: origin}, argv[3])
		ended <- struct{}{}
	}()
	go func() {
		awaitAlone(here)
		ended <- struct{}{}
	}()
	<-ended
	return true
}

// awaitAlone returns when this is the last process in group. Whoever is there is waited for, one after the other, however many
// there are.
func awaitAlone(group cgroup.Group) {
	for {
		pids, err := group.Processes()
		other := slices.IndexFunc(pids, func(pid int) bool { return pid != os.Getpid() })
		if err != nil || other < 0 {
			return
		}
		fd, err := unix.PidfdOpen(pids[other], 0)
		if err == unix.ESRCH {
			continue
		}
		if err != nil {
			return // without a keeper the scope is as good as it was
		}
		unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1) // EINTR: it is looked at again
		unix.Close(fd)
	}
}
