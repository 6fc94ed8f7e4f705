#!/bin/sh
# build.sh DIR [PACKAGE...] - build both programs (or PACKAGE...) into DIR, for GOARCH (this machine's, or arm64 or amd64). The one
# place that knows the flags: -E makes the process begin in internal/inherit, in front of the Go runtime.
set -eu
[ $# -ge 1 ] || { echo "build.sh: usage: build.sh DIR [PACKAGE...]" >&2; exit 125; }
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
[ $# != 0 ] || set -- ./cmd/...
CGO_ENABLED=0 GOOS=linux exec go build -trimpath -ldflags '-s -w -E heavyrun_entry' -o "$out/" "$@"
