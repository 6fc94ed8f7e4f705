package detect

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A row is a command string and the classes that are right for it.
type row struct {
	Command string `json:"command"`
	Class   string `json:"class"`
	Alt     string `json:"alt"`
	Why     string `json:"why"`
	dialect Dialect
}

func (r row) input() Input {
	return Input{Text: r.Command, Dialect: r.dialect, Wrapper: approvedInCorpus}
}

// agrees reports whether a class is one of the two that the row allows.
func (r row) agrees(c Class) bool { return c.String() == r.Class || c.String() == r.Alt }

// approvedInCorpus approves the wrappers that the corpus writes down as approved.
func approvedInCorpus(word string) bool {
	switch word {
	case "heavy-run", "openclaw-heavy-run", "pulse-heavy-run", "/root/work/bin/heavy-run":
		return true
	}
	return false
}

const testdata = "../../testdata/detect"

func commandRows(t testing.TB) []row {
	t.Helper()
	f, err := os.Open(filepath.Join(testdata, "commands.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r row
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// tableRows reads a TSV of command, class, why; \n and \t in a command stand for themselves, \\ for a backslash.
func tableRows(t testing.TB, name string) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, name))
	if err != nil {
		t.Fatal(err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")
	var rows []row
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		fields := strings.Split(line, "\t")
		if i == 0 {
			continue
		}
		class, alt, _ := strings.Cut(fields[1], "|")
		r := row{Command: unescape.Replace(fields[0]), Class: class, Alt: alt}
		if len(fields) > 2 {
			r.Why = fields[2]
		}
		if strings.Contains(r.Why, "(zsh only)") {
			r.dialect = Zsh
		}
		rows = append(rows, r)
	}
	return rows
}

// disputed returns the classes of the rows whose labels we hold to be wrong; disputed.tsv says why.
func disputed(t *testing.T) map[string]string {
	ours := map[string]string{}
	for _, r := range tableRows(t, "disputed.tsv") {
		ours[r.Command] = r.Class
	}
	if len(ours) > 10 {
		t.Errorf("%d labels are disputed", len(ours))
	}
	return ours
}

func TestDisputedLabelsStillDiffer(t *testing.T) {
	ours := disputed(t)
	for _, r := range append(commandRows(t), tableRows(t, "bypass.tsv")...) {
		class, ok := ours[r.Command]
		if !ok {
			continue
		}
		if v := Classify(r.input()); v.Class.String() != class || r.agrees(v.Class) {
			t.Errorf("%s: no longer disputed: %q", v.Class, r.Command)
		}
		delete(ours, r.Command)
	}
	for command := range ours {
		t.Errorf("no row is %q", command)
	}
}

func TestCommands(t *testing.T) {
	rows, ours := commandRows(t), disputed(t)
	agreed := 0
	for _, r := range rows {
		v := Classify(r.input())
		if r.agrees(v.Class) {
			agreed++
			continue
		}
		if ours[r.Command] != "" {
			continue
		}
		t.Logf("%-11s not %s|%s: %.200q (%s; %s)", v.Class, r.Class, r.Alt, r.Command, v.Rule, r.Why)
		switch {
		case r.Class == "heavy" && r.Alt == "":
			t.Errorf("a heavy command is %s: %q", v.Class, r.Command)
		case v.Class == Heavy && (r.Class == "light" || r.Class == "isolated"):
			t.Errorf("a %s command is heavy by %s: %q", r.Class, v.Rule, r.Command)
		}
	}
	if 100*agreed < 98*len(rows) {
		t.Errorf("%d of %d rows agree, less than 98 %%", agreed, len(rows))
	}
	t.Logf("%d of %d rows agree", agreed, len(rows))
}

func TestBypass(t *testing.T) {
	ours := disputed(t)
	for _, r := range tableRows(t, "bypass.tsv") {
		v := Classify(r.input())
		// This list knows no "isolated": it calls light what stands behind a limit already.
		if !r.agrees(v.Class) && !(r.Class == "light" && v.Class == Isolated) && ours[r.Command] == "" {
			t.Errorf("%s, not %s: %q (%s: %s; %s)", v.Class, r.Class, r.Command, v.Rule, v.Reason, r.Why)
		}
	}
}

// Rows of our own: commands of the same kinds in more ecosystems, spelled in more ways.
func TestOwn(t *testing.T) {
	for _, r := range tableRows(t, "own.tsv") {
		if v := Classify(r.input()); !r.agrees(v.Class) {
			t.Errorf("%s, not %s|%s: %q (%s: %s)", v.Class, r.Class, r.Alt, r.Command, v.Rule, v.Reason)
		}
	}
}
