package scope

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	sd "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// socket is an address at which a service manager may be reached.
type socket struct {
	path   string
	owner  int  // who must own it and answer on it
	bus    bool // a message bus, which wants a Hello and a subscription; else the manager itself
	system bool // the system manager
}

// sockets lists where to ask, in order. DBUS_SESSION_BUS_ADDRESS is not among them: whoever runs the command sets it.
// XDG_RUNTIME_DIR is theirs too, but a false one gains nothing, since the kernel is asked afterwards.
func sockets(runtimeDir string, uid int) []socket {
	standard := "/run/user/" + strconv.Itoa(uid)
	dirs := []string{runtimeDir, standard}
	if runtimeDir == "" || path.Clean(runtimeDir) == standard {
		dirs = dirs[1:]
	}
	var out []socket
	for _, dir := range dirs {
		out = append(out, socket{path: path.Join(dir, "systemd/private"), owner: uid})
	}
	for _, dir := range dirs {
		out = append(out, socket{path: path.Join(dir, "bus"), owner: uid, bus: true})
	}
	if uid == 0 {
		out = append(out, socket{path: "/run/systemd/private", owner: 0, system: true})
	}
	return out
}

// firstOf asks at one socket after the other until one has answered, and gives the first one's error where none did. A manager
// that took the process but gave no limit is final, and so is a restriction: another would only hide why.
func firstOf(from []socket, ask func(socket) error) error {
	var first error
	for _, s := range from {
		err := ask(s)
		if err == nil {
			return nil
		}
		if cause, ok := CauseOf(err); ok && (cause == NoController || cause == NotLimited || cause == Restricted) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// manager is a connection to a service manager.
type manager struct {
	*sd.Conn
	raw *dbus.Conn
}

// dial connects to the manager at s. go-systemd's own constructors are no help: its user one goes through godbus's session
// bus, which sets a variable in our environment and may start dbus-launch.
func dial(ctx context.Context, s socket) (*manager, error) {
	conn, err := connect(ctx, s)
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		// Calls inside go-systemd that take no context end with the connection.
		conn.SetDeadline(deadline)
	}
	var transport io.ReadWriteCloser = conn
	if !s.bus {
		if transport, err = authenticate(conn, os.Geteuid()); err != nil {
			conn.Close()
			return nil, noAnswer(err)
		}
	}
	raw, err := dbus.NewConn(transport, dbus.WithContext(ctx))
	if err != nil {
		conn.Close()
		return nil, noAnswer(err)
	}
	if err := raw.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Geteuid()))}); err != nil {
		raw.Close()
		return nil, noAnswer(err)
	}
	if s.bus {
		if err := raw.Hello(); err != nil {
			raw.Close()
			return nil, noAnswer(err)
		}
	}
	one := func() (*dbus.Conn, error) { return raw, nil }
	m, err := sd.NewConnection(one)
	if err != nil {
		raw.Close()
		return nil, noAnswer(err)
	}
	if s.bus {
		if err := m.Subscribe(); err != nil {
			raw.Close()
			return nil, noAnswer(err)
		}
	}
	return &manager{Conn: m, raw: raw}, nil
}

// Close ends the connection. go-systemd would close it twice, since it is given the same one for calls and signals.
func (m *manager) Close() { m.raw.Close() }

func connect(ctx context.Context, s socket) (*net.UnixConn, error) {
	info, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, os.ErrPermission):
		return nil, &Error{Cause: SocketHidden, Err: err}
	case err != nil && !booted():
		return nil, &Error{Cause: NoSystemd, Err: err}
	case err != nil:
		return nil, &Error{Cause: NoManager, Err: err}
	case info.Mode()&os.ModeSocket == 0:
		return nil, &Error{Cause: NoManager, Err: fmt.Errorf("%s is not a socket", s.path)}
	case int(info.Sys().(*syscall.Stat_t).Uid) != s.owner:
		return nil, &Error{Cause: NotOurs, Err: fmt.Errorf("%s belongs to uid %d", s.path, info.Sys().(*syscall.Stat_t).Uid)}
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", s.path)
	var call *os.SyscallError
	switch {
	case err == nil:
	case errors.As(err, &call) && call.Syscall == "socket":
		return nil, &Error{Cause: NoUnixSockets, Err: err}
	case errors.Is(err, os.ErrPermission):
		return nil, &Error{Cause: SocketHidden, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return nil, noAnswer(err)
	default:
		return nil, &Error{Cause: NoManager, Err: err}
	}
	c := conn.(*net.UnixConn)
	if uid, err := peer(c); err != nil || uid != s.owner {
		c.Close()
		return nil, &Error{Cause: NotOurs, Err: fmt.Errorf("%s is answered by uid %d", s.path, uid)}
	}
	return c, nil
}

// booted says whether systemd runs this system; see sd_booted(3).
func booted() bool {
	_, err := os.Lstat("/run/systemd/system")
	return err == nil
}

func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	var cred *unix.Ucred
	if ctlErr := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); ctlErr != nil {
		err = ctlErr
	}
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// startScope asks for the unit and waits until its job is done. Optional properties that are refused are left out, one
// refusal at a time; versions are never compared.
func (m *manager) startScope(ctx context.Context, unit string, props []property) error {
	done := make(chan string, 1) // buffered: go-systemd sends the result while it holds a lock
	job, err := m.StartTransientUnitContext(ctx, unit, "fail", wire(props), done)
	for err != nil {
		var refusal dbus.Error
		if !errors.As(err, &refusal) {
			return noAnswer(err)
		}
		if props = without(props, refusal.Error()); props == nil {
			return &Error{Cause: Rejected, Err: err}
		}
		job, err = m.StartTransientUnitContext(ctx, unit, "fail", wire(props), done)
	}
	select {
	case result := <-done:
		if result != "done" {
			return &Error{Cause: JobFailed, Err: fmt.Errorf("the job of %s ended with %q", unit, result)}
		}
		return nil
	case <-ctx.Done():
		m.cancel(job)
		return noAnswer(fmt.Errorf("the job of %s: %w", unit, ctx.Err()))
	}
}

// cancel withdraws a job that took too long, so that it cannot move this process after something else was decided.
func (m *manager) cancel(job int) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	m.raw.Object("org.freedesktop.systemd1", "/org/freedesktop/systemd1").
		CallWithContext(ctx, "org.freedesktop.systemd1.Manager.CancelJob", 0, uint32(job))
}

// limitSlice makes sure that the slice has its own limits: all heavy commands together cannot take the host. The setting
// outlives the slice until the next boot, so that mostly the kernel's files are all that is read.
func (m *manager) limitSlice(ctx context.Context, req Request, group cgroup.Group) error {
	slice, ok := group.Ancestor(req.Slice)
	if !ok {
		return &Error{Cause: NotMoved, Err: fmt.Errorf("%s is not in %s", group.Path, req.Slice)}
	}
	above, _ := slice.Parent()
	bound, err := above.Bound()
	if err != nil {
		return &Error{Cause: NotLimited, Err: err}
	}
	memory, swap := req.SliceLimits(bound)
	if proveMemory(slice, memory, swap) == nil {
		return nil
	}
	if err := m.SetUnitPropertiesContext(ctx, req.Slice, true, wire([]property{
		{name: "MemoryMax", value: memory},
		{name: "MemorySwapMax", value: swap},
	})...); err != nil {
		return &Error{Cause: Rejected, Err: err}
	}
	return proveMemory(slice, memory, swap)
}

// authenticate performs the D-Bus handshake in one write, as libsystemd does, and returns a stream that satisfies godbus's
// own handshake by itself. godbus writes line by line, and systemd's private socket then left up to half of the first
// calls unanswered until a second message came.
func authenticate(conn net.Conn, uid int) (io.ReadWriteCloser, error) {
	hello := "\x00AUTH EXTERNAL " + fmt.Sprintf("%x", strconv.Itoa(uid)) + "\r\nBEGIN\r\n"
	if _, err := io.WriteString(conn, hello); err != nil {
		return nil, err
	}
	// The answer is one line, and nothing follows before we ask something.
	line, buffer := "", make([]byte, 256)
	for !strings.Contains(line, "\n") && len(line) < len(buffer) {
		n, err := conn.Read(buffer)
		if err != nil {
			return nil, err
		}
		line += string(buffer[:n])
	}
	answer, whole := strings.CutSuffix(line, "\r\n")
	if !strings.HasPrefix(answer, "OK ") || !whole {
		return nil, fmt.Errorf("the manager answered %q to the authentication", answer)
	}
	return &authenticated{Conn: conn, replies: "REJECTED EXTERNAL\r\n" + answer + "\r\n"}, nil
}

// authenticated is a connection on which godbus may go through its handshake again without a byte reaching the manager.
type authenticated struct {
	net.Conn
	replies string // what godbus still has to be told
	begun   bool   // godbus has sent BEGIN: from here on everything is real
}

func (a *authenticated) Read(p []byte) (int, error) {
	if a.replies != "" {
		// One line at a time: godbus buffers what it reads during the handshake and drops the rest.
		end := strings.IndexByte(a.replies, '\n') + 1
		n := copy(p, a.replies[:end])
		a.replies = a.replies[n:]
		return n, nil
	}
	return a.Conn.Read(p)
}

func (a *authenticated) Write(p []byte) (int, error) {
	if a.begun {
		return a.Conn.Write(p)
	}
	a.begun = string(p) == "BEGIN\r\n"
	return len(p), nil
}
