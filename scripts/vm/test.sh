#!/bin/bash
# test.sh [SUITE…] - the tests that need a real systemd and a real OOM killer, in VMs with bookworm and trixie (or SUITE).
#   Each suite is booted three times: as it is, without the memory controller, and with swap.
#   LIVE_RUN: a pattern for `go test -run`, say TestLive/incident. LIVE_BOOTS: which of the boots (script no-memory-controller swap).
set -Eeuo pipefail
trap 'echo "test.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
tree=$here/../..
dir=$(mktemp -d "${TMPDIR:-/tmp}/heavy-run-live.XXXXXX")
trap 'rm -rf "$dir"' EXIT

"$tree/scripts/build.sh" "$dir/bin"
(cd "$tree" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$dir/bin/bare" ./bench/prefixes/bare)
(cd "$tree" && CGO_ENABLED=0 go test -c -tags live -trimpath -o "$dir/live.test" ./internal/livetest)
cp -R "$tree/internal/livetest/testdata" "$dir/"
mkdir "$dir/scripts"
cp "$tree/scripts/install.sh" "$dir/scripts/"
cp -R "$tree/man" "$tree/completions" "$tree/heavy-run.conf.example" "$tree/README.md" "$dir/"
cat > "$dir/guest.sh" <<'GUEST'
export PATH=/mnt/in/bin:/mnt/in/testdata/bin:$PATH HEAVY_RUN_BIN=/mnt/in/bin
sudo mkdir -p /etc/heavy-run
printf '[Exec]\nMaxRunning=3\n[Scope]\nMemoryMax=64M\n[Slice]\nMemoryMax=128M\n' | sudo tee /etc/heavy-run/heavy-run.conf > /dev/null
systemctl --user set-environment PATH="$PATH"
LIVE_BOOT=$(sed 's/.*live_boot=\([^ ]*\).*/\1/' /proc/cmdline) \
  ./live.test -test.v -test.parallel=1 -test.timeout=60m -test.run "$(sed 's/.*live_run=\([^ ]*\).*/\1/' /proc/cmdline)"
GUEST

# suite NAME: all boots of one suite; false when any of them fails.
suite() {
  local boot append swap failed=
  for boot in ${LIVE_BOOTS:-script no-memory-controller swap}; do
    append="live_boot=$boot live_run=${LIVE_RUN:-TestLive}" swap=0
    case $boot in
      no-memory-controller) append+=" cgroup_disable=memory" ;;
      swap) swap=256 ;;
    esac
    echo "=== $1, boot $boot"
    VM_SUITE=$1 VM_SWAP=$swap VM_APPEND=$append VM_TIMEOUT=3900 "$here/run.sh" "$dir" guest.sh || failed+=" $1/$boot"
  done
  [ -z "$failed" ] || { echo "test.sh: failed:$failed" >&2; return 1; }
}

[ $# != 0 ] || set -- bookworm trixie
if [ $# = 1 ]; then
  suite "$1"
  exit
fi
# One processor for each VM, so two suites take as long as one; their output comes one after the other.
declare -A pid
for name in "$@"; do
  "$here/build-image.sh" "$name" > /dev/null
  suite "$name" > "$dir/$name.log" 2>&1 &
  pid[$name]=$!
done
failed=
for name in "$@"; do
  wait "${pid[$name]}" || failed+=" $name"
  cat "$dir/$name.log"
done
# Once more at the end, where whoever reads only the last lines finds it: what failed, and what was seen just before.
for name in $failed; do
  echo "=== $name failed: the end of it"
  grep -E -B 30 '^ *(FAIL: .*txtar:|[a-z_]+_test\.go:.*)|^(run|test)\.sh: |^panic:' "$dir/$name.log" | tail -n 100 || true
  grep -E '^ *--- FAIL' "$dir/$name.log" || true
done
[ -z "$failed" ]
