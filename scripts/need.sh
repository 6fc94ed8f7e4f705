#!/bin/sh
# need.sh PACKAGE... - make sure that Debian packages are installed: install what is missing when root, else say so and fail.
set -eu
missing=
for package in "$@"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || command -v "$package" >/dev/null || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
# shellcheck disable=SC2086 # package names hold no spaces, the command does
if [ "$(id -u)" = 0 ]; then
  echo "need.sh: installing$missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  install='apt-get -o DPkg::Lock::Timeout=600 install -y -q --no-install-recommends' # two at once take turns
  $install $missing >&2 || { apt-get update -q >&2 && $install $missing >&2; }
else
  echo "need.sh: missing:$missing; run as root: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
