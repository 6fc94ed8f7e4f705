#!/bin/bash
# install.sh DIR PACKAGE@VERSION… - install npm packages into the cache of real clients, once, and print the directory that
#   holds their node_modules. DIR is a name in the cache; the versions are part of it, so that a new release is a new
#   directory. A version may be a tag (latest): it is resolved first.
# The cache is ${XDG_CACHE_HOME:-~/.cache}/heavy-run-clients; to remove it is safe at any time.
set -Eeuo pipefail
trap 'echo "install.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
[ $# -ge 2 ] || { echo "install.sh: usage: install.sh DIR PACKAGE@VERSION…" >&2; exit 125; }
cache=${XDG_CACHE_HOME:-$HOME/.cache}/heavy-run-clients
name=$1 exact=()
shift
for package; do
  version=$(npm view "$package" version)
  exact+=("${package%@*}@$version")
  name+=-$version
done
dir=$cache/$name
if [ ! -d "$dir" ]; then
  echo "install.sh: installing ${exact[*]} into $dir" >&2
  mkdir -p "$cache"
  partial=$(mktemp -d "$cache/.$name.XXXXXX")
  trap 'rm -rf "$partial"' EXIT
  # By exact version: npm would otherwise step back to a release that suits the node which npm itself runs on.
  npm install --prefix "$partial" --no-audit --no-fund --loglevel=error "${exact[@]}" >&2
  mv -T "$partial" "$dir" 2> /dev/null || [ -d "$dir" ] # another call was faster
fi
echo "$dir"
