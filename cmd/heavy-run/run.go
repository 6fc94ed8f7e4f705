package main

import (
	"fmt"
	"io"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/oomadj"
	"github.com/heavy-run/heavy-run/internal/plan"
	"github.com/heavy-run/heavy-run/internal/words"
)

// run is the whole path: read the command line, do what only reports, then judge, adjust, isolate and supervise.
func run(argv, environ []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	say := voice{words.Voice{Program: "heavy-run", Stderr: stderr}, stdout}
	defer say.Bug(&status)
	if guard.Keep(argv) {
		return 0
	}
	env := launch.Environment(environ)
	self := launch.FindSelf()

	flags, help, err := parseFlags(argv[min(1, len(argv)):])
	switch {
	case err != nil:
		return say.usage(err)
	case help != "":
		return say.print(help)
	case flags.version:
		return say.print("heavy-run " + words.Version() + "\n")
	}
	settings := config.Load(config.Sources(self.Path, env.Get("HOME")))
	if err := flags.tighten(settings); err != nil {
		return say.usage(err)
	}
	if flags.asked() {
		return say.operate(flags, env, self, settings)
	}
	guard.TightenByEnvironment(settings, env)
	judgement := guard.Judgement{Shell: userShell(env, self), Env: env, Self: self, Settings: settings}
	if flags.batch {
		return say.batch(judgement, stdin)
	}
	command, err := flags.commandLine(judgement.Shell, env)
	switch {
	case flags.explain && err != nil && flags.likeString(): // as a program it would be light, and that is not what was asked
		return say.usage(fmt.Errorf("%q: %w", command.Path, err))
	case flags.explain:
		return say.explain(judgement, flags.text(), flags.json)
	case err != nil:
		return say.CannotRun(command.Path, err)
	}
	verdict := judgement.Classify(flags.text())
	about := words.Command{Subject: flags.subject(verdict), Verdict: verdict}
	decided, already := judgement.DecideByHand()
	if left := flags.ofTheScope(); already != "" && left != "" {
		say.Say(fmt.Sprintf("this is already %s: %s is for a scope of its own, and left out", already, left))
	}
	score := 0
	if decided.Adjust {
		if score, err = oomadj.Raise(oomadj.Max); err != nil {
			say.NotRaised(err)
		}
	}
	if decided.Step == plan.Exec {
		return say.CannotRun(command.Path, command.Exec())
	}
	ticket, err := guard.Admit(settings, about.Subject, func(others []admission.Place, why string) { say.Tell(about.Waiting(others, why)) })
	if err != nil {
		return say.NoRoom(about.NoRoom(settings.Wait()))
	}
	runtimeDir := env.Get("XDG_RUNTIME_DIR")
	receipt, err := guard.Isolate(guard.Isolation{
		Settings:    settings,
		RuntimeDir:  runtimeDir,
		Unit:        flags.unit,
		SubSlice:    flags.subSlice(settings.Slice),
		Description: flags.describe(verdict),
		Must:        true,
	})
	if err != nil {
		return say.Refused(about.NotIsolated(err), settings)
	}
	say.Tell(about.Isolated(receipt))
	ticket.Runs(receipt.Group.Path)
	outcome, err := guard.Supervise(command, receipt, score, runtimeDir)
	if err != nil {
		return say.CannotRun(command.Path, err)
	}
	return say.Ended(about, receipt, outcome)
}
