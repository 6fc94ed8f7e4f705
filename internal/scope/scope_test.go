package scope

import (
	"reflect"
	"strings"
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
	const user = "/user.slice/user-1000.slice/user@1000.service"
	for _, c := range []struct {
		path, want string
		system     bool
	}{
		{user + "/app.slice/openclaw-gateway.service", user + "/app.slice/openclaw-gateway.service", false},
		{user + "/app.slice/gateway.service/delegated/child", user + "/app.slice/gateway.service", false},
		{user + "/app.slice/tmux-1.scope", "", false},
		{user + "/init.scope", "", false},
		{"/user.slice/user-1000.slice/session-3.scope", "", true},
		{"/system.slice/gateway.service", "/system.slice/gateway.service", true},
		{"/system.slice/system-gw.slice/gw@1.service/child", "/system.slice/system-gw.slice/gw@1.service", true},
		{"/", "", true},
		{"", "", true},
	} {
		if got, system := originService(cgroup.Group{Path: c.path}); got.Path != c.want || system != c.system {
			t.Errorf("originService(%q) = %q, system %v; want %q, %v", c.path, got.Path, system, c.want, c.system)
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

func TestRestriction(t *testing.T) {
	// As a manager reports a service with nothing set, on 252 and 257.
	plain := func() map[string]any {
		return map[string]any{
			"DevicePolicy": "auto", "DeviceAllow": [][]any{}, "IPAddressAllow": [][]any{}, "IPAddressDeny": [][]any{},
			"SocketBindAllow": [][]any{}, "SocketBindDeny": [][]any{}, "IPIngressFilterPath": []string{}, "IPEgressFilterPath": []string{},
			"BPFProgram": [][]any{}, "RestrictNetworkInterfaces": []any{false, []string{}}, "RestrictFileSystems": []any{false, []string{}},
		}
	}
	if got := restriction(plain()); got != "" {
		t.Errorf("a plain service: %q", got)
	}
	if got := restriction(nil); got != "" {
		t.Errorf("a manager that knows none of them: %q", got)
	}
	for key, value := range map[string]any{
		"DevicePolicy":              "closed",
		"DeviceAllow":               [][]any{{"/dev/null", "rw"}},
		"IPAddressDeny":             [][]any{{int32(2), []byte{0, 0, 0, 0}, uint32(0)}},
		"SocketBindDeny":            [][]any{{int32(0), int32(0), uint16(0), uint16(0)}},
		"IPEgressFilterPath":        []string{"/sys/fs/bpf/x"},
		"RestrictNetworkInterfaces": []any{true, []string{"lo"}},
	} {
		service := plain()
		service[key] = value
		if got := restriction(service); !strings.HasPrefix(got, key+"=") {
			t.Errorf("%s: %q", key, got)
		}
	}
}
