package inherit

const (
	sysSigaction   = 13
	sysSigprocmask = 14
	sysFcntl       = 72
	sysPrlimit     = 302
)
