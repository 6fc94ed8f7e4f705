#!/bin/sh
# alone.sh PROGRAM [ARG…] - run a program on a system that was booted with systemd, as sd_booted(3) tells, where it finds no service
#   manager and no network but the loopback interface.
# shellcheck disable=SC2016 # expanded by the inner shell
exec unshare --map-root-user --mount --net sh -c 'mount -t tmpfs none /run && mkdir -p /run/systemd/system && ip link set lo up && exec "$@"' sh "$@"
