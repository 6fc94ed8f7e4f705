package inherit

const (
	sysFcntl       = 25
	sysSigaction   = 134
	sysSigprocmask = 135
	sysPrlimit     = 261
)
