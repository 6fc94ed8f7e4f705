package launch

import (
	"io/fs"
	"os"
	"path"
)

// Environment is the environment as it was at entry; it is handed on byte for byte, so it is only ever read.
type Environment []string

// Lookup gives the value of the variable name, and whether it is set.
func (e Environment) Lookup(name string) (string, bool) {
	for _, entry := range e {
		if len(entry) > len(name) && entry[len(name)] == '=' && entry[:len(name)] == name {
			return entry[len(name)+1:], true
		}
	}
	return "", false
}

// Get gives the value of the variable name, empty when it is not set.
func (e Environment) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Has says whether the variable name is set.
func (e Environment) Has(name string) bool {
	_, ok := e.Lookup(name)
	return ok
}

// Self is this very binary, under whatever name it was called.
type Self struct {
	Path string
	info fs.FileInfo // nil where /proc does not tell
}

// FindSelf finds this binary; without /proc it is unknown, and no file is taken for it.
func FindSelf() Self {
	const link = "/proc/self/exe"
	info, err := os.Stat(link)
	if err != nil {
		return Self{}
	}
	name, _ := os.Readlink(link)
	return Self{Path: name, info: info}
}

// Is says whether file is this binary: running it as the inner shell would never end.
func (s Self) Is(file string) bool {
	info, err := os.Stat(file)
	return err == nil && s.info != nil && os.SameFile(info, s.info)
}

// HeavyRun is how the heavy-run that was installed beside this binary can be called: by its name where PATH leads to it, else
// by its path. It is empty where there is none.
func (s Self) HeavyRun(searchPath string) string {
	beside := s.beside("heavy-run")
	switch {
	case s.IsHeavyRun("heavy-run", searchPath):
		return "heavy-run"
	case s.IsHeavyRun(beside, searchPath):
		return beside
	}
	return ""
}

func (s Self) beside(name string) string { return path.Join(path.Dir(s.Path), name) }

// IsHeavyRun says whether a command word means the heavy-run that was installed beside this binary. The name proves nothing:
// a workspace can hold a heavy-run of its own.
func (s Self) IsHeavyRun(word, searchPath string) bool {
	if path.Base(word) != "heavy-run" || s.Path == "" {
		return false
	}
	ours, err := os.Stat(s.beside("heavy-run"))
	if err != nil {
		return false
	}
	file, err := Look(word, searchPath, nil)
	if err != nil {
		return false
	}
	theirs, err := os.Stat(file)
	return err == nil && os.SameFile(ours, theirs)
}
