package launch

import (
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/inherit"
)

// Ending is how a command ended: with an exit status or by a signal.
type Ending struct{ status unix.WaitStatus }

// Signal is the signal that the command died of; 0 when it exited.
func (e Ending) Signal() syscall.Signal {
	if e.status.Signaled() {
		return e.status.Signal()
	}
	return 0
}

// Status is the exit status as a shell gives it: 128 and the number of the signal for one that died.
func (e Ending) Status() int {
	if sig := e.Signal(); sig != 0 {
		return 128 + int(sig)
	}
	return e.status.ExitStatus()
}

// Repeat ends this process as the command ended, so that its own parent sees no difference: by the same signal, or else it
// returns the status to exit with. It also returns where the signal is blocked: inherited so, and the command unblocked it.
func (e Ending) Repeat() int {
	if sig := e.Signal(); sig != 0 {
		raise(sig)
	}
	return e.Status()
}

// forwarded are the signals that end or inform a command, and reach it through this process when they are sent to this
// process alone. TSTP and WINCH come from the terminal, which sends them to the group.
var forwarded = []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

func isForwarded(sig syscall.Signal) bool { return slices.Contains(forwarded, sig) }

// survived are the signals that must not end this process before the command: the above, what the terminal sends, and PIPE
// in case nobody reads stderr any more.
var survived = append([]syscall.Signal{unix.SIGPIPE, unix.SIGTSTP, unix.SIGWINCH}, forwarded...)

// Supervise runs the command as a child in this process's own group, session and terminal, and waits for it. started is
// called once, as soon as the child runs. It returns an error only where the command could not be started.
//
// The child gets SIGKILL when this process dies, so that a KILL of this pid leaves no more than a KILL of the command itself
// would. Stopped and continued are passed on to this process's parent by stopping too.
func (c Command) Supervise(started func()) (Ending, error) {
	runtime.LockOSThread() // PDEATHSIG is sent when the thread that forked ends; see prctl(2)
	defer runtime.UnlockOSThread()

	reserveThreads()
	received := make(chan os.Signal, 16)
	for _, sig := range survived {
		if !signal.Ignored(sig) { // handled now, it would no longer be ignored in the child
			signal.Notify(received, sig)
		}
	}
	inherit.HandleQuit()
	pid, err := syscall.ForkExec(c.Path, c.Args, &syscall.ProcAttr{
		Env:   c.Env,
		Files: inherit.Standard(),
		Sys:   &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL},
	})
	if err != nil {
		signal.Reset()
		return Ending{}, err
	}
	unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // one core dump is enough, and it is the command's
	closeInherited()
	over := make(chan struct{})
	go forward(received, pid, over)
	defer func() {
		over <- struct{}{}
		<-over
	}()
	started()
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		switch {
		case err == unix.EINTR:
		case err != nil: // cannot happen to a child that only we wait for
			return Ending{}, err
		case status.Stopped() && !stopped(pid): // the whole group was stopped, this process too, and both were continued
		case status.Stopped():
			raise(status.StopSignal())
			if stopped(pid) { // only this process was continued
				unix.Kill(pid, unix.SIGCONT)
			}
		default:
			return Ending{status}, nil
		}
	}
}

// threads is how many the supervising parent may ever need at once: waiting for the command, for the witness, for the origin's
// end, for signals, and running.
const threads = 8

// reserveThreads starts them while it still can. A command may fill the TasksMax of its scope, and the Go runtime ends with a
// trace and status 2 when it cannot start one more.
func reserveThreads() {
	var parked, done sync.WaitGroup
	release := make(chan struct{})
	for range threads {
		parked.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			runtime.LockOSThread() // while this goroutine waits its thread can run no other
			defer runtime.UnlockOSThread()
			parked.Done()
			<-release
		}()
	}
	parked.Wait()
	close(release)
	done.Wait()
}

// raise lets sig do to this process what it does by default.
func raise(sig syscall.Signal) {
	runtime.LockOSThread() // the signal must be taken by this very thread, before tgkill returns
	defer runtime.UnlockOSThread()
	if sig != unix.SIGSTOP && sig != unix.SIGKILL {
		old := setAction(sig, action{})
		defer setAction(sig, old)
	}
	unix.Tgkill(unix.Getpid(), unix.Gettid(), sig)
}

// closeInherited lets go of every descriptor that came with this process but stderr: a reader of the command's output must
// see its end when the command ends. What the runtime opened itself is close-on-exec, what was inherited cannot be.
func closeInherited() {
	if null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		// Not just closed: the next file opened would become standard input.
		unix.Dup3(null, 0, unix.O_CLOEXEC)
		unix.Dup3(null, 1, unix.O_CLOEXEC)
		unix.Close(null)
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // fails open: without /proc the descriptors stay until this process ends, right after the command
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// stopped says whether process pid is stopped by a signal; see proc_pid_stat(5), field 3.
func stopped(pid int) bool {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	for i := len(data) - 1; i > 0; i-- {
		if data[i] == ')' { // the name before it may hold anything
			return i+2 < len(data) && data[i+2] == 'T'
		}
	}
	return false
}
