// Package heavyrun holds the tests that are about the source tree as a whole.
package heavyrun

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/heavy-run/heavy-run/"

// arrows are the imports that a package may have within this module, and the modules that it may reach through anything it
// imports. They are the graph of ARCHITECTURE.md.
var arrows = map[string]struct{ packages, modules []string }{
	"internal/admission": {nil, []string{"golang.org/x/sys"}},
	"internal/cgroup":    {[]string{"internal/limits", "internal/plainfile"}, []string{"golang.org/x/sys"}},
	"internal/config":    {[]string{"internal/detect", "internal/limits", "internal/plainfile", "internal/scope"}, []string{"mvdan.cc/sh", "github.com/coreos/go-systemd", "github.com/godbus/dbus", "golang.org/x/sys"}},
	"internal/detect":    {[]string{"internal/shellargs"}, []string{"mvdan.cc/sh"}},
	"internal/doctor":    {[]string{"internal/scope"}, []string{"github.com/coreos/go-systemd", "github.com/godbus/dbus", "golang.org/x/sys"}},
	"internal/guard":     {[]string{"internal/admission", "internal/limits", "internal/cgroup", "internal/config", "internal/detect", "internal/launch", "internal/oomadj", "internal/plan", "internal/scope"}, []string{"mvdan.cc/sh", "github.com/coreos/go-systemd", "github.com/godbus/dbus", "golang.org/x/sys"}},
	"internal/inherit":   {nil, nil},
	"internal/journal":   {[]string{"internal/detect"}, []string{"mvdan.cc/sh", "github.com/coreos/go-systemd", "golang.org/x/sys"}},
	"internal/launch":    {[]string{"internal/inherit"}, []string{"golang.org/x/sys"}},
	"internal/limits":    {nil, nil},
	"internal/oomadj":    {[]string{"internal/plainfile"}, []string{"golang.org/x/sys"}},
	"internal/plainfile": {nil, []string{"golang.org/x/sys"}},
	"internal/plan":      {[]string{"internal/config", "internal/detect"}, []string{"mvdan.cc/sh", "github.com/coreos/go-systemd", "github.com/godbus/dbus", "golang.org/x/sys"}},
	"internal/scope":     {[]string{"internal/cgroup", "internal/limits"}, []string{"github.com/coreos/go-systemd", "github.com/godbus/dbus", "golang.org/x/sys"}},
	"internal/shellargs": {nil, nil},
	"internal/words":     {[]string{"internal/admission", "internal/config", "internal/detect", "internal/guard", "internal/journal", "internal/launch", "internal/limits", "internal/scope"}, []string{"mvdan.cc/sh", "github.com/coreos/go-systemd", "github.com/godbus/dbus", "golang.org/x/sys"}},
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %q: %v", args, err)
	}
	return strings.Fields(string(out))
}

func TestArrows(t *testing.T) {
	for _, pkg := range list(t, "./internal/...") {
		name := strings.TrimPrefix(pkg, module)
		if name == "internal/testbin" || name == "internal/livetest" || name == "internal/clienttest" {
			continue // imported by tests only
		}
		allowed, ok := arrows[name]
		if !ok {
			t.Errorf("%s is not in the graph: add it here and to ARCHITECTURE.md", name)
			continue
		}
		imports := list(t, "-f", `{{join .Imports "\n"}}`, pkg)
		for _, may := range allowed.packages {
			if !slices.Contains(imports, module+may) {
				t.Errorf("%s does not import %s any more", name, may)
			}
		}
		for _, imported := range imports {
			if inner, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(allowed.packages, inner) {
				t.Errorf("%s imports %s", name, inner)
			}
		}
		for _, dep := range list(t, "-deps", pkg) {
			first, _, _ := strings.Cut(dep, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(dep, module) {
				continue
			}
			if !slices.ContainsFunc(allowed.modules, func(m string) bool { return strings.HasPrefix(dep, m) }) {
				t.Errorf("%s reaches %s", name, dep)
			}
		}
	}
}

// TestInternalPackagesOnlyReturn: they never print, read the environment or end the process.
func TestInternalPackagesOnlyReturn(t *testing.T) {
	forbidden := []string{"os.Std", "fmt.Print", "os.Exit", "os.Getenv", "log.", "syscall.Exit", "unix.Exit"}
	err := filepath.WalkDir("internal", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "testbin" || d.Name() == "livetest" || d.Name() == "clienttest") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for number, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			for _, word := range forbidden {
				if i := strings.Index(code, word); i >= 0 && (i == 0 || !isLetter(code[i-1])) {
					t.Errorf("%s:%d: %s", path, number+1, strings.TrimSpace(line))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// TestEveryPackageSaysWhatItDoes: a package comment of more than one line.
func TestEveryPackageSaysWhatItDoes(t *testing.T) {
	for _, dir := range list(t, "-f", "{{.Dir}}", "./cmd/...", "./internal/...") {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		longest := ""
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if text := f.Doc.Text(); len(text) > len(longest) {
				longest = text
			}
		}
		if strings.Count(longest, "\n") < 2 {
			t.Errorf("%s: package comment %q", dir, longest)
		}
	}
}
