#!/bin/sh
# materialize.sh [OPTION...] DIR [FILE|-] - put exec-prefix into the sandbox that this runs in, as DIR/exec-prefix.
#   FILE is the program; without it, exec-prefix beside this script, else standard input, which "-" asks for.
#   --enforcement=NAME  what DIR/heavy-run.conf says (adjust: a sandbox has no service manager); none writes no file
#   --cksum=CRC:SIZE    install only a program of which cksum(1) says that
#   --marker=TEXT       the line that is printed when, and only when, the program is in place and works
#   --bundle            run nothing: print a script that does all this and has the program in it, for `sh` at the other end
#                       of a channel that carries text only
# An operator's own CLAUDE_CODE_SHELL_PREFIX, in the environment or in Claude Code's settings, wins: then nothing is
# installed, no marker printed, and the status is 0. On failure the status is 1 and an older program stays as it was.
set -eu
umask 077
die() { echo "materialize.sh: $*" >&2; exit 1; }

enforcement='' sum='' marker='exec-prefix is in place' bundle=''
while [ $# != 0 ]; do
  case $1 in
  --enforcement=*) enforcement=${1#*=} ;;
  --cksum=*) sum=${1#*=} ;;
  --marker=*) marker=${1#*=} ;;
  --bundle) bundle=yes ;;
  -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit ;;
  -?*) die "unknown option '$1'" ;;
  *) break ;;
  esac
  shift
done
if [ $# != 1 ] && [ $# != 2 ]; then die "usage: materialize.sh [OPTION...] DIR [FILE|-]"; fi
dir=$1 source=${2:-}
case $enforcement in '' | isolate | refuse | adjust | none) ;; *) die "unknown enforcement '$enforcement'" ;; esac
case $dir in
/*) ;;
*) [ -n "$bundle" ] && die "DIR must be absolute: '$dir'"; dir=$(pwd)/$dir ;;
esac
# Claude Code splits the variable at " -" and hands the rest to a shell.
case $dir in *[!A-Za-z0-9_./+@-]*) die "DIR may hold letters, digits and _./+@- only: '$dir'" ;; esac
if [ -z "$source" ]; then
  source=-
  case $0 in */*) [ ! -f "${0%/*}/exec-prefix" ] || source=${0%/*}/exec-prefix ;; esac
fi

work=
trap 'rm -rf ${work:+"$work"} ${partial:+"$partial"}' EXIT
trap 'exit 143' TERM HUP
trap 'exit 130' INT

checksum() { cksum | tr ' ' :; }

if [ -n "$bundle" ]; then
  work=$(mktemp -d)
  if [ "$source" = - ]; then cat > "$work/program"; else cp "$source" "$work/program"; fi
  sum=$(checksum < "$work/program")
  quote() { printf "'"; printf '%s' "$1" | sed "s/'/'\\\\''/g"; printf "' "; }
  printf '#!/bin/sh\n# exec-prefix for a sandbox, made by materialize.sh --bundle.\n'
  printf 'script='
  quote "$(cat "$0")"
  printf '\n'
  # A channel that is cut off gives a short program, which the sum gives away.
  # shellcheck disable=SC2016 # for the other end
  printf '{ if command -v base64 > /dev/null; then base64 -d; else openssl base64 -d; fi | sh -c "$script" materialize.sh '
  quote "--cksum=$sum"
  [ -z "$enforcement" ] || quote "--enforcement=$enforcement"
  quote "--marker=$marker"
  quote "$dir"
  printf -- "-; } <<'EXEC_PREFIX'\n"
  base64 < "$work/program"
  printf 'EXEC_PREFIX\n'
  exit
fi

target=$dir/exec-prefix
kept() {
  echo "materialize.sh: kept the CLAUDE_CODE_SHELL_PREFIX that is set in $1; nothing was installed" >&2
  exit 0
}
case ${CLAUDE_CODE_SHELL_PREFIX:-} in '' | "$target") ;; *) kept 'the environment' ;; esac
settings=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}/settings.json
if grep -qs '"CLAUDE_CODE_SHELL_PREFIX"' "$settings" && ! grep -qsF "\"$target\"" "$settings"; then kept "$settings"; fi

mkdir -p "$dir"
[ ! -d "$target" ] || die "$target is a directory"
partial=$target.$$.partial
if [ "$source" = - ]; then cat > "$partial"; else cat "$source" > "$partial"; fi || die "cannot write $partial: is the disk full?"
[ -s "$partial" ] || die "the program is empty: give it on standard input, or as FILE"
[ -z "$sum" ] || [ "$(checksum < "$partial")" = "$sum" ] || die "the program is not what was sent"
chmod 700 "$partial" || die "cannot make $partial executable"

# works FILE: it runs a string in a shell and hands on its output and status.
works() { [ "$(unset CLAUDE_CODE_SHELL; "$1" 'printf "%s" works; exit 7' 2>&1 || echo " $?")" = 'works 7' ]; }
works "$partial" || die "the program does not run here: another machine's, or the disk forbids programs (noexec)"

# The settings come first: the program must never stand there without them.
config=$dir/heavy-run.conf
if [ "$enforcement" != none ] && { [ -n "$enforcement" ] || [ ! -e "$config" ]; }; then
  new=$config.$$.partial
  if ! printf '[Exec]\nEnforcement=%s\n' "${enforcement:-adjust}" > "$new" || ! mv -f "$new" "$config"; then
    rm -f "$new"
    die "cannot write $config"
  fi
fi
mv -f "$partial" "$target" || die "cannot rename $partial"
partial=
works "$target" || die "$target does not run"
printf '%s\n' "$marker"
