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
)

// call is a system call and nothing else. This package imports nothing that has to be initialised, so that its init runs
// among the first.
//
//go:noescape
func call(number, a, b, c, d uintptr) uintptr

// init makes QUIT and ABRT end this process as they end any other. The runtime would print every goroutine and exit with
// status 2, which a Claude Code hook takes as "block this tool".
func init() {
	const quit, abort = 3, 6
	for _, signal := range []uintptr{quit, abort} {
		setAction(signal, &[4]uint64{})
	}
}

// setAction is rt_sigaction(2), behind the back of the runtime; the words are those of the kernel's struct sigaction.
func setAction(signal uintptr, action *[4]uint64) {
	call(sysSigaction, signal, uintptr(unsafe.Pointer(action)), 0, 8)
}

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
			setAction(signal, &[4]uint64{1}) // SIG_IGN
		}
	}
	for fd := range uintptr(3) {
		if closed&(1<<fd) != 0 {
			const setFlags, closeOnExec = 2, 1
			call(sysFcntl, fd, setFlags, closeOnExec, 0) // an error of execve can still be told on it
		}
	}
	const setMask = 2 // SIG_SETMASK
	mask := blocked
	call(sysSigprocmask, setMask, uintptr(unsafe.Pointer(&mask)), 0, 8)
}
