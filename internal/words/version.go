package words

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// build is the tag and commit that scripts/build.sh was given or found.
var build string

// VersionName is the name by which exec-prefix is asked for its version, as argv[0] and the whole command line: every option belongs
// to the inner shell.
const VersionName = "exec-prefix-version"

// Version says what this program was built from, and with what. The two programs of one build say the same.
func Version() string {
	from := build
	if info, ok := debug.ReadBuildInfo(); ok && from == "" { // by `go install`
		from = info.Main.Version
	}
	return fmt.Sprintf("%s, %s, %s/%s", from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
