// Package inherit gives back to a command what the Go runtime took away before main began: the signals that were ignored or
// blocked, and standard descriptors that were closed. A launcher that is to leave no trace cannot do without it.
//
// The runtime installs handlers for all signals, unblocks most, and opens /dev/null where a standard descriptor is missing;
// what was there before cannot be learned afterwards. So a few instructions of assembly run in front of it, where the kernel
// enters the program, and write down what they find. The linker has to be told: -ldflags '-E heavyrun_entry'. Without that
// flag everything works, and a command starts with signals as any Go program starts one.
package inherit

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// WitnessName is argv[0] of a process that only waits, when it is the whole command line. Such a process never reaches the Go
// runtime, so that any signal ends it from its first moment on.
const WitnessName = "heavy-run-witness"

// Written by heavyrun_entry before the runtime starts. Bit n-1 of a signal set is signal n, bit n of closed is descriptor n.
var (
	captured uint64
	blocked  uint64
	ignored  uint64
	closed   uint64
	//lint:ignore U1000 the assembly's scratch space, a struct sigaction
	action [4]uint64
)

// Captured says whether the state at entry is known: whether the binary was linked with the entry point of this package.
func Captured() bool { return captured != 0 }

// Standard are the standard descriptors for a child, as syscall.ProcAttr takes them: those that were closed stay closed.
func Standard() []uintptr {
	files := []uintptr{0, 1, 2}
	for fd := range files {
		if closed&(1<<fd) != 0 {
			files[fd] = ^uintptr(0)
		}
	}
	return files
}

// Restore puts everything back, for an execve that follows at once. It must not be used where this process goes on: with its
// handlers gone the runtime no longer works.
func Restore() {
	if captured == 0 {
		return
	}
	runtime.LockOSThread() // the signal mask belongs to the thread, and execve keeps that of its caller
	for signal := uintptr(1); signal <= 64; signal++ {
		if ignored&(1<<(signal-1)) != 0 {
			ignore := [4]uint64{1} // SIG_IGN
			unix.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(&ignore)), 0, 8, 0, 0)
		}
	}
	for fd := range 3 {
		if closed&(1<<fd) != 0 {
			unix.CloseOnExec(fd) // an error of execve can still be told on it
		}
	}
	const setMask = 2 // SIG_SETMASK
	mask := blocked
	unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&mask)), 0, 8, 0, 0)
}
