package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	kib := strings.Repeat("x", 1024)
	for _, c := range []struct{ name, want, problem string }{
		{file("empty", ""), "", ""},
		{file("full", kib), kib, ""},
		{file("more", kib+"x"), "", "too large"},
		{fifo, "", "not a regular file"},
		{"/dev/zero", "", "not a regular file"},
		{dir, "", "not a regular file"},
		{filepath.Join(dir, "none"), "", "no such file"},
	} {
		data, err := Read(c.name, 1024)
		if string(data) != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %d bytes, %v; want %d, %q", c.name, len(data), err, len(c.want), c.problem)
		}
	}
	if _, err := Read(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	// as long as it likes, and of no size beforehand
	want, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := Read("/proc/self/mountinfo", 1<<20); string(data) != string(want) {
		t.Errorf("%d bytes of %d, %v", len(data), len(want), err)
	}
}
