//go:build clients

package clienttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/heavy-run/heavy-run/internal/testbin"
)

// others are clients that are set up in one line, as docs/clients.md says: a light command and a refused one for each.
var others = []struct {
	name, variable string // in docs/clients.md, and of its installation
	argv           []string
	setup          func(o *other, url, shell string)
	exit125        string // what it says of the status
}{
	{"opencode", "OPENCODE", []string{"opencode", "run", "--model", "scripted/model", "run it"}, func(o *other, url, shell string) {
		o.env = append(o.env, "SHELL="+shell, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
		o.files[".config/opencode/opencode.json"] = object{"provider": object{"scripted": object{
			"npm": "@ai-sdk/openai-compatible", "options": object{"baseURL": url + "/v1", "apiKey": "made-up"}, "models": object{"model": object{}},
		}}}
	}, ""},
	{"pi", "PI", []string{"pi", "--provider", "scripted", "--model", "model", "-p", "run it"}, func(o *other, url, shell string) {
		o.env = append(o.env, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1")
		o.files[".pi/agent/settings.json"] = object{"shellPath": shell}
		o.files[".pi/agent/models.json"] = object{"providers": object{"scripted": object{
			"baseUrl": url + "/v1", "apiKey": "made-up", "api": "openai-completions", "models": []object{{"id": "model"}},
		}}}
	}, "\n\nCommand exited with code 125"},
}

// other is the environment of one run, and the JSON files of its user.
type other struct {
	env   []string
	files map[string]object
}

func TestOthers(t *testing.T) {
	for _, client := range others {
		t.Run(client.name, func(t *testing.T) {
			dir := t.TempDir()
			rows := []row{
				{name: "light", command: `echo "it's $((1+1))"; echo to-file > file`, want: `it's 2\n?`, leaves: "file"},
				{name: "heavy", command: `jest touch heavy/ran`, want: noOutput, behind: refused + `\n?` + client.exit125, quoted: "Refused", leaves: "heavy/ran"},
			}
			for i := range rows {
				rows[i].input = object{"description": "a command"} // opencode asks for it
			}
			run := func(shell string) outcome {
				for _, name := range []string{"home", "work", "bin"} {
					if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
						t.Fatal(err)
					}
				}
				home, work, bin := filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "bin")
				os.MkdirAll(filepath.Join(work, "heavy"), 0o755)
				write(t, bin, programs)
				m := newModel(t, "bash", script("bash", dir, rows)...)
				packages := filepath.Join(installed(t, client.variable), "node_modules/.bin")
				o := other{[]string{
					"HOME=" + home, "PATH=" + bin + ":" + packages + ":" + installed(t, "NODE") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb", "USER=user",
				}, map[string]object{}}
				client.setup(&o, m.URL, shell)
				for name, content := range o.files {
					data, _ := json.Marshal(content)
					write(t, home, map[string]string{name: string(data)})
				}
				argv := append([]string{filepath.Join(packages, client.argv[0])}, client.argv[1:]...)
				p := start(t, work, filepath.Join(dir, "client.log"), o.env, argv, nil)
				if status := p.end(t); status != 0 {
					t.Errorf("it ended with status %d:\n%s", status, p.log())
				}
				return outcome{client.name, ordinary(m.results()), read(t, work)}
			}
			compare(t, rows, run("/bin/bash"), run(testbin.Path(t, "exec-prefix")))
		})
	}
}
