// Package inherit gives back to a command what the Go runtime took away before main began: the signals that were ignored or
// blocked, and standard descriptors that were closed. A launcher that is to leave no trace cannot do without it.
//
// The runtime installs handlers for all signals, unblocks most, and opens /dev/null where a standard descriptor is missing;
// what was there before cannot be learned afterwards. It also obeys variables that are meant for the command. So a few
// instructions of assembly run in front of it, where the kernel enters the program: they write down what they find, and start
// the runtime with an environment of its own. The linker has to be told: -ldflags '-E heavyrun_entry'. Without that flag
// everything works, and a command starts with signals as any Go program starts one.
package inherit

import "unsafe"

// call is a system call and nothing else. This package imports nothing that has to be initialised, so that its init runs
// among the first.
//
//go:noescape
func call(number, a, b, c, d uintptr) uintptr

// execve sets the signal mask and calls execve(2).
//
//go:noescape
func execve(path *byte, argv, envp **byte, mask *uint64) uintptr

// init makes QUIT and ABRT end this process as they end any other. The runtime would print every goroutine and exit with
// status 2, which a Claude Code hook takes as "block this tool".
func init() {
	call(sysSigaction, quit, uintptr(unsafe.Pointer(&[4]uint64{})), uintptr(unsafe.Pointer(&runtimesQuit)), 8)
	setAction(abort, &[4]uint64{})
}

const quit, abort = 3, 6

var runtimesQuit [4]uint64 // the runtime's handler

// HandleQuit lets package os/signal have QUIT, after signal.Notify: that thinks the runtime's handler is still there.
func HandleQuit() { setAction(quit, &runtimesQuit) }

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
	nofile   [2]uint64 // RLIMIT_NOFILE, soft and hard
	vectors  *uintptr  // argc, argv and envp as execve(2) left them on the stack
	//lint:ignore U1000 the assembly's scratch space, a struct sigaction
	action [4]uint64
	//lint:ignore U1000 what the runtime is given in place of vectors
	substitute [6 + 2*(auxiliary+1)]uintptr // argv[0], null, three settings, null, the auxiliary vector
)

// auxiliary is for how many entries of the auxiliary vector there is room; Linux has some 25. The runtime does without the rest.
const auxiliary = 64

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

// Execve is execve(2) with everything put back; it returns only on failure, and its errno. Then this process can do no more
// than say so and end: with its handlers gone the runtime no longer works. It must not be used unless Captured.
//
// The signal mask belongs to the thread, so mask and execve go in one step: runtime.LockOSThread, which would keep the thread
// too, starts another one first. The runtime tries again where clone(2) fails with EAGAIN because an execve has begun.
func Execve(path *byte, argv, envp **byte) (errno uintptr) {
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
	const limitNumber = 7 // RLIMIT_NOFILE, which package os raised
	call(sysPrlimit, 0, limitNumber, uintptr(unsafe.Pointer(&nofile)), 0)
	return -execve(path, argv, envp, &blocked)
}

// Vectors are the arguments and the environment as they came, byte for byte and in order; ok is false where only the runtime
// knows them. The runtime itself is kept from both: GODEBUG would make it write to stderr, GOMEMLIMIT=x would end it, and
// what an agent sets for its own Go programs is not meant for the prefix.
func Vectors() (argv, environ []string, ok bool) {
	if captured == 0 {
		return nil, nil, false
	}
	argv, next := stringsAt(unsafe.Add(unsafe.Pointer(vectors), unsafe.Sizeof(*vectors)))
	environ, _ = stringsAt(next)
	return argv, environ, true
}

// stringsAt reads a vector of C strings that ends with a null pointer, and says what comes behind it. The strings are those on
// the stack, which nobody writes to.
func stringsAt(vector unsafe.Pointer) (found []string, behind unsafe.Pointer) {
	const word = unsafe.Sizeof(vector)
	n := 0
	for *(*unsafe.Pointer)(unsafe.Add(vector, uintptr(n)*word)) != nil {
		n++
	}
	found = make([]string, n)
	for i, start := range unsafe.Slice((**byte)(vector), n) {
		length := 0
		for *(*byte)(unsafe.Add(unsafe.Pointer(start), length)) != 0 {
			length++
		}
		found[i] = unsafe.String(start, length)
	}
	return found, unsafe.Add(vector, uintptr(n+1)*word)
}
