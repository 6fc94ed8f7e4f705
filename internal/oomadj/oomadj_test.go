package oomadj

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the test binary be its own subject: a score once raised would stay with the test runner.
func TestMain(m *testing.M) {
	switch os.Getenv("OOMADJ_SUBJECT") {
	case "":
		os.Exit(m.Run())
	case "raise":
		if _, err := Raise(700); err != nil {
			panic(err)
		}
		if before, err := Raise(300); err != nil || before != 700 {
			panic("the second Raise must find 700")
		}
	case "lower":
		if _, err := Raise(Max); err != nil {
			panic(err)
		}
		if err := Lower(500); err != nil {
			panic(err)
		}
		if err := Lower(900); err != nil {
			panic(err)
		}
	}
	score, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(score)
}

func subject(t *testing.T, what string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "OOMADJ_SUBJECT="+what)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestRaiseNeverLowers(t *testing.T) {
	if got := subject(t, "raise"); got != "700" {
		t.Errorf("after Raise(700), Raise(300) the score is %s, want 700", got)
	}
}

func TestLowerNeverRaises(t *testing.T) {
	if got := subject(t, "lower"); got != "500" {
		t.Errorf("after Raise(1000), Lower(500), Lower(900) the score is %s, want 500", got)
	}
}
