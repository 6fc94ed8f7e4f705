package launch

import (
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/inherit"
)

// A signal that arrives here was sent either to the whole process group, so that the command has it too, or to this process
// alone, by somebody who means the command. Nothing in the signal tells. So a witness stands in the same group: a process
// that waits, and dies of any signal. If it died of the same one, the group got it.

// patience is how long the death of the witness may take to become known, beyond the signal's own arrival here. The kernel
// signals a group in one go; on a machine that thrashes, the rest may take a while. A signal meant for this process alone
// reaches the command that much later.
const patience = 250 * time.Millisecond

// witness tells which signals the group gets.
type witness struct {
	died  chan syscall.Signal // closed after it; nil when there is no witness
	pidfd int
}

// stand starts a process in this group, one that dies with this thread, and reports its death.
func (w *witness) stand() {
	w.died = nil
	if !inherit.Captured() {
		return // this binary would start as a Go program and handle the signal
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(null)
	w.pidfd = -1 // stays so before Linux 5.4
	pid, err := syscall.ForkExec("/proc/self/exe", []string{inherit.WitnessName}, &syscall.ProcAttr{
		Env:   []string{},
		Files: []uintptr{uintptr(null), uintptr(null), uintptr(null)},
		Sys:   &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, PidFD: &w.pidfd},
	})
	if err != nil {
		return
	}
	died := make(chan syscall.Signal, 1)
	w.died = died
	go func() {
		defer close(died)
		var status unix.WaitStatus
		for {
			if _, err := unix.Wait4(pid, &status, 0, nil); err != unix.EINTR {
				break
			}
		}
		if status.Signaled() {
			died <- status.Signal()
		}
	}()
}

// saw says whether the group got sig too, and if so lets another witness take the place of the dead one. Without a witness
// it goes by who mostly sends what: a terminal HUP, INT and QUIT, to the group; a person or a supervisor TERM and USR1, to one.
func (w *witness) saw(sig syscall.Signal) bool {
	if w.died == nil {
		return sig == unix.SIGHUP || sig == unix.SIGINT || sig == unix.SIGQUIT
	}
	select {
	case of := <-w.died:
		unix.Close(w.pidfd)
		w.stand()
		return of == sig
	case <-time.After(patience):
		return false
	}
}

// dismiss ends it: nothing of ours may be in the scope when this process leaves it.
func (w *witness) dismiss() {
	if w.died != nil && unix.PidfdSendSignal(w.pidfd, unix.SIGKILL, nil, 0) == nil {
		<-w.died
	}
}

// forward passes on to process pid what is sent to this process alone, until the command is over, and then closes over itself.
// Its thread must live as long as the witness, which dies with it.
func forward(received <-chan os.Signal, pid int, over chan struct{}) {
	runtime.LockOSThread()
	var w witness
	w.stand()
	for {
		select {
		case r := <-received:
			if sig := r.(syscall.Signal); isForwarded(sig) && !w.saw(sig) {
				unix.Kill(pid, sig)
			}
		case <-over:
			w.dismiss()
			close(over)
			return
		}
	}
}
