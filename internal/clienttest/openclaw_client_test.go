//go:build clients

package clienttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// openClaw is how an operator has set up an OpenClaw gateway.
type openClaw struct {
	dir     string // holds home, state, work and bin; the same for all gateways, so that their results can be equal
	service bool   // as its installed systemd unit would start it: commands then run below a relay, with one more descriptor
}

// token is the password of the gateway, which listens on the loopback interface only.
const token = "made-up-token-of-the-gateway"

// run starts a gateway, lets its agents make their calls, and stops it. The second agent works by an allowlist.
func (o openClaw) run(t *testing.T, shell string, rows []row) (main, strict outcome) {
	t.Helper()
	free := newModel(t, "exec", script("exec", o.dir, rows)...)
	bound := newModel(t, "exec", script("exec", o.dir, allowlistRows)...)
	p, url := o.start(t, shell, free.URL, bound.URL)
	o.ask(t, p, url, "openclaw/strict")
	o.ask(t, p, url, "openclaw/main")
	wait(patience, exists(filepath.Join(o.dir, "work/ready-to-end")))
	p.Process.Signal(syscall.SIGTERM)
	if status := p.end(t); status != 0 {
		t.Errorf("the gateway ended with status %d:\n%s", status, p.log())
	}
	return outcome{"OpenClaw", ordinary(free.results()), read(t, filepath.Join(o.dir, "work"))}, outcome{"OpenClaw", ordinary(bound.results()), nil}
}

// ask lets an agent of the gateway run one turn.
func (o openClaw) ask(t *testing.T, p *program, url, agent string) {
	t.Helper()
	body, _ := json.Marshal(object{"model": agent, "messages": []object{{"role": "user", "content": "run it"}}})
	request, err := http.NewRequest("POST", url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Timeout: sessionPatience}).Do(request)
	if err != nil {
		t.Errorf("no answer from the gateway: %v\n%s", err, p.log())
		return
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		t.Errorf("the gateway answers %s: %s\n%s", answer.Status, text, p.log())
	}
}

// start starts a gateway with a fresh state and waits until it is ready.
func (o openClaw) start(t *testing.T, shell, freeModel, boundModel string) (p *program, url string) {
	t.Helper()
	testbin.Need(t, "unshare")
	for _, name := range []string{"home", "state", "work", "bin", "etc"} {
		if err := os.RemoveAll(filepath.Join(o.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	work := filepath.Join(o.dir, "work")
	os.MkdirAll(filepath.Join(work, "heavy"), 0o755)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	provider := func(url string) object {
		return object{"baseUrl": url + "/v1", "apiKey": "made-up", "api": "openai-completions", "models": []object{{
			"id": "model", "name": "model", "reasoning": false, "input": []string{"text"}, "contextWindow": 120_000, "maxTokens": 8192,
			"cost": object{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		}}}
	}
	config, _ := json.Marshal(object{
		"gateway": object{
			"mode": "local", "bind": "loopback", "port": port, "auth": object{"mode": "token", "token": token},
			"http": object{"endpoints": object{"chatCompletions": object{"enabled": true}}},
		},
		"agents": object{
			"ownership": "explicit",
			"defaults": object{
				"model": object{"primary": "free/model"}, "workspace": work, "skipBootstrap": true, "systemAgent": object{"agentId": "main"},
			},
			"entries": object{
				"main":   object{},
				"strict": object{"workspace": work, "model": object{"primary": "bound/model"}, "tools": object{"exec": object{"mode": "allowlist"}}},
			},
		},
		"tools": object{"profile": "coding", "exec": object{"mode": "full"}},
		"models": object{
			"catalogRefresh": object{"enabled": false}, // nothing leaves this machine
			"mode":           "merge",
			"providers":      object{"free": provider(freeModel), "bound": provider(boundModel)},
		},
	})
	write(t, filepath.Join(o.dir, "bin"), programs)
	write(t, o.dir, map[string]string{
		"config.json": string(config), "shells": shell + "\n",
		"home/.bashrc":       "alias hi='echo alias of bash'\n",
		"home/.bash_profile": "export PATH=" + o.dir + "/bin:$PATH:/from/bash/login\n", // which sh does not read
	})
	node := os.Getenv("NODE")
	openclaw := []string{filepath.Join(node, "node"), filepath.Join(installed(t, "OPENCLAW"), "node_modules/openclaw/openclaw.mjs")}
	env := []string{
		"HOME=" + filepath.Join(o.dir, "home"), "PATH=" + strings.Join([]string{filepath.Join(o.dir, "bin"), node, os.Getenv("PATH")}, ":"),
		"SHELL=" + shell, "LANG=C.UTF-8", "TERM=dumb", "USER=user",
		"TMPDIR=" + o.dir, // node keeps compiled code there: the second gateway starts sooner
		"OPENCLAW_CONFIG_PATH=" + filepath.Join(o.dir, "config.json"), "OPENCLAW_STATE_DIR=" + filepath.Join(o.dir, "state"),
		"OPENCLAW_OFFLINE=1", "OPENCLAW_NO_AUTO_UPDATE=1", "OPENCLAW_SKIP_CHANNELS=1", "OPENCLAW_SKIP_CRON=1", "OPENCLAW_DISABLE_BONJOUR=1",
		"OPENCLAW_BASH_YIELD_MS=120000",        // how long the tool waits for a command before that goes on in the background
		"OPENCLAW_SHELL_ENV_TIMEOUT_MS=120000", // for the login PATH: while it starts, a gateway may not look for 15 seconds
	}
	allow := start(t, work, filepath.Join(o.dir, "allow.log"), env, append(openclaw, "approvals", "allowlist", "add", "--agent", "strict", filepath.Join(o.dir, "bin/*")), nil)
	if status := allow.end(t); status != 0 {
		t.Errorf("the allowlist is not accepted:\n%s", allow.log())
	}
	if o.service {
		env = append(env, "OPENCLAW_SERVICE_MARKER=openclaw", "OPENCLAW_SERVICE_KIND=gateway")
	}
	// SHELL is asked for the login PATH only where it is a line of /etc/shells. The gateway sees another /etc: a mount on the one
	// file would be gone as soon as anybody replaces that.
	argv := append([]string{"unshare", "--mount", "--map-root-user", "sh", "-ec",
		`cp -a /etc "$1" 2> /dev/null || true; cp "$2" "$1/shells"; mount --bind "$1" /etc; shift 2; exec "$@"`,
		"sh", filepath.Join(o.dir, "etc"), filepath.Join(o.dir, "shells")}, openclaw...)
	p = start(t, work, filepath.Join(o.dir, "gateway.log"), env, append(argv, "gateway", "run"), nil)
	url = fmt.Sprintf("http://127.0.0.1:%d", port)
	ready := false
	wait(patience, func() bool {
		if answer, err := http.Get(url + "/readyz"); err == nil {
			answer.Body.Close()
			ready = answer.StatusCode == http.StatusOK
		}
		return ready || p.hasExited()
	})
	if !ready {
		p.Process.Kill()
		t.Fatalf("the gateway is not ready:\n%s", p.log())
	}
	return p, url
}
