package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// section is one section of a configuration file with its keys.
type section struct {
	name string
	keys []key
}

// key is one key: set stores its value or says what is wrong with it. operator is false where the file may only tighten.
type key struct {
	name string
	set  func(s *Settings, key, text string, operator bool) error
}

// sections is every key there is. Names, where systemd has one, are systemd's; see systemd.resource-control(5).
var sections = []section{
	{"[Exec]", []key{
		{"Enforcement", setEnforcement},
		{"Shell", setShell},
		{"Sandboxed", setSandboxed},
		{"All", setAll},
		{"Heavy", addRule},
		{"Light", addRule},
		{"Wrapper", addRule},
		{"MaxRunning", setMaxRunning},
		{"WaitSec", setWait},
	}},
	{"[Scope]", []key{
		{"Slice", setSlice},
		{"MemoryMax", addScope(checkMemory)},
		{"MemorySwapMax", addScope(checkSize)},
		{"TasksMax", addScope(checkTasks)},
		{"CPUWeight", addScope(checkWeight)},
		{"CPUQuota", addScope(checkQuota)},
		{"IOWeight", addScope(checkWeight)},
		{"OOMPolicy", addScope(checkPolicy)},
		{"RuntimeMaxSec", addScope(checkSpan)},
	}},
	{"[Slice]", []key{
		{"MemoryMax", addSlice(checkMemory)},
	}},
}

func sectionNamed(name string) *section {
	for i := range sections {
		if sections[i].name == name {
			return &sections[i]
		}
	}
	return nil
}

func (s *section) key(name string) *key {
	for i := range s.keys {
		if s.keys[i].name == name {
			return &s.keys[i]
		}
	}
	return nil
}

// nearest suggests the key that was probably meant.
func (s *section) nearest(name string) string {
	best, least := "", len(name)/2+1
	for _, k := range s.keys {
		if d := distance(strings.ToLower(name), strings.ToLower(k.name)); d < least {
			best, least = k.name, d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best
}

// distance is the number of letters to insert, delete or change between a and b (Levenshtein's).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

var errLoosens = errors.New("only the operator may set this, in " + SystemFile)

// ParseEnforcement reads the name of an enforcement.
func ParseEnforcement(text string) (Enforcement, bool) {
	i := slices.Index(enforcements[:], text)
	return Enforcement(max(i, 0)), i >= 0
}

func setEnforcement(s *Settings, _, text string, operator bool) error {
	e, ok := ParseEnforcement(text)
	switch {
	case !ok:
		return fmt.Errorf("%q is none of isolate, refuse, adjust, off", text)
	case !operator && e < s.Enforcement:
		return fmt.Errorf("%q is looser than %q: only the operator may loosen, in %s", text, s.Enforcement, SystemFile)
	}
	s.Enforcement = e
	return nil
}

func setShell(s *Settings, _, text string, operator bool) error {
	if !operator {
		return errLoosens
	}
	if !strings.HasPrefix(text, "/") {
		return fmt.Errorf("%q is not an absolute path", text)
	}
	s.Shell = text
	return nil
}

func setSandboxed(s *Settings, _, text string, operator bool) error {
	switch text {
	case "refuse":
		s.SandboxedAdjust = false
	case "adjust":
		if !operator {
			return errLoosens
		}
		s.SandboxedAdjust = true
	default:
		return fmt.Errorf("%q is none of refuse, adjust", text)
	}
	return nil
}

func setAll(s *Settings, _, text string, operator bool) error {
	all, err := parseBool(text)
	if err != nil {
		return err
	}
	if !all && !operator {
		return errLoosens
	}
	s.All = all
	return nil
}

// addRule adds a Heavy=, Light= or Wrapper= line. A user may fear more than the operator, never less.
func addRule(s *Settings, key, text string, operator bool) error {
	if !operator && key != "Heavy" {
		return errLoosens
	}
	return detect.ParseExtra(&s.Rules, key, text)
}

func setMaxRunning(s *Settings, _, text string, operator bool) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is not a number of commands, at least 1", text)
	}
	switch {
	case operator:
		s.maxRunning = int(n)
	case s.maxRunningTop == 0 || int(n) < s.maxRunningTop:
		s.maxRunningTop = int(n)
	}
	return nil
}

func setWait(s *Settings, _, text string, operator bool) error {
	span, err := limits.ParseSpan(text)
	if err != nil {
		return err
	}
	if text == "infinity" {
		span = math.MaxInt64
	}
	if operator || span < s.wait {
		s.wait = span
	}
	return nil
}

// DefaultWait is how long a heavy command waits for its turn.
const DefaultWait = 10 * time.Minute

// Wait is how long a heavy command may wait for its turn.
func (s *Settings) Wait() time.Duration { return s.wait }

// MaxRunning is how many heavy commands may run at once where memory is bounded by bound bytes.
func (s *Settings) MaxRunning(bound uint64) int {
	n := cmp.Or(s.maxRunning, limits.DefaultRunning(bound))
	return min(n, cmp.Or(s.maxRunningTop, n))
}

func setSlice(s *Settings, _, text string, operator bool) error {
	if !operator {
		return errLoosens
	}
	if !scope.ValidSlice(text) {
		return fmt.Errorf("%q is not the name of a slice", text)
	}
	s.Slice = text
	return nil
}

func addScope(check func(string) error) func(*Settings, string, string, bool) error {
	return func(s *Settings, key, text string, operator bool) error {
		if err := check(text); err != nil {
			return err
		}
		s.scope = append(s.scope, value{key, text, !operator})
		return nil
	}
}

func addSlice(check func(string) error) func(*Settings, string, string, bool) error {
	return func(s *Settings, key, text string, operator bool) error {
		if err := check(text); err != nil {
			return err
		}
		s.slice = append(s.slice, value{key, text, !operator})
		return nil
	}
}

// checkMemory refuses what would be no limit, or a limit under which nothing starts: it must never be possible to write a
// line that looks like a limit and is none.
func checkMemory(text string) error {
	n, err := limits.ParseSize(text, 100*limits.Floor)
	switch {
	case err != nil:
		return err
	case n == limits.Infinity:
		return errors.New("infinity is no limit; Enforcement=adjust runs heavy commands without one")
	case n < limits.Floor:
		return fmt.Errorf("%s is below %s, under which nothing starts", text, limits.FormatSize(limits.Floor))
	}
	return nil
}

func checkSize(text string) error {
	_, err := limits.ParseSize(text, 100)
	return err
}

func checkTasks(text string) error {
	n, err := limits.ParseSize(text, limits.DefaultTasks)
	if err == nil && n < limits.FloorTasks {
		err = fmt.Errorf("%s is below %d, under which nothing starts", text, limits.FloorTasks)
	}
	return err
}

func checkWeight(text string) error {
	if n, err := strconv.ParseUint(text, 10, 64); err != nil || n < 1 || n > 10000 {
		return fmt.Errorf("%q is not a weight between 1 and 10000", text)
	}
	return nil
}

func checkQuota(text string) error {
	_, err := parseQuota(text)
	return err
}

// parseQuota reads CPUQuota= as systemd does: a percentage of one CPU, so 150% is one and a half.
func parseQuota(text string) (time.Duration, error) {
	percent, ok := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(percent, 64)
	if !ok || err != nil || !(f >= 1 && f <= 1e6) {
		return 0, fmt.Errorf("%q is not a percentage of one CPU (as in 150%%)", text)
	}
	return time.Duration(f / 100 * float64(time.Second)), nil
}

func checkPolicy(text string) error {
	if text != "continue" && text != "stop" && text != "kill" {
		return fmt.Errorf("%q is none of continue, stop, kill", text)
	}
	return nil
}

func checkSpan(text string) error {
	_, err := limits.ParseSpan(text)
	return err
}

// parseBool takes what systemd takes; see systemd.syntax(7).
func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "1", "yes", "y", "true", "t", "on":
		return true, nil
	case "0", "no", "n", "false", "f", "off":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither yes nor no", text)
}

// Tighten adds a limit from a flag, as NAME=VALUE with the names of the [Scope] section. It can only lower what the files say.
func (s *Settings) Tighten(assignment string) error {
	name, text, ok := strings.Cut(assignment, "=")
	scope := sectionNamed("[Scope]")
	key := scope.key(name)
	switch {
	case !ok:
		return fmt.Errorf("%q is not of the form NAME=VALUE", assignment)
	case key == nil || name == "Slice":
		return fmt.Errorf("unknown property %q%s", name, scope.nearest(name))
	}
	if err := s.set(Origin{scope.name, name, text, "command line", 0, false}); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// TightenWait shortens the wait of a heavy command to text, a time span.
func (s *Settings) TightenWait(text string) error {
	return s.set(Origin{"[Exec]", "WaitSec", text, "command line", 0, false})
}

// SliceLimits resolves MemoryMax and MemorySwapMax of the slice, in bytes, where its memory is bounded by bound bytes. All heavy
// commands together may swap as much as the operator lets one.
func (s *Settings) SliceLimits(bound uint64) (memory, swap uint64) {
	memory = limits.DefaultSlice(bound)
	for _, v := range s.slice {
		apply(&memory, v, bound)
	}
	for _, v := range s.scope {
		if v.key == "MemorySwapMax" && !v.tightens {
			apply(&swap, v, bound)
		}
	}
	return memory, swap
}

// Limits resolves the limits of a scope for a process that is bounded by bound bytes of memory. Every size is the operator's,
// or the default, lowered by whatever tightens it, and never above what a slice would have there.
func (s *Settings) Limits(bound uint64) scope.Limits {
	slice, _ := s.SliceLimits(bound)
	l := scope.Limits{
		MemoryMax: limits.DefaultScope(slice),
		TasksMax:  limits.DefaultTasks,
		OOMPolicy: "continue",
	}
	for _, v := range s.scope {
		switch v.key {
		case "MemoryMax":
			apply(&l.MemoryMax, v, bound)
		case "MemorySwapMax":
			apply(&l.MemorySwapMax, v, bound)
		case "TasksMax":
			apply(&l.TasksMax, v, limits.DefaultTasks)
		case "CPUWeight":
			applyWeight(&l.CPUWeight, v)
		case "IOWeight":
			applyWeight(&l.IOWeight, v)
		case "CPUQuota":
			quota, _ := parseQuota(v.text)
			tighten(&l.CPUQuota, quota, v.tightens)
		case "RuntimeMaxSec":
			span, _ := limits.ParseSpan(v.text)
			tighten(&l.RuntimeMax, span, v.tightens)
		case "OOMPolicy":
			if !v.tightens || v.text != "continue" {
				l.OOMPolicy = v.text
			}
		}
	}
	l.MemoryMax = max(min(l.MemoryMax, slice), limits.Floor)
	return l
}

// apply resolves a size that was checked when it was read.
func apply(to *uint64, v value, total uint64) {
	n, err := limits.ParseSize(v.text, total)
	if err != nil {
		return
	}
	if !v.tightens || n < *to {
		*to = n
	}
}

// applyWeight takes over a weight that was checked when it was read. Where none is set systemd's is 100, so less than that
// tightens.
func applyWeight(to *uint64, v value) {
	n, _ := strconv.ParseUint(v.text, 10, 64)
	if v.tightens {
		n = min(n, cmp.Or(*to, 100))
	}
	*to = n
}

// tighten takes over a duration for which zero means unset.
func tighten(to *time.Duration, n time.Duration, tightens bool) {
	if !tightens || *to == 0 || (n != 0 && n < *to) {
		*to = n
	}
}
