package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/heavy-run/heavy-run/internal/words"
)

// prefixVariable is the variable that Claude Code puts in front of what it runs; the "env" object of its settings sets it.
const prefixVariable = "CLAUDE_CODE_SHELL_PREFIX"

// editShellPrefix sets the variable in a settings.json to prefix, or takes it out where it is prefix. It exists for
// scripts/install.sh, since no tool that knows JSON is on every machine. Someone's own value stays, with status 1. The new
// file takes the old one's place in one step, and a symbolic link stays one.
func (v voice) editShellPrefix(file, prefix string, unset bool) int {
	fail := func(err error) int {
		v.Say(fmt.Sprintf("%s is left as it is: %v", file, err))
		return words.StatusRefused
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := fs.FileMode(0o600)
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && unset:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		old = []byte("{}\n")
	case err != nil:
		return fail(err)
	default:
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
	}
	edit := settingPrefix
	if unset {
		edit = withoutPrefix
	}
	text, err := edit(old, prefix)
	if errors.Is(err, errOthersPrefix) {
		v.Say(fmt.Sprintf("%s is left as it is: %v", file, err))
		return 1
	}
	if err != nil {
		return fail(err)
	}
	if bytes.Equal(text, old) {
		return 0
	}
	if err := replaceFile(file, text, mode); err != nil {
		return fail(err)
	}
	return 0
}

func replaceFile(file string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	partial, err := os.CreateTemp(filepath.Dir(file), ".heavy-run-*.partial")
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name())
	_, err = partial.Write(text)
	err = errors.Join(err, partial.Chmod(mode), chownLike(partial, file), partial.Close())
	if err != nil {
		return err
	}
	return os.Rename(partial.Name(), file)
}

// chownLike gives the new file to whom the old one, or its directory, belongs: root may install for somebody else.
func chownLike(partial *os.File, file string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(file)
	if err != nil {
		info, err = os.Stat(filepath.Dir(file))
	}
	if err != nil {
		return err
	}
	st := info.Sys().(*syscall.Stat_t)
	return partial.Chown(int(st.Uid), int(st.Gid))
}

var errOthersPrefix = errors.New("it has a " + prefixVariable + " of its own")

// settingPrefix gives the settings with the variable set. Every other byte of them stays.
func settingPrefix(settings []byte, prefix string) ([]byte, error) {
	env, variable, err := findPrefix(settings)
	if err != nil {
		return nil, err
	}
	value, _ := json.Marshal(prefix)
	pair := fmt.Sprintf("%q: %s", prefixVariable, value)
	switch {
	case variable.found && variable.text(settings) == string(value):
		return settings, nil
	case variable.found:
		return nil, errOthersPrefix
	case env.found:
		return env.insert(settings, pair, "    "), nil
	}
	top, _ := member(settings, 0, "")
	return top.insert(settings, `"env": {`+"\n    "+pair+"\n  }", "  "), nil
}

// withoutPrefix gives the settings without the variable, and without an "env" that is empty then.
func withoutPrefix(settings []byte, prefix string) ([]byte, error) {
	env, variable, err := findPrefix(settings)
	value, _ := json.Marshal(prefix)
	switch {
	case err != nil:
		return nil, err
	case !variable.found:
		return settings, nil
	case variable.text(settings) != string(value):
		return nil, errOthersPrefix
	case env.members == 1:
		return env.remove(settings), nil
	}
	return variable.remove(settings), nil
}

// findPrefix finds the "env" object and the variable in it.
func findPrefix(settings []byte) (env, variable span, err error) {
	if !json.Valid(settings) {
		return env, variable, errors.New("it is not valid JSON")
	}
	if env, err = member(settings, 0, "env"); err != nil || !env.found {
		return env, variable, err
	}
	if variable, err = member(settings, env.start, prefixVariable); err != nil {
		return env, variable, fmt.Errorf(`its "env": %w`, err)
	}
	object, err := member(settings, env.start, "")
	env.members = object.members
	return env, variable, err
}

// span is a value within a JSON text, and its key where it has one.
type span struct {
	found      bool
	key        int // where the key begins
	start, end int // of the value
	members    int // of an object
}

func (s span) text(settings []byte) string { return string(settings[s.start:s.end]) }

// member finds the last member of that name, which is the one that counts, in the object that begins at or after offset.
// The empty name stands for the object itself.
func member(settings []byte, offset int, name string) (span, error) {
	d := json.NewDecoder(bytes.NewReader(settings[offset:]))
	at := func() int { return offset + int(d.InputOffset()) }
	open, err := d.Token()
	if err != nil {
		return span{}, err
	}
	if open != json.Delim('{') {
		return span{}, errors.New("not an object")
	}
	object := span{found: true, start: at() - 1}
	var named span
	for d.More() {
		before := at()
		key, err := d.Token()
		if err != nil {
			return span{}, err
		}
		s := span{found: true, key: before + bytes.IndexByte(settings[before:], '"')}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return span{}, err
		}
		s.end = at()
		s.start = s.end - len(value)
		object.members++
		if key == name {
			named = s
		}
	}
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		return span{}, err
	}
	object.end = at()
	if name == "" {
		return object, nil
	}
	return named, nil
}

// insert puts a member in front of an object's others, on a line of its own.
func (s span) insert(settings []byte, pair, indent string) []byte {
	rest := string(settings[s.start+1:])
	text := "\n" + indent + pair
	if s.members > 0 {
		text += ","
		if !strings.HasPrefix(strings.TrimLeft(rest, " \t\r"), "\n") {
			text += "\n" + indent
			rest = strings.TrimLeft(rest, " \t\r")
		}
	} else {
		text += "\n" + indent[2:]
		rest = strings.TrimLeft(rest, " \t\r\n")
	}
	return []byte(string(settings[:s.start+1]) + text + rest)
}

// remove takes out a member with its key and one of the commas beside it.
func (s span) remove(settings []byte) []byte {
	before := strings.TrimRight(string(settings[:s.key]), " \t\r\n")
	after := string(settings[s.end:])
	if next := strings.TrimLeft(after, " \t\r\n"); strings.HasPrefix(next, ",") {
		return []byte(before + next[1:])
	}
	return []byte(strings.TrimSuffix(before, ",") + after)
}
