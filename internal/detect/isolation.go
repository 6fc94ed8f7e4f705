package detect

import (
	"path"
	"strconv"
	"strings"
)

// systemdRun judges systemd-run: with a finite MemoryMax in front of the command it isolates, without one it only moves
// the command, which is judged like any other.
func (w *walker) systemdRun(argv []string) {
	limited := false
	var started []string
	i := 1
	for ; i < len(argv); i++ {
		a := argv[i]
		if a == "--" {
			i++
			break
		}
		if len(a) < 2 || a[0] != '-' {
			break
		}
		opt := option(argv[i:], &systemdRunOptions)
		if opt.ends {
			return
		}
		i += opt.next
		name, value, _ := strings.Cut(opt.value, "=")
		switch opt.name {
		case "-H", "--host", "-M", "--machine":
			return // runs on another machine
		case "-p", "--property":
			if name == "MemoryMax" {
				limited = finite(value) // a later assignment replaces an earlier one
			} else if strings.HasPrefix(name, "Exec") { // ExecStartPre=
				started = append(started, strings.TrimLeft(value, "@-:+!|"))
			}
		}
	}
	word := argv[0]
	trusted := word == "systemd-run" && !w.pathSet && w.lookup(functionName, word) == nil && w.lookup(alias, word) == nil ||
		path.IsAbs(word) && (path.Dir(word) == "/usr/bin" || path.Dir(word) == "/bin")
	w.behind("behind systemd-run", func() {
		if limited && trusted {
			w.limited = true
		}
		for _, command := range started {
			w.shell(command, Bash, nil)
		}
		if command := argv[min(i, len(argv)):]; len(command) > 0 {
			w.external(command)
		} else { // --shell
			w.shellStdin(Bash, nil)
		}
	})
}

var systemdRunOptions = wrapper{
	abbreviates: true,
	values:      "-p -u -E -H -M -C --capsule --job-mode --json --expand-environment --root-directory --property --unit --description --slice --uid --gid --nice --setenv --host --machine --service-type --working-directory --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --timer-property --path-property --socket-property --background",
	ends:        "--help -h --version",
}

func isCluster(a string, letter byte) bool {
	return len(a) > 1 && a[1] != '-' && strings.IndexByte(a, letter) > 0
}

// finite reports whether a value of MemoryMax= or --memory sets a limit: bytes, with a suffix to the base of 1024, or a
// percentage below the whole. No machine has exabytes. Only the syntax counts; whether a limit is a sensible one shows when it is read back.
func finite(size string) bool {
	if unit := strings.TrimRight(size, "%‰‱"); unit != size {
		n, err := strconv.ParseFloat(unit, 64)
		all := map[string]float64{"%": 100, "‰": 1000, "‱": 10000}[size[len(unit):]]
		return err == nil && n > 0 && n < all
	}
	number := strings.TrimRight(size, "bB")
	if number != "" && strings.IndexByte("kKmMgGtTpP", number[len(number)-1]) >= 0 {
		number = number[:len(number)-1]
	}
	n, err := strconv.ParseFloat(number, 64)
	return err == nil && n > 0 && n < 1<<63
}
