#!/bin/bash
# test.sh [ARG…] - run real clients with exec-prefix against a scripted model; ARG… goes to `go test`, say
#   -run 'TestClaudeCode/newest/bash'. Clients come from npm, once for each release, see install.sh; after that nothing
#   leaves the loopback interface, see alone.sh.
set -Eeuo pipefail
trap 'echo "test.sh: line $LINENO failed: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/../.."
scripts/need.sh bsdutils bubblewrap iproute2 procps python3 socat util-linux zsh
install=scripts/clients/install.sh

# The newest release of each client; of Claude Code also the newest for node 20, which plain `npm install` gives there.
# OpenClaw asks for a newer node than distributions have: it is installed, and run, with one from npm.
CLAUDE_CODE=$("$install" claude-code @anthropic-ai/claude-code@latest)
CLAUDE_CODE_OLD=$("$install" claude-code @anthropic-ai/claude-code@2.1.197)
NODE=$("$install" node node@latest)/node_modules/node/bin
OPENCLAW=$(PATH=$NODE:$PATH "$install" openclaw openclaw@latest)
export CLAUDE_CODE CLAUDE_CODE_OLD NODE OPENCLAW

go mod download
exec go test -tags clients -count=1 -v -timeout 60m -exec "$PWD/scripts/clients/alone.sh" ./internal/clienttest "$@"
