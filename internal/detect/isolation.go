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
		opt := option(a, &systemdRunOptions)
		if opt.ends {
			return
		}
		value := opt.value
		if opt.next > 0 && i+1 < len(argv) {
			value = argv[i+1]
		}
		i += opt.next
		name, size, ok := strings.Cut(value, "=")
		switch {
		case !strings.HasPrefix(a, "-p") && !strings.HasPrefix(a, "--property") && !isCluster(a, 'p'):
			if a == "-H" || a == "-M" || strings.HasPrefix(a, "--host") || strings.HasPrefix(a, "--machine") {
				return // runs on another machine
			}
		case ok && name == "MemoryMax":
			limited = finite(size) // a later assignment replaces an earlier one
		}
	}
	word := argv[0]
	trusted := word == "systemd-run" && !w.pathSet && w.lookup(functionName, word) == nil && w.lookup(alias, word) == nil ||
		path.IsAbs(word) && (path.Dir(word) == "/usr/bin" || path.Dir(word) == "/bin")
	w.behind("behind systemd-run", func() {
		if limited && trusted {
			w.limited = true
		}
		w.external(argv[min(i, len(argv)):])
	})
}

var systemdRunOptions = wrapper{
	values: "-p -u -E -H -M -t-x --property --unit --description --slice --uid --gid --nice --setenv --host --machine --service-type --working-directory -d-x --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --timer-property --path-property --socket-property --background",
	ends:   "--help -h --version",
}

func isCluster(a string, letter byte) bool {
	return len(a) > 1 && a[1] != '-' && strings.IndexByte(a, letter) > 0
}

// finite reports whether a value of MemoryMax= or --memory sets a limit: bytes, with a suffix to the base of 1024, or a
// percentage. Only the syntax counts; whether a limit is a sensible one shows when it is read back.
func finite(size string) bool {
	if unit := strings.TrimRight(size, "%‰‱"); unit != size {
		n, err := strconv.ParseFloat(unit, 64)
		return err == nil && n > 0
	}
	number := strings.TrimRight(size, "bB")
	if number != "" && strings.IndexByte("kKmMgGtTpPeE", number[len(number)-1]) >= 0 {
		number = number[:len(number)-1]
	}
	n, err := strconv.ParseFloat(number, 64)
	return err == nil && n > 0 && n < 1<<63
}
