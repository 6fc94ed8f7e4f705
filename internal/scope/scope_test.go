package scope

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestBindable: a scope is bound to a service of the very manager that makes it.
func TestBindable(t *testing.T) {
	const gateway = "/user.slice/user-1000.slice/user@1000.service/app.slice/gateway.service"
	own, system := socket{owner: 1000}, socket{owner: 0, system: true}
	for _, c := range []struct {
		path string
		s    socket
		want string
	}{
		{gateway, own, "gateway.service"},
		{gateway + "/child", own, "gateway.service"},
		{gateway, socket{owner: 1001}, ""}, // sudo -u somebody, below the gateway of another user
		{gateway, socket{owner: 0}, ""},
		{gateway, system, ""},
		{"/system.slice/gateway.service", own, ""},
		{"/system.slice/gateway.service", system, "gateway.service"},
		{"/user.slice/user-1000.slice/session-3.scope", own, ""},
		{"", own, ""},
	} {
		if got := bindable(cgroup.Group{Path: c.path}, c.s); got != c.want {
			t.Errorf("bindable(%q, %+v) = %q, want %q", c.path, c.s, got, c.want)
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

func TestVictimIn(t *testing.T) {
	const unit = "heavy-run-7-abc.scope"
	kill := "6,512,7420,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/u.slice/%,task_memcg=/u.slice/%,task="
	ours := strings.ReplaceAll(kill, "%", unit)
	for record, want := range map[string]string{
		ours + "node,pid=12,uid=1000\n":    "node",
		ours + "a,pid=1,pid=12,uid=1000\n": "a,pid=1",
		ours + "\n":                        "",
		strings.ReplaceAll(kill, "%", "other.scope") + "node,pid=12,uid=1000\n":      "",
		strings.ReplaceAll(kill, "%", "x-"+unit) + "node,pid=12,uid=1000\n":          "",
		"6,512,7420,-;Memory cgroup out of memory: Killed process 12 (node)\n":       "",
		"12,9,1,-;says task_memcg=/u.slice/" + unit + ",task=node,pid=12,uid=1000\n": "",
		"": "",
	} {
		if got, ok := victimIn(record, unit); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", record, got, ok, want)
		}
	}
}

// TestEveryLimitHasAControl: with a field set there is one more, and what the kernel can enforce has its file.
func TestEveryLimitHasAControl(t *testing.T) {
	none := len(Limits{}.controls())
	fields := reflect.TypeFor[Limits]()
	for i := range fields.NumField() {
		var l Limits
		field, name := reflect.ValueOf(&l).Elem().Field(i), fields.Field(i).Name
		switch field.Kind() {
		case reflect.Uint64:
			field.SetUint(77)
		case reflect.Int64:
			field.SetInt(int64(77 * time.Second))
		default:
			field.SetString("kill")
		}
		more := len(l.controls()) - none
		if always := name == "MemoryMax" || name == "MemorySwapMax" || name == "TasksMax"; always == (more == 1) {
			t.Errorf("%s makes %d more controls", name, more)
		}
		if slices.EqualFunc(l.controls(), Limits{}.controls(), func(a, b control) bool { return a.text == b.text }) && name != "RuntimeMax" {
			t.Errorf("%s reaches no file of the cgroup", name)
		}
		for _, c := range l.controls() {
			if (c.file == "") != (c.controller == "") || (c.file == "") != (c.name == "RuntimeMaxUSec") {
				t.Errorf("%s: %q in controller %q", c.name, c.file, c.controller)
			}
		}
	}
}
