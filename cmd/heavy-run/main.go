// Heavy-run runs a command in a systemd scope with a hard memory limit, so that it dies alone when it takes too much. It is
// also the operator's window on what exec-prefix does. See README.md.
package main

import "os"

func main() { os.Exit(run(os.Args, os.Environ(), os.Stdin, os.Stdout, os.Stderr)) }
