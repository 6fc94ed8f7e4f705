package scope

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

// Where no manager can be asked, the kernel can be: a process may make a cgroup beside its own, give it limits and move there,
// if their parent has been delegated to its user. That is a container that gives its command a cgroup below the container's, or
// a unit with Delegate= and its processes in a cgroup below the unit's (DelegateSubgroup=). The names are those that a manager
// would give, so that all that reads them is the same. No other process is ever moved.

// description is the attribute of a cgroup of ours that holds what is a unit's Description= elsewhere.
const description = "user.heavy-run.description"

// EnterDelegated moves this process into a new cgroup without a manager, after Enter, or a look at the origin, failed with
// because. That error stands where a manager was asked for the scope: it may still move this process.
func EnterDelegated(req Request, because error) (Receipt, error) {
	cause, ok := CauseOf(because)
	switch {
	case !ok:
		return Receipt{}, because
	case cause == NoManager, cause == NoSystemd, cause == SocketHidden, cause == NoUnixSockets, cause == NoSystemBus:
	case cause == Restricted: // below the unit that has the restriction it still holds
	default:
		return Receipt{}, because
	}
	if err := req.name(); err != nil {
		return Receipt{}, err
	}
	from, err := cgroup.Current()
	if err != nil {
		return Receipt{}, because
	}
	parent, err := delegatedParent(from)
	if err != nil && cause != NoSystemd {
		return Receipt{}, because // a manager is what is missing
	}
	var receipt Receipt
	if err == nil {
		receipt, err = enterBelow(parent, from, req)
	}
	if err != nil {
		return Receipt{}, &Error{Cause: cause, Err: err}
	}
	return receipt, nil
}

func enterBelow(parent, from cgroup.Group, req Request) (Receipt, error) {
	if err := enable(parent, req.Limits); err != nil {
		return Receipt{}, err
	}
	slice, err := makeSlice(parent, req)
	if err != nil {
		return Receipt{}, err
	}
	leaf := slice
	if req.SubSlice != "" {
		leaf = slice.Child(leafSlice(req))
		if err := errors.Join(makeOnce(leaf), enable(leaf, req.Limits)); err != nil {
			return Receipt{}, err
		}
	}
	if req.Sweep {
		sweepDelegated(slice)
	}
	unit := UnitPrefix + req.Unit + ".scope"
	group := leaf.Child(unit)
	group.Remove() // one of that name may be left over; in use it stays, and is nobody else's
	if err := group.Make(); err != nil {
		return Receipt{}, err
	}
	if err = limit(group, req.Limits); err == nil {
		err = group.Enter()
	}
	if err != nil {
		group.Remove()
		return Receipt{}, err
	}
	if group, err = prove(unit, req.Limits); err != nil {
		return Receipt{}, err
	}
	group.SetAttribute(description, req.Description) // fails open: --list is the poorer
	max, err := group.Limit("memory.max")
	return Receipt{Unit: unit, Group: group, Slice: req.Slice, MemoryMax: max, Origin: from,
		RuntimeMax: req.Limits.RuntimeMax, Delegated: true}, err
}

// delegatedParent is the cgroup below which a process that stands in from may make its own: the parent of from, or of the
// slices around from where that is a scope of ours. To be root or its owner is not enough. What systemd manages must be below a
// unit that says that it delegates: beside a unit its limits and restrictions would be left behind, and without Delegate= an
// out-of-memory kill below a unit restarts it.
func delegatedParent(from cgroup.Group) (cgroup.Group, error) {
	at := from
	if IsOurs(from) {
		for up, ok := at.Parent(); ok && strings.HasSuffix(up.Name(), ".slice"); up, ok = at.Parent() {
			at = up
		}
	} else if isUnit(from) {
		return cgroup.Group{}, fmt.Errorf("%s is a unit's own cgroup, and beside it nothing is delegated", from.Path)
	}
	parent, ok := at.Parent()
	if !ok {
		return cgroup.Group{}, fmt.Errorf("%s is the top of the cgroups here, and has no parent to make another in", from.Path)
	}
	for g, ok := parent, true; ok; g, ok = g.Parent() {
		if !isUnit(g) {
			continue
		}
		// A user's manager has been given its own: what it delegates in turn says so.
		if strings.HasPrefix(g.Name(), "user@") || g.Attribute("user.delegate") != "1" {
			return cgroup.Group{}, fmt.Errorf("%s does not delegate its cgroup", g.Name())
		}
		break
	}
	return parent, nil
}

func isUnit(g cgroup.Group) bool {
	name := g.Name()
	return strings.HasSuffix(name, ".service") || strings.HasSuffix(name, ".scope") || strings.HasSuffix(name, ".slice")
}

// IsOurs says whether g has the name of a scope of ours.
func IsOurs(g cgroup.Group) bool {
	return strings.HasPrefix(g.Name(), UnitPrefix) && strings.HasSuffix(g.Name(), ".scope")
}

// enable makes the controllers of limits available below g. The kernel refuses while processes are in g itself.
func enable(g cgroup.Group, l Limits) error {
	asked := []string{""} // the supervisor sees to a limit without a controller
	for _, c := range l.controls() {
		if slices.Contains(asked, c.controller) {
			continue
		}
		asked = append(asked, c.controller)
		if err := g.Set("cgroup.subtree_control", "+"+c.controller); err != nil && !c.optional {
			return err
		}
	}
	return nil
}

// makeSlice makes the cgroup that limits all heavy commands together.
func makeSlice(parent cgroup.Group, req Request) (cgroup.Group, error) {
	slice := parent.Child(req.Slice)
	bound, err := parent.Bound()
	if err != nil {
		return slice, err
	}
	memory, swap := req.SliceLimits(bound)
	if err := makeOnce(slice); err != nil {
		return slice, err
	}
	if err := errors.Join(set(slice, "memory.max", number(memory)), set(slice, "memory.swap.max", number(swap))); err != nil {
		return slice, err
	}
	if err := enable(slice, req.Limits); err != nil {
		return slice, err
	}
	return slice, proveMemory(slice, memory, swap)
}

// makeOnce makes a group that may be there already.
func makeOnce(g cgroup.Group) error {
	if err := g.Make(); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// limit gives group its limits. What is optional for a manager may fail here too; prove has the last word on memory.
func limit(group cgroup.Group, l Limits) error {
	for _, c := range l.controls() {
		if c.file == "" {
			continue
		}
		if err := set(group, c.file, c.text); err != nil && !c.optional {
			return err
		}
	}
	return nil
}

// set leaves it to prove whether a kernel that does not count swap will do.
func set(g cgroup.Group, file, text string) error {
	err := g.Set(file, text)
	if file == "memory.swap.max" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// staleAfter is the age from which an empty cgroup of ours is taken to be left over, and not one that is about to be entered:
// far longer than that takes.
const staleAfter = time.Minute

// sweepDelegated removes the cgroups of commands that have ended: of one that became its command, and of a supervisor that was
// killed, nobody is left to do it.
func sweepDelegated(slice cgroup.Group) {
	for _, g := range slice.Below(scopePattern) {
		if time.Since(g.Since()) > staleAfter {
			g.Remove() // refused while anything runs there
		}
	}
}

// isDelegated says whether EnterDelegated could have been used from here.
func isDelegated() bool {
	from, err := cgroup.Current()
	if err != nil {
		return false
	}
	parent, err := delegatedParent(from)
	return err == nil && parent.Writable()
}

// runningDelegated lists the cgroups of ours that no manager knows, of this user or for root of all.
func runningDelegated() (out []Running) {
	root, err := cgroup.Named("/")
	if err != nil {
		return nil
	}
	uid := os.Geteuid()
	for _, g := range root.Below(scopePattern) {
		text := g.Attribute(description)
		if owner := g.Owner(); text != "" && (uid == 0 || owner == uid) && g.Populated() {
			out = append(out, Running{Unit: g.Name(), Description: text, UID: owner, Since: g.Since(), Group: g, delegated: true})
		}
	}
	return out
}

// endDelegated does what a manager does to stop a scope: SIGTERM to all, SIGKILL to what is left after stopTimeout.
func endDelegated(ctx context.Context, g cgroup.Group) error {
	pids, err := g.Processes()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if pid > 0 { // what another pid namespace hides is listed as 0, which means our own group to kill(2)
			unix.Kill(pid, unix.SIGTERM)
		}
	}
	killAt := time.Now().Add(stopTimeout)
	for g.Populated() {
		if time.Now().After(killAt) {
			if err := g.Set("cgroup.kill", "1"); err != nil {
				return err
			}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g.Remove() // else the next heavy command does
	return nil
}

// End stops the scope and all in it, this process too: SIGTERM, and SIGKILL to what is left after stopTimeout.
func (r Receipt) End(ctx context.Context, runtimeDir string) error {
	if r.Delegated {
		return endDelegated(ctx, r.Group)
	}
	return firstOf(sockets(runtimeDir, os.Geteuid()), func(s socket) error {
		m, err := dial(ctx, s)
		if err != nil {
			return err
		}
		defer m.Close()
		_, err = m.StopUnitContext(ctx, r.Unit, "replace", nil)
		return err
	})
}

// Leave goes back to where this process came from and removes the scope if it was the last one there. A manager does that by
// itself.
func (r Receipt) Leave() {
	if r.Delegated && r.Origin.Enter() == nil {
		r.Group.Remove()
	}
}
