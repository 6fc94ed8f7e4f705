package scope

import (
	"reflect"
	"testing"

	"github.com/heavy-run/heavy-run/internal/cgroup"
)

func TestSocketsInOrder(t *testing.T) {
	paths := func(runtimeDir string, uid int) (out []string) {
		for _, s := range sockets(runtimeDir, uid) {
			out = append(out, s.path)
		}
		return out
	}
	for _, c := range []struct {
		runtimeDir string
		uid        int
		want       []string
	}{
		{"", 1000, []string{"/run/user/1000/systemd/private", "/run/user/1000/bus"}},
		{"/run/user/1000/", 1000, []string{"/run/user/1000/systemd/private", "/run/user/1000/bus"}},
		{"/tmp/x", 1000, []string{"/tmp/x/systemd/private", "/run/user/1000/systemd/private", "/tmp/x/bus", "/run/user/1000/bus"}},
		{"", 0, []string{"/run/user/0/systemd/private", "/run/user/0/bus", "/run/systemd/private"}},
	} {
		if got := paths(c.runtimeDir, c.uid); !reflect.DeepEqual(got, c.want) {
			t.Errorf("sockets(%q, %d) = %q, want %q", c.runtimeDir, c.uid, got, c.want)
		}
	}
}

func TestOriginService(t *testing.T) {
	for _, c := range []struct {
		path   string
		system bool
		want   string
	}{
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/openclaw-gateway.service", false, "openclaw-gateway.service"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/openclaw-gateway.service", true, ""},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/tmux-1.scope", false, ""},
		{"/user.slice/user-1000.slice/user@1000.service/init.scope", false, ""},
		{"/user.slice/user-1000.slice/session-3.scope", false, ""},
		{"/system.slice/gateway.service", false, ""},
		{"/system.slice/gateway.service", true, "gateway.service"},
		{"/system.slice/system-gw.slice/gw@1.service/child", true, "gw@1.service"},
		{"/", false, ""},
	} {
		if got := originService(cgroup.Group{Path: c.path}, c.system); got != c.want {
			t.Errorf("originService(%q, system %v) = %q, want %q", c.path, c.system, got, c.want)
		}
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{"web": true, "a-b_1.2": true, "": false, "a/b": false, "a b": false, "ü": false, "$(x)": false} {
		if got := validName(name); got != want {
			t.Errorf("validName(%q) = %v, want %v", name, got, want)
		}
	}
}
