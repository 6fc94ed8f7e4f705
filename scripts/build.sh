#!/bin/sh
# build.sh DIR [PACKAGE...] - build both programs (or PACKAGE...) into DIR, for GOARCH (this machine's, or arm64 or amd64). The one
# place that knows the flags: -E makes the process begin in internal/inherit, in front of the Go runtime.
# VERSION is what heavy-run --version says; by default the tag and commit of the tree.
set -eu
[ $# -ge 1 ] || { echo "build.sh: usage: build.sh DIR [PACKAGE...]" >&2; exit 125; }
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
[ $# != 0 ] || set -- ./cmd/...
# Without the lock: a build must not get in the way of somebody's commit.
version=${VERSION:-$(GIT_OPTIONAL_LOCKS=0 git describe --tags --always --dirty 2> /dev/null || echo unknown)}
CGO_ENABLED=0 GOOS=linux exec go build -trimpath -ldflags "-s -w -E heavyrun_entry -X github.com/heavy-run/heavy-run/internal/words.build=$version" -o "$out/" "$@"
