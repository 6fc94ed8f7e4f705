package scope

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// fakeManager listens where a service manager's private socket would be and answers StartTransientUnit as told. It is what
// a command can put into its own XDG_RUNTIME_DIR; the real manager is met in the VM.
type fakeManager struct {
	t      *testing.T
	dir    string
	answer func(call *dbus.Message) []*dbus.Message            // replies to one StartTransientUnit; nil for silence
	others map[string]func(call *dbus.Message) []*dbus.Message // replies to other methods; an empty one by default

	mu        sync.Mutex
	calls     [][]string // property names of each StartTransientUnit
	handshake []int      // size of the first read of each connection
}

func newFakeManager(t *testing.T, answer func(call *dbus.Message) []*dbus.Message) *fakeManager {
	m := &fakeManager{t: t, dir: t.TempDir(), answer: answer, others: map[string]func(*dbus.Message) []*dbus.Message{
		"GetAll": func(call *dbus.Message) []*dbus.Message { // a service without restrictions
			return []*dbus.Message{reply(call, map[string]dbus.Variant{"DevicePolicy": dbus.MakeVariant("auto")})}
		},
		"Get": func(call *dbus.Message) []*dbus.Message { return []*dbus.Message{reply(call, dbus.MakeVariant(false))} },
	}}
	if err := os.Mkdir(filepath.Join(m.dir, "systemd"), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(m.dir, "systemd/private"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go m.serve(c)
		}
	}()
	return m
}

func (m *fakeManager) serve(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 4096)
	n, err := c.Read(buf)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.handshake = append(m.handshake, n)
	m.mu.Unlock()
	if !strings.HasPrefix(string(buf[:n]), "\x00AUTH EXTERNAL ") || !strings.HasSuffix(string(buf[:n]), "\r\nBEGIN\r\n") {
		return
	}
	io.WriteString(c, "OK 0123456789abcdef0123456789abcdef\r\n")
	in := bufio.NewReader(c)
	for {
		call, err := dbus.DecodeMessage(in)
		if err != nil {
			return
		}
		replies := []*dbus.Message{reply(call)}
		switch call.Headers[dbus.FieldMember].Value() {
		case "StartTransientUnit":
			var names []string
			for _, p := range call.Body[2].([][]any) {
				names = append(names, p[0].(string))
			}
			m.mu.Lock()
			m.calls = append(m.calls, names)
			m.mu.Unlock()
			replies = m.answer(call)
		default:
			member, _ := call.Headers[dbus.FieldMember].Value().(string)
			if other := m.others[member]; other != nil {
				replies = other(call)
			}
		}
		for _, r := range replies {
			if err := r.EncodeTo(c, binary.LittleEndian); err != nil {
				m.t.Errorf("fake manager: %v", err)
			}
		}
	}
}

func reply(call *dbus.Message, body ...any) *dbus.Message {
	return message(dbus.TypeMethodReply, call, nil, body...)
}

func refusal(call *dbus.Message, name, text string) *dbus.Message {
	return message(dbus.TypeError, call, map[dbus.HeaderField]dbus.Variant{dbus.FieldErrorName: dbus.MakeVariant(name)}, text)
}

func jobRemoved(job dbus.ObjectPath, unit, result string) *dbus.Message {
	return message(dbus.TypeSignal, nil, map[dbus.HeaderField]dbus.Variant{
		dbus.FieldPath:      dbus.MakeVariant(dbus.ObjectPath("/org/freedesktop/systemd1")),
		dbus.FieldInterface: dbus.MakeVariant("org.freedesktop.systemd1.Manager"),
		dbus.FieldMember:    dbus.MakeVariant("JobRemoved"),
	}, uint32(7), job, unit, result)
}

func message(kind dbus.Type, call *dbus.Message, headers map[dbus.HeaderField]dbus.Variant, body ...any) *dbus.Message {
	m := &dbus.Message{Type: kind, Headers: map[dbus.HeaderField]dbus.Variant{}, Body: body}
	for k, v := range headers {
		m.Headers[k] = v
	}
	if call != nil {
		m.Headers[dbus.FieldReplySerial] = dbus.MakeVariant(call.Serial())
	}
	if len(body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(body...))
	}
	return m
}

const job = dbus.ObjectPath("/org/freedesktop/systemd1/job/7")

// succeed is what a manager says when all went well.
func succeed(call *dbus.Message) []*dbus.Message {
	return []*dbus.Message{reply(call, job), jobRemoved(job, call.Body[0].(string), "done")}
}

func enter(t *testing.T, m *fakeManager, wait time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	from := cgroup.Group{Path: fmt.Sprintf("/user.slice/user@%d.service/app.slice/gateway.service", os.Geteuid())}
	_, err := enterThrough(ctx, socket{path: filepath.Join(m.dir, "systemd/private"), owner: os.Geteuid()},
		Request{Unit: "test", Slice: DefaultSlice, Limits: Limits{MemoryMax: 1 << 26, OOMPolicy: "continue"}, SliceLimits: func(uint64) (memory, swap uint64) { return 1 << 30, 0 }}, from)
	return err
}

func wantCause(t *testing.T, err error, cause Cause) {
	t.Helper()
	e := new(Error)
	if !errors.As(err, &e) || e.Cause != cause {
		t.Errorf("error %v, want the cause %v", err, cause)
	}
}

// TestASuccessThatTheKernelDoesNotConfirmIsAFailure is the fake bus of a hostile or broken environment.
func TestASuccessThatTheKernelDoesNotConfirmIsAFailure(t *testing.T) {
	m := newFakeManager(t, succeed)
	err := enter(t, m, 10*time.Second)
	e := new(Error)
	if !errors.As(err, &e) || (e.Cause != NotMoved && e.Cause != NoHierarchy) {
		t.Errorf("error %v, want not moved", err)
	}
}

func TestFailedJob(t *testing.T) {
	m := newFakeManager(t, func(call *dbus.Message) []*dbus.Message {
		return []*dbus.Message{reply(call, job), jobRemoved(job, call.Body[0].(string), "failed")}
	})
	wantCause(t, enter(t, m, 10*time.Second), JobFailed)
}

func TestSilentManager(t *testing.T) {
	m := newFakeManager(t, func(*dbus.Message) []*dbus.Message { return nil })
	wantCause(t, enter(t, m, 50*time.Millisecond), NoAnswer)
}

func TestSilentJob(t *testing.T) {
	m := newFakeManager(t, func(call *dbus.Message) []*dbus.Message { return []*dbus.Message{reply(call, job)} })
	wantCause(t, enter(t, m, 50*time.Millisecond), NoAnswer)
}

// TestRefusedPropertiesAreLeftOutOneByOne plays an old systemd that knows neither OOMPolicy nor the gateway's unit.
func TestRefusedPropertiesAreLeftOutOneByOne(t *testing.T) {
	var m *fakeManager
	m = newFakeManager(t, func(call *dbus.Message) []*dbus.Message {
		m.mu.Lock()
		names := m.calls[len(m.calls)-1]
		m.mu.Unlock()
		for _, name := range names {
			switch name {
			case "OOMPolicy":
				return []*dbus.Message{refusal(call, "org.freedesktop.DBus.Error.PropertyReadOnly", "Cannot set property OOMPolicy, or unknown property.")}
			case "BindsTo":
				return []*dbus.Message{refusal(call, "org.freedesktop.systemd1.NoSuchUnit", "Unit gateway.service not found.")}
			}
		}
		return []*dbus.Message{reply(call, job), jobRemoved(job, call.Body[0].(string), "failed")}
	})
	wantCause(t, enter(t, m, 10*time.Second), JobFailed)
	if len(m.calls) != 3 {
		t.Fatalf("%d calls, want 3: all properties, without OOMPolicy, without the unit: %q", len(m.calls), m.calls)
	}
	last := strings.Join(m.calls[2], " ")
	for _, kept := range []string{"PIDs", "MemoryMax", "MemorySwapMax", "TasksMax", "Slice", "CollectMode"} {
		if !strings.Contains(" "+last+" ", " "+kept+" ") {
			t.Errorf("%s was left out: %s", kept, last)
		}
	}
	for _, gone := range []string{"OOMPolicy", "BindsTo", "StopPropagatedFrom"} {
		if strings.Contains(last, gone) {
			t.Errorf("%s was asked for again: %s", gone, last)
		}
	}
}

// TestRestrictionsAreNotLeftBehind: the manager that would make the scope is asked about the service on the same connection, and
// when the service has a restriction, or nothing can be learned, it is asked for nothing more.
func TestRestrictionsAreNotLeftBehind(t *testing.T) {
	for what, c := range map[string]struct {
		answer func(call *dbus.Message) *dbus.Message
		cause  Cause
	}{
		"restricted": {func(call *dbus.Message) *dbus.Message {
			return reply(call, map[string]dbus.Variant{"DevicePolicy": dbus.MakeVariant("strict")})
		}, Restricted},
		"unknown": {func(call *dbus.Message) *dbus.Message {
			return refusal(call, "org.freedesktop.systemd1.NoSuchUnit", "Unit gateway.service not found.")
		}, NoAnswer},
	} {
		m := newFakeManager(t, succeed)
		m.others["GetAll"] = func(call *dbus.Message) []*dbus.Message { return []*dbus.Message{c.answer(call)} }
		wantCause(t, enter(t, m, 10*time.Second), c.cause)
		if len(m.calls) != 0 || len(m.handshake) != 1 {
			t.Errorf("%s: scopes asked for: %q, connections: %d", what, m.calls, len(m.handshake))
		}
	}
}

// TestHardLimitsAreNeverLeftOut: a manager that refuses MemorySwapMax gets no second chance with less.
func TestHardLimitsAreNeverLeftOut(t *testing.T) {
	m := newFakeManager(t, func(call *dbus.Message) []*dbus.Message {
		return []*dbus.Message{refusal(call, "org.freedesktop.DBus.Error.PropertyReadOnly", "Cannot set property MemorySwapMax, or unknown property.")}
	})
	wantCause(t, enter(t, m, 10*time.Second), Rejected)
	for _, names := range m.calls {
		if all := strings.Join(names, " "); !strings.Contains(all, "MemorySwapMax") {
			t.Errorf("asked without MemorySwapMax: %s", all)
		}
	}
}

// TestTheHandshakeIsOneWrite: systemd's private socket swallows the first call after godbus's line by line handshake.
func TestTheHandshakeIsOneWrite(t *testing.T) {
	m := newFakeManager(t, succeed)
	for range 20 {
		enter(t, m, 10*time.Second)
	}
	if len(m.handshake) != 20 {
		t.Fatalf("%d connections, want 20", len(m.handshake))
	}
	for _, n := range m.handshake {
		if n < len("?AUTH EXTERNAL 30??BEGIN??") {
			t.Fatalf("a handshake arrived in pieces: the first has %d bytes", n)
		}
	}
}

func TestSocketsThatAreNotTheManagers(t *testing.T) {
	dial := func(s socket) error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		m, err := dial(ctx, s)
		if err == nil {
			m.Close()
		}
		return err
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(dir, "dead")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	m := newFakeManager(t, succeed)
	missing := NoManager
	if !booted() {
		missing = NoSystemd
	}
	for name, c := range map[string]struct {
		socket socket
		want   Cause
	}{
		"nothing there":         {socket{path: filepath.Join(dir, "none"), owner: os.Geteuid()}, missing},
		"a plain file":          {socket{path: file, owner: os.Geteuid()}, NoManager},
		"nobody listens":        {socket{path: dead, owner: os.Geteuid()}, NoManager},
		"another user's socket": {socket{path: filepath.Join(m.dir, "systemd/private"), owner: os.Geteuid() + 1}, NotOurs},
	} {
		t.Run(name, func(t *testing.T) { wantCause(t, dial(c.socket), c.want) })
	}
}
