#!/bin/sh
# alone.sh PROGRAM [ARG…] - run a program where it finds no service manager and no network but the loopback interface.
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --map-root-user --mount --net sh -c 'mount -t tmpfs none /run && ip link set lo up && exec "$@"' sh "$@"
