#!/bin/sh
# release.sh [--once] DIR - build what is handed out into DIR: a tarball for each of ARCHS (amd64 arm64) and sha256sums.
# Everything is built twice, from two places and with two caches, and must come out the same; --once leaves the second out.
# VERSION names the release (by default the tag and commit), SOURCE_DATE_EPOCH dates the files in it (by default the commit).
set -eu
once=
if [ "${1:-}" = --once ]; then
  once=yes
  shift
fi
[ $# = 1 ] || { echo "release.sh: usage: release.sh [--once] DIR" >&2; exit 125; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
export GIT_OPTIONAL_LOCKS=0
VERSION=${VERSION:-$(git describe --tags --always --dirty)}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
ARCHS=${ARCHS:-amd64 arm64}
export VERSION SOURCE_DATE_EPOCH ARCHS

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
umask 022
rm -f "$out"/heavy-run-*.tar.gz "$out/sha256sums"
for arch in $ARCHS; do
  name=heavy-run-$VERSION-linux-$arch
  mkdir -p "$work/$name/scripts"
  GOARCH=$arch scripts/build.sh "$work/$name/bin"
  cp scripts/install.sh scripts/materialize.sh "$work/$name/scripts/"
  cp -R man completions docs heavy-run.conf.example README.md LICENSE "$work/$name/"
  tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go=rX -c "$name" |
    gzip -9n > "$out/$name.tar.gz"
done
(cd "$out" && sha256sum heavy-run-*.tar.gz > sha256sums)
[ -z "$once" ] || exit 0

echo "release.sh: once more from another place, to compare" >&2
mkdir "$work/elsewhere"
git ls-files -co --exclude-standard | tar -c -T - | tar -C "$work/elsewhere" -x
GOCACHE=$work/cache "$work/elsewhere/scripts/release.sh" --once "$work/again"
cmp "$out/sha256sums" "$work/again/sha256sums" || { echo "release.sh: two builds differ" >&2; exit 1; }
cat "$out/sha256sums"
