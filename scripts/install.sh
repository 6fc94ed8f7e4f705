#!/bin/sh
# install.sh - put exec-prefix and heavy-run on this host, or take them away again.
#   --user, --system    into ~/.local, or into /usr/local and /etc (the default for root)
#   --prefix=DIR        another place than ~/.local or /usr/local
#   --gateway=NAME      let a gateway's commands pass through exec-prefix, by a drop-in for its unit: openclaw, or NAME.service
#   --claude-code[=FILE]
#                       the same for Claude Code, by a line in FILE (~/.claude/settings.json); a value of your own stays
#   --uninstall         take away all of that; your own configuration stays
#   --force             even if running programs still have exec-prefix as their shell
#   --dry-run           say what would be done
# DESTDIR is put in front of every path that is written, for packages. Every file is replaced in one step, so that a
# running agent never sees a moment without it; run it again as often as you like.
set -eu
tree=$(cd "$(dirname "$0")/.." && pwd)
die() { echo "install.sh: $*" >&2; exit 125; }
say() { echo "install.sh: $*"; }
HOME=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)} # cron and some service managers set none

mode='' prefix='' gateway='' claude='' uninstall='' force='' dry=''
while [ $# != 0 ]; do
  case $1 in
  --user | --system) mode=${1#--} ;;
  --prefix=*) prefix=${1#*=} ;;
  --gateway=*) gateway=${1#*=} ;;
  --prefix | --gateway)
    [ $# -ge 2 ] || die "$1 needs a value"
    if [ "$1" = --prefix ]; then prefix=$2; else gateway=$2; fi
    shift ;;
  --claude-code) claude=${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json ;;
  --claude-code=*) claude=${1#*=} ;;
  --uninstall) uninstall=yes ;;
  --force) force=yes ;;
  --dry-run) dry=yes ;;
  -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit ;;
  *) die "unknown argument '$1'; install.sh -h shows them" ;;
  esac
  shift
done

# The environment of this script must not count as a program that uses exec-prefix.
unset SHELL CLAUDE_CODE_SHELL_PREFIX
root=${DESTDIR:-}
uid=$(id -u)
[ -n "$mode" ] || { [ "$uid" = 0 ] && mode=system || mode=user; }
[ "$mode" = user ] || [ "$uid" = 0 ] || [ -n "$root" ] || [ -n "$dry" ] || die "--system needs root"
if [ "$mode" = system ]; then
  prefix=${prefix:-/usr/local}
  set -- /etc/systemd/user # where units have their drop-ins
else
  prefix=${prefix:-$HOME/.local}
  set -- "$HOME/.config/systemd/user"
fi
# What the clients are told is read by a shell, by systemd and by Claude Code, which takes " -" for the end of the path.
case $prefix in
/*[!A-Za-z0-9_./+@-]* | [!/]* | '') die "--prefix must be an absolute path of letters, digits and _./+@-: '$prefix'" ;;
esac
wrapper=$prefix/bin/exec-prefix
case $gateway in
'' | *.service) ;;
openclaw) gateway=openclaw-gateway.service ;;
*) die "unknown gateway '$gateway': openclaw, or the name of a unit that ends in .service" ;;
esac
case $gateway in */*) die "a unit's name has no slash: '$gateway'" ;; esac
mark="# Written by heavy-run's install.sh, which takes it away with --uninstall."

partial='' copy='' changed=''
trap 'rm -f ${partial:+"$partial"} ${copy:+"$copy"}' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# put MODE SOURCE TARGET: replace TARGET in one step; a program only by one that works.
put() {
  if cmp -s "$2" "$root$3" && { [ "$1" != 755 ] || [ -x "$root$3" ]; }; then return; fi
  changed=yes
  say "write $3"
  [ -z "$dry" ] || return 0
  [ ! -d "$root$3" ] || die "$3 is a directory"
  partial=$root$3.$$.partial
  why=$({ mkdir -p "$root${3%/*}" && cp "$2" "$partial" && chmod "$1" "$partial"; } 2>&1) || die "cannot write $3: $why"
  [ "$1" = 644 ] || works "$partial" "$3" || die "$2 does not run on this machine; $3 is as it was"
  mv -f "$partial" "$root$3"
  partial=
}

works() {
  case $2 in
  */exec-prefix) [ "$("$1" 'printf ok; exit 7' || echo " $?")" = 'ok 7' ] ;;
  *) "$1" --version > /dev/null ;;
  esac
}

# text TARGET: like put, with standard input.
text() {
  copy=$(mktemp)
  cat > "$copy"
  put 644 "$copy" "$1"
}

# take TARGET: remove it if it is there.
take() {
  [ -e "$root$1" ] || [ -L "$root$1" ] || return 0
  say "remove $1"
  [ -n "$dry" ] || rm -f "$root$1"
}

# each VERB: VERB MODE SOURCE TARGET for everything that is copied.
each() {
  for name in heavy-run exec-prefix; do "$1" 755 "$bin/$name" "$prefix/bin/$name"; done
  for page in heavy-run.1 exec-prefix.1 heavy-run.conf.5; do
    "$1" 644 "$tree/man/$page" "$prefix/share/man/man${page##*.}/$page"
  done
  "$1" 644 "$tree/completions/heavy-run.bash" "$prefix/share/bash-completion/completions/heavy-run"
  "$1" 644 "$tree/completions/heavy-run.zsh" "$prefix/share/zsh/site-functions/_heavy-run"
  "$1" 644 "$tree/completions/heavy-run.fish" "$prefix/share/fish/vendor_completions.d/heavy-run.fish"
  "$1" 644 "$tree/heavy-run.conf.example" "$prefix/share/doc/heavy-run/heavy-run.conf.example"
}

reload() {
  [ -z "$dry$root" ] || return 0
  if [ "$mode" = user ]; then
    systemctl --user daemon-reload 2> /dev/null || say "the user manager does not answer: systemctl --user daemon-reload"
  elif [ "$units" = /etc/systemd/system ]; then
    systemctl daemon-reload 2> /dev/null || say "the system manager does not answer: systemctl daemon-reload"
  else
    say "as the user of the gateway: systemctl --user daemon-reload"
  fi
}

restart() {
  manager='systemctl --user'
  [ "$units" != /etc/systemd/system ] || manager=systemctl
  say "when no agent is at work: $manager restart $1"
}

system_unit() { # NAME: is it a unit of the system manager?
  for dir in /etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /usr/lib/systemd/system /lib/systemd/system; do
    [ ! -e "$root$dir/$1" ] || return 0
  done
  return 1
}

# prefix_in FILE [--unset]: edit the settings of Claude Code, which heavy-run does since it knows JSON.
prefix_in() {
  file=$1 status=0
  shift
  if [ -n "$dry" ]; then return; fi
  "$root$prefix/bin/heavy-run" --set-shell-prefix="$wrapper" "$@" -- "$root$file" || status=$?
  [ "$status" -le 1 ] || exit "$status" # 1: a value of somebody's own, which stays
}

# ---- install ---------------------------------------------------------------------------------------
if [ -z "$uninstall" ]; then
  bin=$tree/bin
  if [ ! -x "$bin/exec-prefix" ] || [ ! -x "$bin/heavy-run" ]; then die "no programs in $bin: make build"; fi
  each put
  upgraded=$changed
  # For a gateway that starts its shell with options only if it is called bash or zsh.
  for name in bash zsh sh; do
    link=$prefix/lib/heavy-run/$name
    [ "$(readlink "$root$link" || true)" != ../../bin/exec-prefix ] || continue
    say "link $link"
    [ -z "$dry" ] || continue
    mkdir -p "$root${link%/*}"
    partial=$root$link.$$.partial
    ln -s ../../bin/exec-prefix "$partial"
    mv -f "$partial" "$root$link"
    partial=
  done
  if [ "$mode" = system ] && [ ! -e "$root/etc/heavy-run/heavy-run.conf" ]; then
    if [ -n "$dry" ] || { mkdir -p "$root/etc/heavy-run" && [ -w "$root/etc/heavy-run" ]; } 2> /dev/null; then
      put 644 "$tree/heavy-run.conf.example" /etc/heavy-run/heavy-run.conf
    else
      say "left out /etc/heavy-run/heavy-run.conf, which holds defaults only: it cannot be written"
    fi
  fi

  if [ -n "$gateway" ]; then
    [ "$mode" = user ] || ! system_unit "$gateway" || set -- "$@" /etc/systemd/system
    for units in "$@"; do
      changed='' dropin=$units/$gateway.d/heavy-run.conf
      if [ -e "$root$dropin" ] && [ "$(head -n 1 "$root$dropin")" != "$mark" ]; then
        die "$dropin is not from here: move it away, or put Environment=SHELL=$wrapper into it"
      fi
      text "$dropin" <<DROPIN
$mark
[Service]
Environment=SHELL=$wrapper
OOMPolicy=continue
DROPIN
      if [ -n "$changed" ]; then
        reload
        restart "$gateway"
      fi
    done
    # OpenClaw asks a shell for the login PATH only if it stands in /etc/shells.
    if ! grep -qxF "$wrapper" "$root/etc/shells" 2> /dev/null; then
      if [ -w "$root/etc/shells" ]; then
        say "add $wrapper to /etc/shells"
        [ -n "$dry" ] || echo "$wrapper" >> "$root/etc/shells"
      else
        say "as root, so that OpenClaw learns the login PATH: echo $wrapper >> /etc/shells"
      fi
    fi
  fi
  if [ -n "$claude" ]; then
    grep -qsF "$wrapper" "$root$claude" || say "set CLAUDE_CODE_SHELL_PREFIX in $claude"
    prefix_in "$claude"
  fi
  [ -n "$dry$root" ] || [ -z "$upgraded" ] || say "done: $prefix/bin/heavy-run --doctor says whether this host can isolate"
  exit
fi

# ---- uninstall: the clients first, the programs last ------------------------------------------------
[ "$mode" = user ] || set -- "$@" /etc/systemd/system
for units in "$@"; do
  for file in "$root$units"/*.service.d/heavy-run.conf; do
    [ "$(head -n 1 "$file" 2> /dev/null)" = "$mark" ] || continue
    grep -qxF "Environment=SHELL=$wrapper" "$file" || continue
    [ -w "$file" ] || { say "not yours to remove: $file"; continue; }
    dropin=${file#"$root"} unit=${file%.d/heavy-run.conf}
    take "$dropin"
    [ -n "$dry" ] || rmdir "${file%/*}" 2> /dev/null || true
    reload
    restart "${unit##*/}"
  done
done
claude=${claude:-${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json}
if [ -x "$root$prefix/bin/heavy-run" ] && grep -qsF "$wrapper" "$root$claude"; then
  say "take CLAUDE_CODE_SHELL_PREFIX out of $claude"
  prefix_in "$claude" --unset
fi
if grep -qxF "$wrapper" "$root/etc/shells" 2> /dev/null && [ -w "$root/etc/shells" ]; then
  say "take $wrapper out of /etc/shells"
  if [ -z "$dry" ]; then
    partial=$root/etc/shells.$$.partial
    cp -p "$root/etc/shells" "$partial" # with its owner and mode
    grep -vxF "$wrapper" "$root/etc/shells" > "$partial" || true
    mv -f "$partial" "$root/etc/shells"
    partial=
  fi
fi

# A gateway that runs with it as its SHELL would fail at every command from now on.
users=
if [ -z "$force$root" ]; then
  for environ in $(grep -lszxF -e "SHELL=$wrapper" -e "CLAUDE_CODE_SHELL_PREFIX=$wrapper" /proc/[0-9]*/environ || true); do
    pid=${environ#/proc/} pid=${pid%/environ}
    [ "$pid" = $$ ] || users="$users $pid ($(cat "/proc/$pid/comm" 2> /dev/null || true))"
  done
fi
if [ -n "$users" ]; then
  say "these still run with $wrapper as their shell:$users" >&2
  die "the programs stay: restart or end those, then run this again (or --force)"
fi

take_third() { take "$3"; }
bin=''
each take_third
for name in bash zsh sh; do take "$prefix/lib/heavy-run/$name"; done
[ -n "$dry" ] || rmdir "$root$prefix/lib/heavy-run" "$root$prefix/share/doc/heavy-run" 2> /dev/null || true
if [ "$mode" = system ] && cmp -s "$tree/heavy-run.conf.example" "$root/etc/heavy-run/heavy-run.conf"; then
  take /etc/heavy-run/heavy-run.conf
  [ -n "$dry" ] || rmdir "$root/etc/heavy-run" 2> /dev/null || true
fi
