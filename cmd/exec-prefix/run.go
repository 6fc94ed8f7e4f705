package main

import (
	"io"

	"github.com/heavy-run/heavy-run/internal/admission"
	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/detect"
	"github.com/heavy-run/heavy-run/internal/guard"
	"github.com/heavy-run/heavy-run/internal/launch"
	"github.com/heavy-run/heavy-run/internal/oomadj"
	"github.com/heavy-run/heavy-run/internal/plan"
	"github.com/heavy-run/heavy-run/internal/scope"
	"github.com/heavy-run/heavy-run/internal/words"
)

// run is the whole path of a command: parse, classify, decide, adjust, isolate, exec. It returns only where the command did
// not take this process's place: it was refused, could not be started, or ran as a child.
func run(argv, environ []string, stderr io.Writer) (status int) {
	say := voice{words.Voice{Program: "exec-prefix", Stderr: stderr}}
	defer say.Bug(&status)
	if guard.Keep(argv) {
		return 0
	}
	call := parseCall(argv)
	if call.version {
		say.Say(words.Version())
		return 0
	}
	env := launch.Environment(environ)
	self := launch.FindSelf()
	settings := config.Load(config.Sources(self.Path, env.Get("HOME")))
	guard.TightenByEnvironment(settings, env)

	shell, err := innerShell(call, env, self, settings.Shell)
	if err != nil {
		return say.noShell(call, err)
	}
	text, isCommand := call.text(shell)
	command := launch.Command{Path: shell, Args: call.shellArgs(shell), Env: environ}
	if !isCommand { // a login shell, a terminal, a script: not ours to touch
		return say.CannotRun(command.Path, command.Exec())
	}

	judgement := guard.Judgement{Shell: shell, Env: env, Self: self, Settings: settings}
	verdict := judgement.Classify(text)
	if sh := shellOfHook(call, verdict, env, self); sh != "" {
		command.Path, command.Args[0] = sh, sh
	}
	about := words.Command{Subject: words.Subject(verdict), Verdict: verdict}
	supervisable := !call.prefix || verdict.Shape == detect.ClaudeBash
	decided, bypass := judgement.Decide(verdict, supervisable)
	if bypass != nil {
		say.Tell(about.Bypassed(*bypass))
	}

	score := 0
	if decided.Adjust {
		if score, err = oomadj.Raise(oomadj.Max); err != nil && decided.Step != plan.Exec {
			say.NotRaised(err)
		}
	}
	switch decided.Step {
	case plan.Refuse:
		return say.Refused(about.RefusedByPolicy(self.HeavyRun(env.Get("PATH"))), settings)
	case plan.Exec:
		return say.CannotRun(command.Path, command.Exec())
	}

	var ticket *admission.Ticket
	if decided.Step == plan.Supervise {
		waits := func(others []admission.Place, why string) { say.Tell(about.Waiting(others, why)) }
		if ticket, err = guard.Admit(settings, about.Subject, waits); err != nil {
			return say.NoRoom(about.NoRoom(settings.Wait()))
		}
	}
	runtimeDir := env.Get("XDG_RUNTIME_DIR")
	receipt, err := guard.Isolate(guard.Isolation{
		Settings:    settings,
		RuntimeDir:  runtimeDir,
		Description: words.Description(about.Subject, verdict),
		Must:        decided.Must,
	})
	if err != nil && decided.Must && !tolerated(err, settings) {
		return say.Refused(about.NotIsolated(err), settings)
	}
	if err != nil {
		return say.CannotRun(command.Path, command.Exec())
	}
	say.Tell(about.Isolated(receipt))
	if decided.Step == plan.Move {
		return say.CannotRun(command.Path, command.Exec())
	}
	ticket.Runs(receipt.Group.Path)
	outcome, err := guard.Supervise(command, receipt, score, runtimeDir)
	if err != nil {
		return say.CannotRun(command.Path, err)
	}
	return say.Ended(about, receipt, outcome)
}

// tolerated says whether a heavy command may run although it is not isolated: in a client's own sandbox, which forbids unix
// sockets, when the operator said so.
func tolerated(err error, settings *config.Settings) bool {
	cause, ok := scope.CauseOf(err)
	return settings.SandboxedAdjust && ok && cause == scope.NoUnixSockets
}
