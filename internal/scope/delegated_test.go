package scope

import (
	"errors"
	"testing"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

func TestDelegatedParent(t *testing.T) {
	const user = "/user.slice/user-1000.slice/user@1000.service"
	for path, want := range map[string]string{
		// without systemd: beside our own
		"/main":        "/",
		"/box/main":    "/box",
		"/":            "",
		"/main/nested": "/main",
		// inside a scope of ours: beside it
		"/heavy-run.slice/heavy-run-1.scope":                         "/",
		"/box/heavy-run.slice/heavy-run-web.slice/heavy-run-1.scope": "/box",
		// beside a unit, or below one that does not say that it delegates
		"/system.slice/gateway.service":                                   "",
		"/system.slice/docker-123.scope":                                  "",
		"/system.slice/gateway.service/main":                              "",
		"/system.slice/main":                                              "",
		user + "/app.slice/gateway.service":                               "",
		user + "/app.slice/claude-code-bash":                              "",
		user + "/main":                                                    "",
		user + "/heavy.slice/heavy-run.slice/heavy-run-1.scope":           "",
		"/system.slice/gateway.service/heavy-run.slice/heavy-run-1.scope": "",
	} {
		got, err := delegatedParent(cgroup.Group{Path: path})
		if got.Path != want || (err == nil) != (want != "") {
			t.Errorf("delegatedParent(%q) = %q, %v; want %q", path, got.Path, err, want)
		}
	}
}

// TestDelegatedIsNotTried where a manager was asked to move this process: it may do so yet, and why it did not must not be hidden.
func TestDelegatedIsNotTried(t *testing.T) {
	for _, cause := range []Cause{NoHierarchy, NotOurs, NoAnswer, Rejected, JobFailed, NotMoved, NoController, NotLimited} {
		because := &Error{Cause: cause}
		if _, err := EnterDelegated(Request{}, because); err != error(because) {
			t.Errorf("%v: %v", cause, err)
		}
	}
	because := errors.New("no unit's name")
	if _, err := EnterDelegated(Request{}, because); err != because {
		t.Error(err)
	}
}
