#!/bin/bash
# play.sh DIR [COLOUR] - play the incident twice against the real systemd --user of this machine; DIR holds exec-prefix. In
#   colours if the second word is not empty.
#   Everything runs in units called heavy-run-demo*, which are gone afterwards.
set -Eeuo pipefail
trap 'echo "play.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$1:$here/bin:$here/../vm/guest/root/usr/local/bin:$PATH
unit=heavy-run-demo.service
GW_DIR=$(mktemp -d "$XDG_RUNTIME_DIR/heavy-run-demo.XXXXXX")
export GW_DIR
trap 'systemctl --user stop $unit 2> /dev/null || true; systemctl --user reset-failed $unit 2> /dev/null || true; rm -rf "$GW_DIR"' EXIT
command='corepack pnpm install --frozen-lockfile && corepack pnpm lint:core'

if [ -n "${2:-}" ]; then bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' off=$'\e[0m'; else bold='' dim='' red='' green='' off=''; fi
say() { printf '%s\n' "$*"; }
show() { systemctl --user show -P "$1" $unit; }
cgroup() { echo "/sys/fs/cgroup$(show ControlGroup)"; }
await() { # until a test holds: systemd and the kernel take their time, above all under emulation
  for _ in {1..600}; do
    if "$@"; then return; fi
    sleep 0.1
  done
  say "play.sh: waited a minute for: $*" >&2
  exit 1
}
answers() { [ -p "$GW_DIR/requests" ]; }
killed() { [ "$(show Result)" = oom-kill ]; }
restarted() { [ "$(show NRestarts)" != 0 ] && [ "$(show ActiveState)" = active ] && answers; }

gateway() { # gateway SHELL: a gateway whose unit has a limit, as a small machine has one
  systemctl --user stop $unit 2> /dev/null || true
  rm -f "$GW_DIR"/*
  systemd-run --user --quiet --unit=$unit -p MemoryMax=256M -p MemorySwapMax=0 -p Restart=always -p RestartSec=5 \
    -E SHELL="$1" -E GW_DIR="$GW_DIR" -E PATH="$PATH" fake-gateway
  await answers
  pid=$(show MainPID)
}
agent() { # agent [TEST]: the model's command, run by the gateway, and its output as the model reads it; TEST holds meanwhile
  say "  ${bold}agent> $command${off}"
  status=0
  gw-exec "$command" > "$GW_DIR/answer" &
  [ $# = 0 ] || await "$@"
  wait $! || status=$?
  sed "s/^/  ${dim}|${off} /" "$GW_DIR/answer"
}

say
say "${bold}1. Today: the gateway runs what its model says in its own cgroup${off}   (SHELL=/bin/bash, gateway limited to 256M)"
say
gateway /bin/bash
before=$pid
agent killed
await restarted
say "  systemd: $unit: Failed with result '${red}oom-kill${off}'."
say "  systemd: $unit: Scheduled restart job, restart counter is at $(show NRestarts)."
say "  ${red}Gateway $before is dead, $(show MainPID) starts from nothing.${off} The agent got no answer, and nobody knows why."
say
say "${bold}2. The same gateway, the same command${off}   (SHELL=$1/exec-prefix)"
say
gateway "$1/exec-prefix"
before=$pid
agent
say "  ${green}Gateway $(show MainPID) is still there${off}: NRestarts $(show NRestarts), $(grep '^oom_kill ' "$(cgroup)/memory.events") in its cgroup. The command died alone, with status $status,"
say "  and the agent has read why and what to do."
say
[ "$before" = "$(show MainPID)" ] && [ "$(show NRestarts)" = 0 ] && [ "$status" = 137 ]
