package main

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/heavy-run/heavy-run/internal/cgroup"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/limits"
	"github.com/heavy-run/heavy-run/internal/words"
)

// shownConfig is what --show-config --json writes. Fields are only ever added.
type shownConfig struct {
	Bound    uint64         `json:"memory_bytes"` // what percentages and computed defaults are resolved for
	Settings []shownSetting `json:"settings"`
	Files    []shownFile    `json:"files"` // in the order in which they apply
	Problems []shownProblem `json:"problems"`
}

type shownSetting struct {
	Section string `json:"section"`
	Key     string `json:"key"`
	Value   string `json:"value"`
	From    string `json:"from"`           // a file, "command line" or "default"
	Line    int    `json:"line,omitempty"` // in that file
	Written string `json:"written"`        // the value as it stands there
}

type shownFile struct {
	File     string `json:"file"`
	Operator bool   `json:"operator"` // may loosen too
	Exists   bool   `json:"exists"`
}

type shownProblem struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Key  string `json:"key,omitempty"`
	Text string `json:"text"`
}

func gather(settings *config.Settings, sources []config.Source) (shownConfig, error) {
	group, _ := cgroup.Current() // without one, the machine's memory is what bounds us
	bound, err := group.Bound()
	if err != nil {
		return shownConfig{}, err
	}
	shown := shownConfig{Bound: bound, Problems: []shownProblem{}}
	for _, s := range settings.Effective(bound) {
		row := shownSetting{Section: strings.Trim(s.Section, "[]"), Key: s.Key, Value: s.Value, From: "default"}
		if s.Origin != nil {
			row.From, row.Line, row.Written = s.Origin.File, s.Origin.Line, s.Origin.Value
		}
		shown.Settings = append(shown.Settings, row)
	}
	for _, s := range sources {
		_, err := os.Stat(s.Path)
		shown.Files = append(shown.Files, shownFile{s.Path, s.Operator, err == nil})
	}
	for _, p := range settings.Problems {
		shown.Problems = append(shown.Problems, shownProblem{p.File, p.Line, p.Key, p.Text})
	}
	return shown, nil
}

// showConfig prints the settings in force. Its status is 1 where a line was ignored, so that a script can check a file.
func (v voice) showConfig(settings *config.Settings, sources []config.Source, asJSON bool) int {
	shown, err := gather(settings, sources)
	if err != nil {
		v.Say(err.Error())
		return words.StatusRefused
	}
	status := 0
	if asJSON {
		status = v.json(shown)
	} else {
		status = v.print(shown.text())
		v.Problems(settings)
	}
	if status == 0 && len(shown.Problems) > 0 {
		status = 1
	}
	return status
}

func (c shownConfig) text() string {
	var b strings.Builder
	width := 0
	for _, s := range c.Settings {
		width = max(width, len(s.Key)+len("=")+utf8.RuneCountInString(s.Value))
	}
	section := ""
	for _, s := range c.Settings {
		if s.Section != section {
			if section != "" {
				b.WriteByte('\n')
			}
			section = s.Section
			fmt.Fprintf(&b, "[%s]\n", section)
		}
		from := s.From
		if s.Line > 0 {
			from += fmt.Sprintf(":%d", s.Line)
		}
		if s.Written != "" && s.Written != s.Value {
			from += fmt.Sprintf(" (%s=%s)", s.Key, s.Written)
		}
		fmt.Fprintf(&b, "%-*s  %s\n", min(width, maxColumn), printable(s.Key+"="+s.Value), printable(from))
	}
	fmt.Fprintf(&b, "\nSizes are resolved for %s, the memory that bounds this process.\n", limits.FormatSize(c.Bound))
	b.WriteString("Files, in the order in which they apply:\n")
	for _, f := range c.Files {
		role := "only tightens"
		if f.Operator {
			role = "sets"
		}
		if !f.Exists {
			role += ", not there"
		}
		fmt.Fprintf(&b, "  %s: %s\n", f.File, role)
	}
	return b.String()
}

// maxColumn is the greatest width of the values' column; a longer value pushes its own line out.
const maxColumn = 40

// printable takes what a terminal would act on out of a text that somebody else wrote.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || (r >= 0x7f && r < 0xa0) {
			return '?'
		}
		return r
	}, text)
}
