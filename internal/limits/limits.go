// Package limits reads and writes resource values as systemd does (sizes, percentages, infinity, time spans) and computes
// the limits that apply when nobody set any. It reads no files and knows no units: it is arithmetic on what it is given.
//
// Sizes are bytes, base 1024; see systemd.resource-control(5) MemoryMax= and systemd.time(7).
package limits

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Infinity is "no limit", as systemd carries it over D-Bus.
const Infinity = math.MaxUint64

// Floor is the least MemoryMax that is accepted, in bytes. Below it nothing that is worth isolating starts, and a tiny limit
// makes systemd itself spin in the OOM killer (systemd issue 40208).
const Floor = 16 << 20

// FloorTasks is the least TasksMax that is accepted, in processes and threads: the supervising parent alone has a dozen.
const FloorTasks = 32

const gib = 1 << 30

// ParseSize reads a size in systemd's syntax: bytes with an optional suffix K, M, G, T, P or E, a percentage of total, or
// "infinity".
func ParseSize(s string, total uint64) (uint64, error) {
	s = strings.TrimSpace(s)
	if s == "infinity" {
		return Infinity, nil
	}
	if percent, ok := strings.CutSuffix(s, "%"); ok {
		f, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(f >= 0 && f <= 100) {
			return 0, fmt.Errorf("%q is not a percentage between 0%% and 100%%", s)
		}
		return uint64(f / 100 * float64(total)), nil
	}
	number, shift := s, 0
	if s != "" {
		if i := strings.IndexByte("BKMGTPE", s[len(s)-1]); i >= 0 {
			number, shift = s[:len(s)-1], 10*i
		}
	}
	if n, err := strconv.ParseUint(number, 10, 64); err == nil {
		if n > (Infinity-1)>>shift {
			return 0, fmt.Errorf("%q is too large", s)
		}
		return n << shift, nil
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || !(f >= 0) || strings.ContainsAny(number, "eExXpPiI_+") {
		return 0, fmt.Errorf("%q is not a size (bytes, or with K, M, G or T; a percentage; or infinity)", s)
	}
	f = math.Ldexp(f, shift)
	if f >= math.MaxUint64 {
		return 0, fmt.Errorf("%q is too large", s)
	}
	return uint64(f), nil
}

// FormatSize writes bytes shortly and for a person: "64M", "3.7G", "infinity".
func FormatSize(n uint64) string {
	switch n {
	case Infinity:
		return "infinity"
	case 0:
		return "0"
	}
	const units = "BKMGTPE"
	unit, f := 0, float64(n)
	for f >= 1024 && unit < len(units)-1 {
		f /= 1024
		unit++
	}
	text := strconv.FormatFloat(f, 'f', 1, 64)
	if f >= 99.95 || strings.HasSuffix(text, ".0") {
		text = strconv.FormatFloat(f, 'f', 0, 64)
	}
	if unit == 0 {
		return text + "B"
	}
	return text + units[unit:unit+1]
}

// FormatCount writes a number as a unit file takes it.
func FormatCount(n uint64) string {
	if n == Infinity {
		return "infinity"
	}
	return strconv.FormatUint(n, 10)
}

// ParseSpan reads a time span in systemd's syntax: seconds, or units one after another as in "1h 30min"; "infinity" and 0
// mean none and give 0.
func ParseSpan(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	if s == "infinity" {
		return 0, nil
	}
	bad := fmt.Errorf("%q is not a time span (as in 90, 30s, 10min, 1h 30min)", s)
	if s == "" {
		return 0, bad
	}
	var total time.Duration
	for rest := s; rest != ""; {
		end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if end == 0 {
			return 0, bad
		}
		if end < 0 {
			end = len(rest)
		}
		number, err := strconv.ParseFloat(rest[:end], 64)
		if err != nil {
			return 0, bad
		}
		rest = strings.TrimLeft(rest[end:], " ")
		end = strings.IndexFunc(rest, func(r rune) bool { return r == ' ' || (r >= '0' && r <= '9') })
		if end < 0 {
			end = len(rest)
		}
		unit, ok := spanUnit(rest[:end])
		if !ok {
			return 0, bad
		}
		span := number * float64(unit)
		if span > float64(math.MaxInt64-total) {
			return 0, fmt.Errorf("%q is too long", s)
		}
		total += time.Duration(span)
		rest = strings.TrimLeft(rest[end:], " ")
	}
	return total, nil
}

func spanUnit(name string) (time.Duration, bool) {
	switch name {
	case "us", "usec":
		return time.Microsecond, true
	case "ms", "msec":
		return time.Millisecond, true
	case "", "s", "sec", "second", "seconds":
		return time.Second, true
	case "m", "min", "minute", "minutes":
		return time.Minute, true
	case "h", "hr", "hour", "hours":
		return time.Hour, true
	case "d", "day", "days":
		return 24 * time.Hour, true
	}
	return 0, false
}

// FormatSpan writes a time span as ParseSpan reads it: "1h 30min", "250ms".
func FormatSpan(d time.Duration) string {
	text := ""
	for _, unit := range []struct {
		name string
		span time.Duration
	}{{"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}} {
		if n := d / unit.span; n > 0 {
			text += strconv.FormatInt(int64(n), 10) + unit.name + " "
			d %= unit.span
		}
	}
	if text == "" {
		return "0s"
	}
	return strings.TrimSuffix(text, " ")
}

// DefaultSlice is the MemoryMax of all heavy commands together on a machine (or in a container) bounded by total bytes:
// all but a quarter, of which at least 512 MiB and at most 4 GiB are kept. What is kept belongs to the agent, its gateway
// (2.1 GiB was measured for OpenClaw's) and the system: 1 GiB on a 4 GiB VPS, 4 GiB on a 64 GiB workstation.
func DefaultSlice(total uint64) uint64 {
	reserve := min(max(total/4, 512<<20), 4*gib)
	return max(total-min(reserve, total/2), Floor)
}

// DefaultScope is the MemoryMax of one heavy command, given the slice's. On a small machine one command may use all that
// the slice has, since a type-aware linter alone takes 3.7 GiB; from 16 GiB on, three quarters, so that one runaway cannot
// make the kernel kill its neighbours.
func DefaultScope(slice uint64) uint64 {
	if slice < 12*gib {
		return slice
	}
	return max(slice/4*3, 12*gib)
}

// DefaultTasks is the TasksMax of one heavy command: a hundred times what test runners start, a thirtieth of what a fork
// bomb needs to fill the kernel's default pid space of 4194304 on a small machine's 32768.
const DefaultTasks = 4096

// Need is how much memory must be available before a heavy command with that MemoryMax starts on a machine of total bytes: an
// eighth, which is 512 MiB on a 4 GiB VPS. A command mostly takes far less than its limit, and then far more than nothing.
func Need(total, memoryMax uint64) uint64 { return min(total/8, memoryMax) }

// DefaultRunning is how many heavy commands run at once: one for every 8 GiB, at least one, at most four.
func DefaultRunning(total uint64) int { return int(min(max(total/(8*gib), 1), 4)) }
