// Bare is the least that a prefix can do, in Go: raise oom_score_adj and become the shell. What it takes is the Go runtime's.
package main

import (
	"os"
	"syscall"
)

func main() {
	if fd, err := syscall.Open("/proc/self/oom_score_adj", syscall.O_WRONLY|syscall.O_CLOEXEC, 0); err == nil {
		syscall.Write(fd, []byte("1000"))
	}
	syscall.Exec(os.Getenv("BENCH_SHELL"), os.Args, os.Environ())
	os.Exit(127)
}
