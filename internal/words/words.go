// Package words holds what both programs say about an isolated or refused command. Each function gives whole lines without
// the program's name; the last line is the short imperative one, because clients show a model the tail of the output.
package words

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/scope"
)

// NotIsolated is the refusal of a command that must be isolated and cannot be.
func NotIsolated(subject string, err error) []string {
	lines := []string{fmt.Sprintf("refused %q, it cannot be isolated: %v", subject, err)}
	if e := new(scope.Error); errors.As(err, &e) {
		lines = append(lines, "the operator can mend it: "+e.Cause.Mend())
	}
	return append(lines, "nothing was run: run something lighter, or ask the operator for isolation")
}

// Cause is the stable name of why isolation failed, for logs.
func Cause(err error) string {
	if e := new(scope.Error); errors.As(err, &e) {
		return e.Cause.String()
	}
	return "other"
}

// RefusedByPolicy is the refusal under Enforcement=refuse.
func RefusedByPolicy(v detect.Verdict) []string {
	return []string{
		fmt.Sprintf("refused %q (%s): %s", v.Command, v.Rule, v.Reason),
		"nothing was run: use " + HeavyRun(v),
	}
}

// Waiting is said once, when a heavy command begins to wait.
func Waiting(others []admission.Place, why string) string {
	var running []string
	ahead := 0
	for _, o := range others {
		if o.Running {
			running = append(running, fmt.Sprintf("%q %s", o.Subject, o.Since.Round(time.Second)))
		} else {
			ahead++
		}
	}
	text := "waiting for its turn: "
	if why != "" {
		text = "waiting for memory (" + why + "): "
	}
	text += fmt.Sprintf("%d running", len(running))
	if len(running) > 0 {
		text += ", " + strings.Join(running, ", ")
	}
	if ahead > 0 {
		text += fmt.Sprintf("; %d ahead", ahead)
	}
	return text
}

// NoRoom is said when the wait was in vain.
func NoRoom(subject string, waited time.Duration) []string {
	return []string{
		fmt.Sprintf("no room for %q after %s: other heavy commands hold the machine", subject, waited.Round(time.Second)),
		"nothing was run: try again later",
	}
}

// maxQuoted is the length up to which a command is repeated in full for the reader to copy.
const maxQuoted = 400

// HeavyRun is the command line that runs the judged string isolated.
func HeavyRun(v detect.Verdict) string {
	switch {
	case len(v.Inner) > maxQuoted:
		return "heavy-run -c '…the same command…'"
	case strings.TrimSpace(v.Inner) == v.Command && !strings.ContainsAny(v.Command, "\n;&|<>()$`#*?[{~!"):
		return "heavy-run -- " + v.Command
	}
	return "heavy-run -c " + Quote(v.Inner)
}

// OutOfMemory explains a kill by the kernel.
func OutOfMemory(what string, k scope.Kill) []string {
	processes := "a process"
	if k.Processes > 1 {
		processes = fmt.Sprintf("%d processes", k.Processes)
	}
	peak := ""
	if k.Peak > 0 {
		peak = ", peak " + limits.FormatSize(k.Peak)
	}
	const fewer = "use fewer workers or less input"
	switch k.Limit {
	case scope.ScopeLimit:
		return []string{
			fmt.Sprintf("out of memory: the kernel killed %s of %q at this command's limit (MemoryMax=%s%s)",
				processes, what, limits.FormatSize(k.Max), peak),
			fewer + ", or ask the operator for a higher MemoryMax= in " + config.SystemFile,
		}
	case scope.SliceLimit:
		return []string{
			fmt.Sprintf("out of memory: the kernel killed %s of %q at the limit of all heavy commands together (%s%s)",
				processes, what, limits.FormatSize(k.Max), peak),
			"run it again alone, or " + fewer,
		}
	}
	return []string{
		fmt.Sprintf("out of memory: the machine ran out and the kernel killed %s of %q below its own limit%s", processes, what, peak),
		"wait until the machine has free memory, or " + fewer,
	}
}

// Subject names a command by the words of its rule. Unit listings, messages and logs use it, since arguments and environment
// values may hold secrets.
func Subject(v detect.Verdict) string {
	switch {
	case v.Program == "":
		return v.Class.String() + " command"
	case v.Subcommand == "":
		return v.Program
	}
	return v.Program + " " + v.Subcommand
}

// Description is the Description= of the scope of a command that is named subject.
func Description(subject string, v detect.Verdict) string {
	if v.Rule == "" {
		return "heavy-run: " + subject
	}
	return "heavy-run: " + subject + " [" + v.Rule + "]"
}

// Quote writes a word so that a POSIX shell reads it back as it is.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:=@%+,-", r))
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''''`) + "'"
}
