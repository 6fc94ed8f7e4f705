// Package config reads the settings of both programs from unit files and keeps for each value where it came from. The
// operator's files set; the user's only tighten. It reads no environment and prints nothing: a line that it cannot use
// becomes a Problem, and the rest of the file stands.
package config

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/unit"
	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/plainfile"
)

// FileName is the name of every configuration file; SystemFile is the operator's.
const (
	FileName   = "heavy-run.conf"
	SystemFile = "/etc/heavy-run/heavy-run.conf"
)

// Enforcement is what is done with a heavy command. The greater one is the stricter.
type Enforcement int

// The enforcements, from the loosest to the strictest. See heavy-run.conf(5).
const (
	Off     Enforcement = iota // nothing at all
	Adjust                     // raise oom_score_adj only: a sandbox without systemd
	Isolate                    // put heavy commands into a scope; the default
	Refuse                     // refuse heavy commands, name heavy-run
)

var enforcements = [...]string{Off: "off", Adjust: "adjust", Isolate: "isolate", Refuse: "refuse"}

func (e Enforcement) String() string { return enforcements[e] }

// Settings are the resolved settings of one run.
type Settings struct {
	Enforcement     Enforcement
	Shell           string // the operator's inner shell for the shell form; empty for bash from PATH
	SandboxedAdjust bool   // a heavy command inside a client's own sandbox is adjusted and run, not refused
	All             bool   // every command goes into a scope
	Rules           detect.Extra
	Slice           string

	maxRunning    int // the operator's; 0 for the default
	maxRunningTop int // no more, say the others; 0 for nothing said
	wait          time.Duration

	scope, slice []value // limits, in the order in which they were read
	Problems     []Problem
	Origins      []Origin
}

// value is a limit as written. It is resolved only when a command is isolated: percentages need the machine's memory.
type value struct {
	key, text string
	tightens  bool
}

// Origin is a line that was accepted, for --show-config.
type Origin struct {
	Section, Key, Value string
	File                string // or what else said it
	Line                int    // 0 where there is none
	Operator            bool   // it could loosen
}

// Problem is a line that was ignored.
type Problem struct {
	File string
	Line int
	Key  string // empty where the line has none
	Text string
}

func (p Problem) String() string {
	where := p.File
	if p.Line > 0 {
		where += ":" + strconv.Itoa(p.Line)
	}
	if p.Key != "" {
		where += ": " + p.Key
	}
	return where + ": " + p.Text
}

// Source is a file to read.
type Source struct {
	Path     string
	Operator bool // its settings may loosen
}

// Sources lists the files for a program at exe run by a user whose home is home, in the order in which they apply: the
// operator's in /etc, the one beside the binary, the user's own. What the caller could have written is never the operator's,
// with one exception: a binary that was put into a sandbox together with its settings, where no file in /etc exists.
func Sources(exe, home string) []Source {
	sources := []Source{{SystemFile, true}}
	if exe != "" {
		beside := path.Join(path.Dir(exe), FileName)
		if _, err := os.Lstat(beside); err == nil {
			sources = append(sources, Source{beside, guarded(exe, beside) || materialized(exe)})
		}
	}
	if home != "" {
		sources = append(sources, Source{path.Join(home, ".config/heavy-run", FileName), false})
	}
	return sources
}

// guarded says that the caller can change none of the binary, the file beside it and their directory. Root can change
// everything, and is the operator.
func guarded(exe, beside string) bool {
	if os.Geteuid() == 0 {
		return true
	}
	for _, p := range []string{exe, beside, path.Dir(exe)} {
		var st unix.Stat_t
		if unix.Stat(p, &st) != nil || int(st.Uid) == os.Geteuid() || unix.Access(p, unix.W_OK) == nil {
			return false
		}
	}
	return true
}

// materialized says that this is a sandbox's own copy of the binary: no operator's file exists on the machine, and the
// binary has one link, so that nobody linked a host's binary into a directory of his own.
func materialized(exe string) bool {
	if _, err := os.Lstat(SystemFile); !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	info, err := os.Stat(exe)
	return err == nil && info.Sys().(*syscall.Stat_t).Nlink == 1
}

// Load reads the sources in order. A file that is not there is no problem, one that cannot be read is.
func Load(sources []Source) *Settings {
	s := defaults()
	for _, source := range sources {
		data, err := plainfile.Read(source.Path, maxFile)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) { // a home may be /dev/null
			continue
		}
		if err != nil {
			s.problem(source.Path, 0, "", errors.Unwrap(err).Error())
			continue
		}
		s.read(source, string(data))
	}
	return s
}

// maxFile is the size, in bytes, up to which a configuration file is read.
const maxFile = 1 << 20

// read takes the file line by line: go-systemd's reader stops at the first line that it does not like and counts none.
func (s *Settings) read(source Source, data string) {
	var current *section
	lines := strings.Split(strings.TrimPrefix(data, "\ufeff"), "\n") // systemd takes a byte order mark too
	for i := 0; i < len(lines); i++ {
		number := i + 1
		line := strings.TrimSpace(lines[i])
		if line == "" || isComment(line) {
			continue
		}
		for strings.HasSuffix(line, `\`) { // a space stands for it and the line's end; comments in between do not count
			line = strings.TrimSpace(strings.TrimSuffix(line, `\`))
			for i++; i < len(lines) && isComment(strings.TrimSpace(lines[i])); i++ {
			}
			if i < len(lines) {
				line += " " + strings.TrimSpace(lines[i])
			}
		}
		if strings.HasPrefix(line, "[") {
			if current = sectionNamed(line); current == nil {
				s.problem(source.Path, number, "", "unknown section "+line+", known are [Exec], [Scope] and [Slice]; its lines are ignored")
				current = &section{}
			}
			continue
		}
		if current == nil {
			s.problem(source.Path, number, "", "a line before the first section")
			continue
		}
		if current.name == "" {
			continue
		}
		options, err := unit.DeserializeOptions(strings.NewReader(current.name + "\n" + line + "\n"))
		if err != nil || len(options) != 1 {
			s.problem(source.Path, number, "", "not a line of the form Key=Value")
			continue
		}
		name, text := options[0].Name, options[0].Value
		if current.key(name) == nil {
			s.problem(source.Path, number, name, "unknown key in "+current.name+current.nearest(name))
			continue
		}
		if err := s.set(Origin{current.name, name, text, source.Path, number, source.Operator}); err != nil {
			s.problem(source.Path, number, name, err.Error())
		}
	}
}

func isComment(line string) bool { return strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") }

func (s *Settings) problem(file string, line int, key, text string) {
	s.Problems = append(s.Problems, Problem{file, line, key, text})
}
