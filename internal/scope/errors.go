package scope

import (
	"context"
	"errors"
)

// Cause is why a process could not be isolated.
type Cause int

// The causes. Each has a sentence and a mend; see the table below.
const (
	NoHierarchy   Cause = iota // cgroup v2 is not there
	NoManager                  // nothing listens where the user manager's socket should be
	NoSystemd                  // nothing can: this system, a container mostly, was not booted with systemd
	SocketHidden               // the socket may not be reached
	NoUnixSockets              // socket(AF_UNIX) itself is forbidden
	NotOurs                    // the socket belongs to, or is answered by, another user
	NoAnswer                   // the manager did not answer in time
	Rejected                   // the manager refuses the scope
	JobFailed                  // the manager tried and failed, mostly for want of the right to move the process
	NotMoved                   // the manager reports success, the kernel says otherwise
	NoController               // the cgroup has no memory.max
	NoSystemBus                // the system manager cannot be asked about the unit that the command comes from
	Restricted                 // the move would drop restrictions of the unit that it leaves
	NotLimited                 // memory.max or memory.swap.max is not what was asked
)

// causes says for each cause what is wrong and what mends it, for the operator of the host.
var causes = [...]struct{ id, what, mend string }{
	NoHierarchy: {"no-cgroup2", "this host has no cgroup v2 hierarchy",
		"boot with systemd.unified_cgroup_hierarchy=1, or run in a container that sees cgroup v2"},
	NoManager: {"no-manager", "no systemd user manager answers",
		"loginctl enable-linger for this user"},
	NoSystemd: {"no-systemd", "systemd does not run here",
		"start the agent in a scope that the host limits, or in a cgroup below a delegated one (see heavy-run(1)); or set Enforcement=adjust"},
	SocketHidden: {"socket-hidden", "the user manager's socket is out of reach",
		"remove ProtectHome= or InaccessiblePaths=/run/user from the unit"},
	NoUnixSockets: {"no-unix-sockets", "unix sockets are forbidden here",
		"add AF_UNIX to RestrictAddressFamilies= of the unit, or run outside the sandbox"},
	NotOurs: {"not-ours", "the manager's socket belongs to another user",
		"unset XDG_RUNTIME_DIR, or log in as this user instead of su"},
	NoAnswer: {"no-answer", "the user manager does not answer",
		"systemctl --user daemon-reexec, then look at journalctl --user"},
	Rejected: {"rejected", "the user manager refuses the scope",
		"systemctl --user status, and the message above"},
	JobFailed: {"job-failed", "the user manager could not move the process into the scope",
		"systemctl start dbus.socket, then systemctl --user daemon-reexec; or run the gateway as a user service"},
	NotMoved: {"not-moved", "the process is not in the scope although the manager says so",
		"run the gateway as a user service, without Delegate= cgroup managers of its own"},
	NoController: {"no-memory-controller", "the memory controller is not enabled for the user manager",
		"remove cgroup_disable=memory from the kernel command line, or set Delegate=memory pids in user@.service"},
	NoSystemBus: {"no-system-bus", "the system bus does not answer, and only through it can a process of a system service be moved",
		"systemctl start dbus.socket, then systemctl --user daemon-reexec; or run the gateway as a user service"},
	Restricted: {"restricted", "the move into a scope would drop a restriction of the unit that the command comes from",
		"remove the setting from that unit, or give it Delegate=yes and DelegateSubgroup=main, or set Enforcement=adjust and a MemoryMax= on it"},
	NotLimited: {"not-limited", "the memory limit did not take effect",
		"systemctl --user show heavy-run.slice, and look for drop-ins that set MemoryMax="},
}

// String is the stable name of the cause, for logs and JSON.
func (c Cause) String() string { return causes[c].id }

// Mend is what the operator can do about it.
func (c Cause) Mend() string { return causes[c].mend }

// Error is a failure to isolate this process.
type Error struct {
	Cause Cause
	Err   error // what the system said
}

func (e *Error) Error() string {
	if e.Err == nil {
		return causes[e.Cause].what
	}
	return causes[e.Cause].what + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// CauseOf is the cause that err carries, if it carries one.
func CauseOf(err error) (Cause, bool) {
	if e := new(Error); errors.As(err, &e) {
		return e.Cause, true
	}
	return 0, false
}

func noAnswer(err error) error {
	if err == nil {
		err = context.DeadlineExceeded
	}
	return &Error{Cause: NoAnswer, Err: err}
}
