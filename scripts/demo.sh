#!/bin/bash
# demo.sh [--record] - build, then play the incident twice: on this machine where it has a systemd user manager, else in a VM.
#   What the VM shows must be what the README shows, but for the processes' numbers; --record writes it there, and docs/demo.svg.
set -Eeuo pipefail
here=$(cd "$(dirname "$0")" && pwd)
readme=$here/../README.md picture=$here/../docs/demo.svg bin=$here/../bin
case ${1:-} in '' | --record) ;; *) echo "demo.sh: usage: demo.sh [--record]" >&2; exit 125 ;; esac
"$here/build.sh" "$bin"
bin=$(cd "$bin" && pwd)

colour=''
if [ -t 1 ]; then colour=yes; fi
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
if [ -z "${1:-}" ] && command -v python3 > /dev/null && systemctl --user show-environment > /dev/null 2>&1; then
  exec "$here/demo/play.sh" "$bin" "$colour"
fi
echo "demo.sh: playing it in a VM, which takes two minutes the first time" >&2
dir=$(mktemp -d "${TMPDIR:-/tmp}/heavy-run-demo.XXXXXX")
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/in/scripts/vm"
cp -R "$here/demo" "$dir/in/scripts/"
cp -R "$here/vm/guest" "$dir/in/scripts/vm/"
cp -R "$bin" "$dir/in/bin"
echo "exec scripts/demo/play.sh /mnt/in/bin '$colour'" > "$dir/in/demo.sh"
"$here/vm/run.sh" "$dir/in" demo.sh | tee "$dir/played"

# As an installed exec-prefix would have shown it, without colours and empty lines around it.
sed -E 's/\x1b\[[0-9;]*m//g; s/\r$//; s,/mnt/in/bin/,/usr/local/bin/,' "$dir/played" | awk 'NF { for (; empty > 0; empty--) print ""; print; begun = 1 } !NF && begun { empty++ }' > "$dir/transcript"
numberless() { sed -E 's/(Gateway|is dead,) [0-9]+/\1 PID/g'; }
if [ -n "${1:-}" ]; then
  awk -v new="$dir/transcript" '/^```/ && ++fences == 1 { print; while ((getline line < new) > 0) print line; next } fences == 1 && !/^```/ { next } { print }' \
    "$readme" > "$dir/readme"
  cat "$dir/readme" > "$readme"
  "$here/demo/svg.sh" < "$dir/transcript" > "$picture"
fi
awk '/^```/ { if (inside) exit; inside = 1; next } inside' "$readme" > "$dir/shown"
diff -u --label README.md --label played <(numberless < "$dir/shown") <(numberless < "$dir/transcript") ||
  { echo "demo.sh: the README shows something else; scripts/demo.sh --record writes this one" >&2; exit 1; }
