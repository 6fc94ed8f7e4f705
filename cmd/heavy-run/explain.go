package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/plan"
	"github.com/heavy-run/heavy-run/internal/words"
)

// explanation is a verdict with its plan, in the form that --json writes. Fields are only ever added.
type explanation struct {
	Class   string `json:"class"`
	Rule    string `json:"rule"`
	Command string `json:"command"` // the simple command that decides
	Start   int    `json:"start"`   // where it stands in the string, in bytes; -1 when nothing in it decided
	End     int    `json:"end"`
	Reason  string `json:"reason"`
	Opaque  bool   `json:"opaque"`
	Step    string `json:"step"` // exec, move, supervise or refuse
}

func explain(j guard.Judgement, text string) (explanation, detect.Verdict, plan.Plan) {
	v := j.Classify(text)
	p, _ := j.Decide(v, true)
	return explanation{
		Class: v.Class.String(), Rule: v.Rule, Command: v.Command, Start: v.Pos, End: v.End,
		Reason: v.Reason, Opaque: v.Opaque, Step: p.Step.String(),
	}, v, p
}

func (v voice) explain(j guard.Judgement, text string, asJSON bool) int {
	e, verdict, p := explain(j, text)
	if asJSON {
		return v.json(e)
	}
	var b strings.Builder
	mark(&b, text, verdict.Pos, verdict.End, isTerminal(v.stdout))
	b.WriteString("\n" + e.Class)
	if e.Rule != "" {
		b.WriteString(" by rule " + e.Rule)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	b.WriteString("\n" + inWords(p, j) + "\n")
	return v.print(b.String())
}

// inWords says what exec-prefix would do.
func inWords(p plan.Plan, j guard.Judgement) string {
	switch p.Step {
	case plan.Refuse:
		return "would be refused with status 125, and told to use heavy-run"
	case plan.Exec:
		if !p.Adjust {
			return "would run as it is: Enforcement=off"
		}
		return "would run in place, with oom_score_adj 1000"
	}
	text := "would run in a scope of " + j.Settings.Slice
	if group, err := cgroup.Current(); err == nil {
		if l, err := guard.Limits(j.Settings, group); err == nil {
			text += fmt.Sprintf(" with MemoryMax=%s MemorySwapMax=%s TasksMax=%s",
				limits.FormatSize(l.MemoryMax), limits.FormatSize(l.MemorySwapMax), limits.FormatCount(l.TasksMax))
		}
	}
	if p.Must {
		return text + ", or be refused with status 125 where that is impossible"
	}
	return text + ", or in place where that is impossible"
}

// mark writes text with the bytes from start to end marked: in bold on a terminal, by a line of carets elsewhere.
func mark(b *strings.Builder, text string, start, end int, terminal bool) {
	if start < 0 || end > len(text) || start >= end {
		start, end = 0, 0
	}
	if terminal {
		b.WriteString(text[:start] + "\x1b[1;31m" + text[start:end] + "\x1b[0m" + text[end:] + "\n")
		return
	}
	at := 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSuffix(line, "\n")
		b.WriteString(bare + "\n")
		from, to := max(start, at)-at, min(end, at+len(bare))-at
		if from < to {
			indent := strings.Map(func(r rune) rune {
				if r == '\t' {
					return r
				}
				return ' '
			}, bare[:from])
			b.WriteString(indent + strings.Repeat("^", utf8.RuneCountInString(bare[from:to])) + "\n")
		}
		at += len(line)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// request is one line of a batch.
type request struct {
	Command *string `json:"command"`
	Dir     string  `json:"cwd"`
}

// failure is what a bad line of a batch gets, so that lines in and out stay in step.
type failure struct {
	Error string `json:"error"`
	Line  int    `json:"line"`
}

// batch judges one JSON object a line. Whoever pipes a transcript through it sees each verdict as soon as it is there.
func (v voice) batch(j guard.Judgement, in io.Reader) int {
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if status := v.json(answer(j, line, number)); status != 0 {
				return status
			}
		}
		if errors.Is(err, io.EOF) {
			return 0
		}
		if err != nil {
			v.Say(fmt.Sprintf("cannot read standard input: %v", err))
			return words.StatusRefused
		}
	}
}

func answer(j guard.Judgement, line []byte, number int) any {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return failure{"not a JSON object with a command: " + err.Error(), number}
	}
	if r.Command == nil {
		return failure{`no "command" in the object`, number}
	}
	j.Dir = r.Dir
	e, _, _ := explain(j, *r.Command)
	return e
}

func (v voice) json(value any) int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // && and > are what these strings are made of
	if err := encoder.Encode(value); err != nil {
		v.Say(err.Error())
		return words.StatusRefused
	}
	return v.print(b.String())
}
