package detect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Extra holds an operator's rules and wrappers, from lines of a configuration file:
//
//	Heavy=PROGRAM [SUBCOMMAND…]    in the syntax of Rule.Subcommands
//	Light=PROGRAM [SUBCOMMAND…]
//	Wrapper=PATH
//
// They count before the table's own. PROGRAM may be "script" for the names of package.json scripts and recipes.
type Extra struct {
	rules    []Rule
	wrappers []string
}

// ParseExtra adds one line, given as key and value, to x.
func ParseExtra(x *Extra, key, value string) error {
	fields := strings.Fields(value)
	if len(fields) == 0 {
		return errors.New("the value is missing")
	}
	r := Rule{ID: "config." + strings.ToLower(key), Program: fields[0], Subcommands: "* .", Why: "is named in the configuration"}
	if len(fields) > 1 {
		r.Subcommands = strings.Join(fields[1:], " ")
	}
	switch key {
	case "Heavy":
		r.Class = Heavy
	case "Light":
		r.Class = Light
	case "Wrapper":
		if len(fields) != 1 || !strings.HasPrefix(value, "/") {
			return fmt.Errorf("%q is not one absolute path", value)
		}
		x.wrappers = append(x.wrappers, value)
		return nil
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	if strings.ContainsAny(fields[0], "*?/") {
		return fmt.Errorf("%q is not the plain name of a program", fields[0])
	}
	x.rules = append(x.rules, r)
	return nil
}

func (x *Extra) wrapper(word string) bool {
	return x != nil && slices.Contains(x.wrappers, word)
}
