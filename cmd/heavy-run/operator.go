package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/heavy-run/heavy-run/internal/config"
	"github.com/heavy-run/heavy-run/internal/launch"
)

// operatorFlags ask for one of the operator's views. None of them runs a command.
type operatorFlags struct {
	showConfig bool
	list       bool
	watch      bool
	stop       bool
	all        bool
	doctor     bool
	trial      bool   // hidden: the child in which --doctor tries a scope
	setPrefix  string // hidden: edit a settings.json of Claude Code, for install.sh
	unsetting  bool   // hidden: take that back
}

func (o *operatorFlags) add(set *pflag.FlagSet) {
	set.BoolVar(&o.list, "list", false, "list the commands that run in scopes now")
	set.BoolVar(&o.watch, "watch", false, "with --list: again every two seconds")
	set.BoolVar(&o.stop, "stop", false, "stop the scopes that are named after the options")
	set.BoolVar(&o.all, "all", false, "with --stop: stop every one")
	set.BoolVar(&o.doctor, "doctor", false, "check what isolation needs on this host and try it; 1 where it is impossible")
	set.BoolVar(&o.showConfig, "show-config", false, "print every setting with the file it comes from; 1 where a line is wrong")
	set.BoolVar(&o.trial, "trial", false, "")
	set.StringVar(&o.setPrefix, "set-shell-prefix", "", "")
	set.BoolVar(&o.unsetting, "unset", false, "")
	for _, hidden := range []string{"trial", "set-shell-prefix", "unset"} {
		set.Lookup(hidden).Hidden = true
	}
}

// asked says whether one of the views is asked for.
func (o operatorFlags) asked() bool {
	return o.showConfig || o.list || o.watch || o.stop || o.all || o.doctor || o.trial || o.setPrefix != ""
}

// check says what is wrong with a command line that asks for a view.
func (f flags) checkOperator() error {
	o, modes := f.operatorFlags, 0
	for _, mode := range []bool{o.showConfig, o.list, o.stop, o.doctor, o.trial, o.setPrefix != "", f.explain} {
		if mode {
			modes++
		}
	}
	switch {
	case modes > 1:
		return errors.New("only one of --explain, --list, --stop, --doctor and --show-config at a time")
	case o.watch && !o.list:
		return errors.New("--watch goes with --list")
	case o.all && !o.stop:
		return errors.New("--all goes with --stop")
	case o.stop && !o.all && len(f.command) == 0:
		return errors.New("--stop needs the name of a unit, or --all")
	case o.stop && o.all && len(f.command) > 0:
		return errors.New("--stop takes names or --all, not both")
	case o.stop && f.json:
		return errors.New("--json goes with --explain, --list, --doctor and --show-config")
	case o.setPrefix != "" && len(f.command) != 1:
		return errors.New("--set-shell-prefix needs one file")
	case !o.stop && o.setPrefix == "" && len(f.command) > 0, f.hasString:
		return errors.New("no command is run with --list, --stop, --doctor and --show-config")
	}
	return nil
}

// operate shows the view that was asked for.
func (v voice) operate(f flags, env launch.Environment, self launch.Self, settings *config.Settings) int {
	runtimeDir := env.Get("XDG_RUNTIME_DIR")
	switch {
	case f.showConfig:
		return v.showConfig(settings, config.Sources(self.Path, env.Get("HOME")), f.json)
	case f.list && f.watch:
		return v.watch(runtimeDir, f.json)
	case f.list:
		return v.list(runtimeDir, f.json)
	case f.stop:
		return v.stop(runtimeDir, f.command)
	case f.trial:
		return v.trial(runtimeDir, settings)
	case f.doctor:
		return v.doctor(self, runtimeDir, settings, f.json)
	}
	return v.editShellPrefix(f.command[0], f.setPrefix, f.unsetting)
}

// age writes how long something has lasted, in its two greatest units.
func age(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dmin %ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh %dmin", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd %dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}
