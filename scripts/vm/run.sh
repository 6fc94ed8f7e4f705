#!/bin/bash
# run.sh DIR SCRIPT - boot the test VM, run DIR/SCRIPT there as user `agent` in a service of the user manager, print its
#   output as it comes, exit with its status (124: time-out, 125: usage, or the VM reported nothing).
#   In the guest, DIR is /mnt/in (a writable copy, the working directory), $VM_OUT a directory for files to hand back;
#   sudo works without a password, gw-exec runs a command in the fake gateway.
# Environment:
#   VM_SUITE    bookworm (systemd 252, the default) or trixie (257)
#   VM_MEM      memory in MiB (1024)          VM_SWAP     swap in MiB (0)
#   VM_TIMEOUT  seconds (600)                 VM_APPEND   more kernel arguments, say cgroup_disable=memory
#   VM_OUT      host directory for the results: the guest's $VM_OUT as out/, status, times, console.log, journal.txt
#   VM_JOURNAL  1: hand back the journal always, not only after a failure
#   VM_SMP      processors (1: with more, QEMU 7.2's emulation now and then breaks a kernel)
# KVM is never used: the device may open, create a VM and still be unusable.
set -Eeuo pipefail
trap 'echo "run.sh: line $LINENO failed: $BASH_COMMAND" >&2; exit 125' ERR
usage() { echo "run.sh: $1" >&2; echo "usage: run.sh DIR SCRIPT" >&2; exit 125; }
PATH=$PATH:/usr/sbin:/sbin

[ $# = 2 ] || usage "two arguments needed"
dir=$1 script=$2
[ -f "$dir/$script" ] || usage "no such file: $dir/$script"
[[ $script != *[!A-Za-z0-9._/-]* ]] || usage "a script name of letters, digits and ._/- only: $script"
image=$("$(dirname "$0")/build-image.sh" "${VM_SUITE:-bookworm}")
"$(dirname "$0")/../need.sh" qemu-system-x86 e2fsprogs
tmp=$(mktemp -d "${TMPDIR:-/tmp}/heavy-run-vm.XXXXXX")
qemu=
trap '[ -z "$qemu" ] || { kill "$qemu" && wait "$qemu"; } 2> /dev/null; rm -rf "$tmp"' EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# The directory becomes an ext4 disk with a little room, the results come back as a tar on a raw disk.
mib=$(du -sm "$dir" | cut -f1)
mke2fs -q -t ext4 -O ^has_journal -m 0 -d "$dir" "$tmp/in.img" $((mib * 5 / 4 + 32))M > /dev/null
truncate -s 256M "$tmp/out.img"
disks=()
disk() { disks+=(-drive "file=$2,if=none,format=raw,id=$1,cache=unsafe,snapshot=${3:-off}" -device "virtio-blk-pci,drive=$1,serial=$1"); }
disk root "$image/root.img" on
disk in "$tmp/in.img"
disk out "$tmp/out.img"
if [ "${VM_SWAP:-0}" != 0 ]; then
  truncate -s "${VM_SWAP}M" "$tmp/swap.img"
  mkswap "$tmp/swap.img" > /dev/null 2>&1 # it warns of holes, which do not matter here
  disk swap "$tmp/swap.img"
fi

# Chosen for speed under emulation: the old machine type and CPU have less to set up (and no AVX to emulate), the TSC is
# the one clock that costs no exit, and mitigations cost what they cost.
append="console=ttyS0 panic=-1 reboot=t quiet loglevel=4 systemd.show_status=0 mitigations=off nokaslr audit=0 \
nmi_watchdog=0 no_timer_check tsc=reliable random.trust_cpu=on cryptomgr.notests rcupdate.rcu_expedited=1 \
vm_script=$script vm_journal=${VM_JOURNAL:-} ${VM_APPEND:-}"
start=${EPOCHREALTIME/./}
# In the background, so that a signal to this script is acted on at once.
timeout -k 5 "${VM_TIMEOUT:-600}" qemu-system-x86_64 -accel tcg -M pc -cpu Nehalem -smp "${VM_SMP:-1}" -m "${VM_MEM:-1024}" \
  -nodefaults -no-user-config -display none -no-reboot -kernel "$image/vmlinuz" -initrd "$image/initrd" -append "$append" \
  "${disks[@]}" -serial "file:$tmp/console.log" -serial stdio < /dev/null &
qemu=$!
wait "$qemu" && ended=0 || ended=$?
qemu=

mkdir "$tmp/results"
tar -C "$tmp/results" -xf "$tmp/out.img" 2> /dev/null || true # empty if the guest never got that far
cp "$tmp/console.log" "$tmp/results/"
echo "qemu_ms=$(((${EPOCHREALTIME/./} - start) / 1000))" >> "$tmp/results/times"
echo "run.sh: $(tr '\n' ' ' < "$tmp/results/times")" >&2
[ -z "${VM_OUT:-}" ] || { mkdir -p "$VM_OUT" && cp -R "$tmp/results/." "$VM_OUT/"; }
if [ ! -s "$tmp/results/status" ]; then
  echo "run.sh: no result from the VM (qemu: status $ended); the end of its console:" >&2
  tail -25 "$tmp/console.log" >&2
  [ "$ended" != 124 ] || exit 124
  exit 125
fi
exit "$(< "$tmp/results/status")"
