package config

import (
	"math"
	"strconv"
	"time"

	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// Setting is the value of a key that is in force, and the line that decided it.
type Setting struct {
	Section string // "[Exec]"
	Key     string
	Value   string  // resolved; empty where it is unset
	Origin  *Origin // nil for the default
}

// Effective lists every key with its value where memory is bounded by bound bytes. Heavy=, Light= and Wrapper= have one
// setting for each of their lines.
func (s *Settings) Effective(bound uint64) []Setting {
	var out []Setting
	for _, section := range sections {
		for _, key := range section.keys {
			out = append(out, s.decided(section.name, key.name, bound)...)
		}
	}
	return out
}

// decided takes in the accepted lines once more, one by one, to see which made a difference: a user's line that is looser
// than the operator's is accepted and changes nothing.
func (s *Settings) decided(section, key string, bound uint64) []Setting {
	var lines []Setting // of a key that adds up
	replay := defaults()
	last := Setting{Section: section, Key: key, Value: replay.value(section, key, bound)}
	for i := range s.Origins {
		o := &s.Origins[i]
		replay.set(*o) // it was accepted before
		switch value := replay.value(section, key, bound); {
		case o.Section != section || o.Key != key: // may change the value all the same: a slice limits its scopes
			last.Value = value
		case o.Value == "":
			lines, last = nil, Setting{section, key, value, o}
		case adds(key):
			lines = append(lines, Setting{section, key, o.Value, o})
		case o.Operator || value != last.Value:
			last = Setting{section, key, value, o}
		}
	}
	if len(lines) > 0 {
		return lines
	}
	return []Setting{last}
}

func adds(key string) bool { return key == "Heavy" || key == "Light" || key == "Wrapper" }

// value writes the value of a key as it would stand in a file.
func (s *Settings) value(section, key string, bound uint64) string {
	l := s.Limits(bound)
	switch section + key {
	case "[Exec]Enforcement":
		return s.Enforcement.String()
	case "[Exec]Shell":
		return s.Shell
	case "[Exec]Sandboxed":
		if s.SandboxedAdjust {
			return "adjust"
		}
		return "refuse"
	case "[Exec]All":
		if s.All {
			return "yes"
		}
		return "no"
	case "[Exec]MaxRunning":
		return strconv.Itoa(s.MaxRunning(bound))
	case "[Exec]WaitSec":
		return span(s.Wait())
	case "[Scope]Slice":
		return s.Slice
	case "[Scope]MemoryMax":
		return limits.FormatSize(l.MemoryMax)
	case "[Scope]MemorySwapMax":
		return limits.FormatSize(l.MemorySwapMax)
	case "[Scope]TasksMax":
		return limits.FormatCount(l.TasksMax)
	case "[Scope]CPUWeight":
		return unlessZero(l.CPUWeight, "")
	case "[Scope]CPUQuota":
		return unlessZero(uint64(l.CPUQuota/(time.Second/100)), "%")
	case "[Scope]IOWeight":
		return unlessZero(l.IOWeight, "")
	case "[Scope]OOMPolicy":
		return l.OOMPolicy
	case "[Scope]RuntimeMaxSec":
		if l.RuntimeMax != 0 {
			return span(l.RuntimeMax)
		}
	case "[Slice]MemoryMax":
		memory, _ := s.SliceLimits(bound)
		return limits.FormatSize(memory)
	}
	return ""
}

func span(d time.Duration) string {
	if d == math.MaxInt64 {
		return "infinity"
	}
	return limits.FormatSpan(d)
}

func unlessZero(n uint64, unit string) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10) + unit
}

// defaults are the settings where no file says anything.
func defaults() *Settings {
	return &Settings{Enforcement: Isolate, Slice: scope.DefaultSlice, wait: DefaultWait}
}

// set takes in one line. An empty value of the operator's takes the key back to its default, as in systemd's own files.
func (s *Settings) set(o Origin) error {
	if o.Value == "" && o.Operator {
		s.reset(o.Section, o.Key)
	} else if err := sectionNamed(o.Section).key(o.Key).set(s, o.Key, o.Value, o.Operator); err != nil {
		return err
	}
	s.Origins = append(s.Origins, o)
	return nil
}

func (s *Settings) reset(section, key string) {
	kept := defaults()
	kept.Problems = s.Problems
	for _, o := range s.Origins {
		if o.Section != section || o.Key != key {
			kept.set(o)
		}
	}
	*s = *kept
}
