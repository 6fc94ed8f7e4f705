#!/bin/bash
# vm.sh [PATTERN] - run the newest Claude Code below a real service manager, in the VM of scripts/vm: the tests TestManaged of
#   internal/clienttest, or those of PATTERN. VM_SUITE: see scripts/vm/run.sh.
set -Eeuo pipefail
trap 'echo "vm.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/../.."
dir=$(mktemp -d "${TMPDIR:-/tmp}/heavy-run-clients.XXXXXX")
trap 'rm -rf "$dir"' EXIT

# In the guest everything lies as in the tree; the client's executable needs nothing but a C library.
claude=node_modules/.bin/claude
mkdir -p "$dir/internal/clienttest" "$dir/claude-code/${claude%/*}"
cp -L "$(scripts/clients/install.sh claude-code @anthropic-ai/claude-code@latest)/$claude" "$dir/claude-code/$claude"
scripts/build.sh "$dir/bin"
CGO_ENABLED=0 go test -c -tags clients,live -trimpath -o "$dir/internal/clienttest/clients.test" ./internal/clienttest
cp -R docs "$dir/"
printf '%s' "${1:-TestManaged}" > "$dir/run"
cat > "$dir/guest.sh" <<'GUEST'
export HEAVY_RUN_BIN=/mnt/in/bin CLAUDE_CODE=/mnt/in/claude-code
sudo mkdir -p /etc/heavy-run
cd internal/clienttest && ./clients.test -test.v -test.timeout=30m -test.run "$(cat ../../run)"
GUEST
VM_MEM=2048 VM_TIMEOUT=2100 scripts/vm/run.sh "$dir" guest.sh
