// Package scope moves this process into a transient systemd scope with hard resource limits and proves from the kernel that
// it stands there. It speaks D-Bus with the service manager's own socket; it starts no program, reads no environment, trusts
// no reply without reading the cgroup back, and never moves another process. Where no manager can be asked it does the same in
// a cgroup that was delegated to its user.
//
// See systemd.scope(5), systemd.resource-control(5) and org.freedesktop.systemd1(5) StartTransientUnit.
package scope

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/limits"
)

// Names of what is ours in a unit listing: scopes are UnitPrefix<unique>.scope.
const (
	UnitPrefix   = "heavy-run-"
	scopePattern = UnitPrefix + "*.scope"
	DefaultSlice = "heavy-run.slice"
)

// claudeBash is the cgroup that Claude Code makes for its tools when CLAUDE_CODE_TOOL_MEMORY_LIMIT is set. Leaving it for a
// scope would take the command out of the limit that its user chose.
const claudeBash = "claude-code-bash"

// Limits are the resource limits of a unit, in the units of systemd's D-Bus properties. Zero leaves a weight, the quota or
// the run time unset; the memory limits and TasksMax are always set.
type Limits struct {
	MemoryMax     uint64        // bytes
	MemorySwapMax uint64        // bytes
	TasksMax      uint64        // processes and threads
	CPUWeight     uint64        // 1 to 10000, systemd's default is 100
	CPUQuota      time.Duration // CPU time per second of wall time
	IOWeight      uint64        // 1 to 10000
	RuntimeMax    time.Duration // the scope is stopped after this long
	OOMPolicy     string        // continue, stop or kill; see systemd.service(5)
}

// Request is a scope to enter.
type Request struct {
	RuntimeDir  string // the caller's XDG_RUNTIME_DIR, where the user manager's socket is looked for first; may be empty
	Unit        string // what follows UnitPrefix in the name; empty for something unique
	Slice       string // the slice that has SliceLimits
	SubSlice    string // what follows Slice's name in that of a slice below it; empty for Slice itself
	Description string // shown by systemctl and logged: never arguments or environment values
	Limits      Limits
	Sweep       bool // stop scopes that have outlived their service
	// SliceLimits gives MemoryMax and MemorySwapMax of the whole slice, in bytes, for the memory that bounds the slice. That
	// is not what bounds the caller, and they are not the command's: one's limits must not become everybody's.
	SliceLimits func(bound uint64) (memory, swap uint64)
}

// Receipt is what the kernel says after the move.
type Receipt struct {
	Unit      string
	Group     cgroup.Group
	Slice     string // the slice that limits all heavy commands together
	MemoryMax uint64 // bytes
	// Origin is the service that this process came from, whichever manager runs it; its Path is empty where there is none.
	// Without a manager it is the cgroup itself.
	Origin cgroup.Group
	Bound  bool // the manager ends the scope with Origin: it has both

	Delegated  bool          // made by EnterDelegated: no manager knows of it
	RuntimeMax time.Duration // how long the scope may last where only its supervisor can see to that; else 0
}

// stopTimeout is how long a scope that is told to stop may take before it is killed. systemd's default of 90 s would hold
// up the stop of the gateway that it is bound to.
const stopTimeout = 5 * time.Second

// Enter moves this process into a new scope, waits for the manager's word and then asks the kernel. On success all later
// children are in the scope too. On failure the error is an *Error, its Cause says what to mend, and the process must be
// taken for not isolated even where it has been moved.
//
// The context bounds every wait. Each manager that may answer is tried in turn: the user's, then for root the system's.
func Enter(ctx context.Context, req Request) (Receipt, error) {
	if err := req.name(); err != nil {
		return Receipt{}, err
	}
	origin, err := cgroup.Current()
	if err != nil {
		return Receipt{}, &Error{Cause: NoHierarchy, Err: err}
	}
	var receipt Receipt
	err = firstOf(sockets(req.RuntimeDir, os.Geteuid()), func(s socket) (err error) {
		receipt, err = enterThrough(ctx, s, req, origin)
		return err
	})
	return receipt, err
}

func enterThrough(ctx context.Context, socket socket, req Request, from cgroup.Group) (Receipt, error) {
	m, err := dial(ctx, socket)
	if err != nil {
		return Receipt{}, err
	}
	defer m.Close()

	origin, _ := originService(from)
	unit := UnitPrefix + req.Unit + ".scope"
	bindTo := bindable(from, socket)
	if err := m.unrestricted(ctx, req.RuntimeDir, from, bindTo); err != nil {
		return Receipt{}, err
	}
	err = m.startScope(ctx, unit, scopeProperties(req, bindTo))
	group, proof := prove(unit, req.Limits)
	if proof != nil && err != nil {
		return Receipt{}, err
	}
	if proof != nil {
		return Receipt{}, proof
	}
	// The kernel has the last word: a process that stands in the scope is isolated, even when the manager's answer was late.
	if err := m.limitSlice(ctx, req, group); err != nil {
		return Receipt{}, err
	}
	if slice, ok := group.Ancestor(req.Slice); req.Sweep && ok && len(slice.Below(scopePattern)) > 1 { // not only this one
		m.sweep(ctx)
	}
	max, err := group.Limit("memory.max")
	if err != nil {
		return Receipt{}, &Error{Cause: NoController, Err: err}
	}
	return Receipt{Unit: unit, Group: group, Slice: req.Slice, MemoryMax: max, Origin: origin, Bound: bindTo != ""}, nil
}

// prove reads back what the kernel enforces. systemd reports success without a memory controller too, so this is what
// fails closed.
func prove(unit string, want Limits) (cgroup.Group, error) {
	group, err := cgroup.Current()
	if err != nil {
		return group, &Error{Cause: NoHierarchy, Err: err}
	}
	if group.Name() != unit {
		return group, &Error{Cause: NotMoved, Err: fmt.Errorf("the process is in %s", group.Path)}
	}
	return group, proveMemory(group, want.MemoryMax, want.MemorySwapMax)
}

// proveMemory reads back both limits of memory: one is none without the other where there is swap.
func proveMemory(group cgroup.Group, memory, swap uint64) error {
	if err := proveLimit(group, "memory.max", memory); err != nil {
		return err
	}
	err := proveLimit(group, "memory.swap.max", swap)
	if errors.Is(err, fs.ErrNotExist) && !cgroup.HasSwap() {
		err = nil // a kernel without swap accounting, and nothing to swap to
	}
	return err
}

// proveLimit accepts what the kernel makes of a limit: rounded down to a page, which is 64 KiB on some arm64 kernels.
func proveLimit(group cgroup.Group, file string, want uint64) error {
	got, err := group.Limit(file)
	if err != nil {
		return &Error{Cause: NoController, Err: err}
	}
	// The operator may leave swap unlimited, memory never.
	if got > want || want-got >= uint64(os.Getpagesize()) || got == limits.Infinity && file == "memory.max" {
		return &Error{Cause: NotLimited, Err: fmt.Errorf("%s of %s is %s, asked for %s",
			file, group.Path, limits.FormatSize(got), limits.FormatSize(want))}
	}
	return nil
}

// Standing says whether group already lies in a limited scope of ours or in Claude Code's own cgroup, and gives its name.
// Limited means a memory.max that is not above what maxFor allows for the memory that bounds the place outside of it (of the
// slice, for a scope of ours), and no swap beyond it.
func Standing(group cgroup.Group, slice string, maxFor func(bound uint64) uint64) (string, bool) {
	for g, ok := group, true; ok; g, ok = g.Parent() {
		name, ours := g.Name(), IsOurs(g)
		if !ours && name != claudeBash {
			continue
		}
		inner := g
		if s, ok := g.Ancestor(slice); ok && ours {
			inner = s
		}
		outside, _ := inner.Parent()
		bound, err := outside.Bound()
		if err != nil {
			continue
		}
		if max, err := g.Limit("memory.max"); err != nil || max > maxFor(bound) {
			continue
		}
		if swap, err := g.Limit("memory.swap.max"); cgroup.HasSwap() && (err != nil || swap == limits.Infinity) {
			continue
		}
		return name, true
	}
	return "", false
}

// originService is the service that group belongs to, and whether the system manager runs it. A scope can only be tied to a
// unit of its own manager: naming another's makes the whole call fail. A scope, such as a login session or a terminal's, is
// no origin: it ends by itself while what it started goes on.
func originService(group cgroup.Group) (service cgroup.Group, system bool) {
	for g, ok := group, group.Path != ""; ok; g, ok = g.Parent() {
		name := g.Name()
		switch {
		case strings.HasPrefix(name, "user@") && strings.HasSuffix(name, ".service"):
			return service, false
		case strings.HasSuffix(name, ".service") && service.Path == "":
			service = g
		}
	}
	return service, true
}

// bindable is the service that group belongs to if the manager at s runs it; empty for none. A user's manager knows nothing of
// another user's service (sudo -u): it would stop at once what is bound to that name.
func bindable(group cgroup.Group, s socket) string {
	service, system := originService(group)
	if system != s.system || service.Path == "" {
		return ""
	}
	if _, own := group.Ancestor("user@" + strconv.Itoa(s.owner) + ".service"); !system && !own {
		return ""
	}
	return service.Name()
}

// name sees to it that the request has names that a unit may have.
func (req *Request) name() error {
	if req.Unit == "" {
		req.Unit = unique()
	}
	if !validName(req.Unit) {
		return fmt.Errorf("%q cannot be part of a unit's name", req.Unit)
	}
	if slice := leafSlice(*req); !ValidSlice(slice) {
		return fmt.Errorf("%q is not the name of a slice", slice)
	}
	return nil
}

// ValidSlice says whether name is that of a slice. Its dashes are levels, so there is none at either end and no two in a row; see
// systemd.slice(5).
func ValidSlice(name string) bool {
	levels, ok := strings.CutSuffix(name, ".slice")
	return ok && validName(levels) && !strings.Contains("-"+levels+"-", "--")
}

func unique() string {
	var b [4]byte
	rand.Read(b[:])
	return strconv.Itoa(os.Getpid()) + "-" + hex.EncodeToString(b[:])
}

// validName says whether part may stand in a unit's name; see systemd.unit(5).
func validName(part string) bool {
	for _, c := range []byte(part) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == ':' || c == '-') {
			return false
		}
	}
	return len(part) > 0 && len(part) < 200
}
