#!/bin/bash
# test.sh [ARG…] - run real clients with exec-prefix against a scripted model; ARG… goes to `go test`, say
#   -run 'TestClaudeCode/newest/bash'. Clients come from npm, once for each release, see install.sh; after that nothing
#   leaves the loopback interface, see alone.sh.
set -Eeuo pipefail
trap 'echo "test.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/../.."
command -v npm > /dev/null || scripts/need.sh nodejs npm
scripts/need.sh bsdutils bubblewrap iproute2 procps python3 socat util-linux zsh
install=scripts/clients/install.sh

# The newest release of each client; of Claude Code also the newest for node 20, which plain `npm install` gives there.
# OpenClaw asks for a newer node than distributions have: it is installed, and run, with one from npm.
CLAUDE_CODE=$("$install" claude-code @anthropic-ai/claude-code@latest)
CLAUDE_CODE_OLD=$("$install" claude-code @anthropic-ai/claude-code@2.1.197)
NODE=$("$install" node node@latest)/node_modules/node/bin
OPENCLAW=$(PATH=$NODE:$PATH "$install" openclaw openclaw@latest)
OPENCODE=$("$install" opencode opencode-ai@latest)
PI=$(PATH=$NODE:$PATH "$install" pi @earendil-works/pi-coding-agent@latest)
export CLAUDE_CODE CLAUDE_CODE_OLD NODE OPENCLAW OPENCODE PI

go mod download
exec go test -tags clients -count=1 -v -timeout 3h -exec "$PWD/scripts/clients/alone.sh" ./internal/clienttest "$@"
