#!/bin/bash
# demo.sh - build, then play the incident twice: on this machine where it has a systemd user manager, else in a VM.
set -Eeuo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$here/../bin
"$here/build.sh" "$bin"
bin=$(cd "$bin" && pwd)

export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
if command -v python3 > /dev/null && systemctl --user show-environment > /dev/null 2>&1; then
  exec "$here/demo/play.sh" "$bin"
fi
echo "demo.sh: no systemd user manager here: playing it in a VM, which takes two minutes the first time"
"$here/need.sh" qemu-system-x86 mmdebstrap e2fsprogs cpio xz-utils
dir=$(mktemp -d "${TMPDIR:-/tmp}/heavy-run-demo.XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/scripts" "$dir/scripts/vm"
cp -R "$here/demo" "$dir/scripts/"
cp -R "$here/vm/guest" "$dir/scripts/vm/"
cp -R "$bin" "$dir/bin"
echo 'exec scripts/demo/play.sh /mnt/in/bin' > "$dir/demo.sh"
"$here/vm/run.sh" "$dir" demo.sh
