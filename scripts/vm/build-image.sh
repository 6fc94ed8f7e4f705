#!/bin/bash
# build-image.sh [SUITE] - build the test VM, or find it in the cache, and print its directory: vmlinuz, initrd, root.img,
#   packages.txt (what is in it) and build.txt (how long it took).
#   SUITE: bookworm (systemd 252, the default) or trixie (systemd 257).
#   HEAVY_RUN_VM_CACHE: where images are kept (default: ${XDG_CACHE_HOME:-~/.cache}/heavy-run-vm).
# Runs as root and mounts nothing outside mmdebstrap's own namespace. What the guest is made of lies in guest/.
set -Eeuo pipefail
trap 'echo "build-image.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
die() { echo "build-image.sh: $*" >&2; exit 1; }
umask 022
PATH=$PATH:/usr/sbin:/sbin

suite=${1:-bookworm}
case $suite in bookworm | trixie) ;; *) die "unknown suite '$suite': bookworm or trixie" ;; esac

# ---- cache: keyed by this script and guest/, so that a change to either builds anew ----------------
here=$(cd "$(dirname "$0")" && pwd)
pack() { tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=a+rX,go-w -C "$1" -c "${@:2}"; }
key=$(pack "$here" build-image.sh guest | sha256sum | cut -c1-12)
cache=${HEAVY_RUN_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/heavy-run-vm}
image=$cache/$suite-$key
found() { [ -d "$image" ] && echo "$image"; }
if found; then exit; fi

[ "$(id -u)" = 0 ] || die "no $suite image in $cache yet, and only root can build one"
"$here/../need.sh" mmdebstrap e2fsprogs cpio xz-utils

mkdir -p "$cache"
exec 9> "$cache/lock"
flock 9 # two calls at once build once
if found; then exit; fi
echo "build-image.sh: building the $suite image, which takes a minute or so" >&2
start=$SECONDS
tmp=$cache/build # ours alone under the lock, which an interrupted build's children hold until they are gone
rm -rf "$tmp" && mkdir "$tmp"
trap 'rm -rf "$tmp" 2> /dev/null' EXIT
root=$tmp/root

# ---- packages: from the archives that this machine's own apt uses, through the same proxy ----------
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC1091 # no part of this repository
own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # $(SITE) and the like are apt's
apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk -v own="$own" -v suite="$suite" -v keyring="$keyring" '
    $2 ~ "^" own "(-updates|-security)?$" && $3 == "main" && sub(own, suite, $2) { print "deb [signed-by=" keyring "]", $0 }' |
  sort -u > "$tmp/sources.list"
[ -s "$tmp/sources.list" ] || die "apt is configured with no Debian archive of '$own' to take $suite from"
apt-config dump | grep -E '^Acquire::https?::' > "$tmp/apt.conf" || true

# The kernel and busybox are downloaded, not installed: installing would bring in initramfs-tools and run it.
# shellcheck disable=SC2016 # for mmdebstrap's shell
fetch_kernel='cd "$DEBS"; export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
  kernel=$(apt-cache depends linux-image-cloud-amd64 | sed -n "s/^ *Depends: \(linux-image-[0-9].*\)/\1/p")
  apt-get download -o APT::Sandbox::User=root $kernel busybox-static'
packages=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,bash,zsh,procps,util-linux,bsdutils,sudo,passwd,python3-minimal
packages+=,libbpf1 # without it 257 has no cgroup BPF: DeviceAllow=, IPAddressDeny= and the like do nothing
mkdir "$tmp/debs"
# An archive's snapshot may be past its Valid-Until: dates are not checked, signatures are.
# shellcheck disable=SC2016 # $1 in the hooks is the guest's root
DEBS=$tmp/debs mmdebstrap --quiet --mode=root --variant=essential --format=directory --include="$packages" \
  --aptopt="$tmp/apt.conf" --aptopt='Acquire::Languages "none"' \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
  --dpkgopt=force-unsafe-io --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --customize-hook="$fetch_kernel" \
  --customize-hook='chroot "$1" useradd -m -u 1000 -s /bin/bash agent' \
  --customize-hook='chroot "$1" dpkg-query -W > "$DEBS/packages.txt"' \
  --customize-hook='cd "$1/usr/share" && rm -rf doc info locale man zoneinfo' \
  --customize-hook='cd "$1/var" && rm -rf cache/* lib/apt/lists/* log/*' \
  "$suite" "$root" "$tmp/sources.list" > "$tmp/mmdebstrap.log" 2>&1 || { tail -30 "$tmp/mmdebstrap.log" >&2; die "mmdebstrap failed, see above"; }
for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/boot"; done

# ---- initrd: busybox, virtio-blk and guest/initrd/init ---------------------------------------------
# (QEMU's nvme would need no initrd, but 7.2's loses a command now and then.)
for option in EXT4_FS MEMCG SERIAL_8250_CONSOLE; do
  grep -q "^CONFIG_$option=y" "$tmp"/boot/boot/config-* || die "the $suite kernel has no built-in CONFIG_$option"
done
mkdir -p "$tmp"/initrd.d/{modules,proc,sys,dev,root}
cp "$here/guest/initrd/init" "$tmp/initrd.d/init"
cp "$tmp"/boot/*bin/busybox "$tmp/initrd.d/busybox" 2> /dev/null || cp "$tmp"/boot/usr/*bin/busybox "$tmp/initrd.d/busybox"
chmod 755 "$tmp"/initrd.d/{init,busybox}
for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
  file=$(find "$tmp/boot" -name "$module.ko*")
  case $file in
  *.xz) xz -dc "$file" > "$tmp/initrd.d/modules/$module.ko" ;;
  *.ko) cp "$file" "$tmp/initrd.d/modules/" ;;
  *) grep -rq "/$module.ko" "$tmp/boot" --include=modules.builtin || die "the $suite kernel has no module $module" ;;
  esac
done
(cd "$tmp/initrd.d" && find . | cpio -o -H newc --quiet) > "$tmp/initrd"

# ---- guest: boot only what a test can notice; under emulation a unit costs a tenth of a second or more ----
cd "$root"
keep='systemd-journald.service|systemd-journald.socket|systemd-journald-dev-log.socket|dbus.socket'
find etc/systemd/system usr/lib/systemd/system -path '*.wants/*' | grep -vE "/($keep)$" | xargs rm
rm -f usr/lib/systemd/{system,user}-generators/* usr/lib/systemd/system/modprobe@.service

pack "$here/guest/root" . | tar -x
chmod 440 etc/sudoers.d/agent
wants() { mkdir -p "$1.wants" && ln -s "../$2" "$1.wants/"; }
ln -sf /usr/lib/systemd/system/multi-user.target etc/systemd/system/default.target
wants etc/systemd/system/multi-user.target vm-run.service
wants home/agent/.config/systemd/user/default.target openclaw-gateway.service
mkdir -p var/lib/systemd/linger && touch var/lib/systemd/linger/agent
chown -R 1000:1000 home/agent

# ---- image: renamed into the cache at the end, so that it is there whole or not at all -------------
mkdir "$tmp/image"
cd "$tmp/image"
mke2fs -q -t ext4 -O ^has_journal,^metadata_csum -m 0 -d "$root" root.img 384M > /dev/null
mv "$tmp"/boot/boot/vmlinuz-* vmlinuz
mv "$tmp/initrd" initrd
{ cat "$tmp/debs/packages.txt" && (cd "$tmp/debs" && ls -- *.deb); } > packages.txt
echo "suite=$suite seconds=$((SECONDS - start)) root_mib=$(du -sm root.img | cut -f1) packages=$(wc -l < packages.txt)" | tee build.txt >&2
mv "$tmp/image" "$image"
found
