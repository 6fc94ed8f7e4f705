# make build, make test and make demo need Go and nothing else that they do not fetch themselves; see scripts/need.sh.
PREFIX ?= /usr/local
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test check fuzz bench vm clients clients-vm demo install release clean

build:
	scripts/build.sh bin

# Everything but what needs a live systemd: no network after `go mod download`.
test:
	scripts/need.sh gcc zsh fish dash python3 util-linux man-db bubblewrap
	go test ./...

check:
	scripts/need.sh shellcheck
	test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	go vet ./... && go vet -tags live,clients ./internal/livetest ./internal/clienttest
	go run $(STATICCHECK) -tags live,clients ./...
	shellcheck $$(git ls-files -co --exclude-standard '*.sh' .ci/run scripts/vm/guest/root/usr/local 'internal/livetest/testdata/bin/*' | xargs grep -lE '^#!/(usr/)?bin/(env )?(ba)?sh')
	GOARCH=arm64 go vet ./... && GOARCH=arm64 scripts/build.sh bin/arm64

# FUZZTIME is for each property: so many inputs, the seeds among them. Go below 1.27 may end a time (40s) with "context deadline
# exceeded" though nothing was found (go.dev/issue/75804); a count has no deadline. Nor has one new input a minute to be made small.
FUZZTIME ?= 60000x
fuzz:
	for f in $$(go test -list '^Fuzz' ./internal/detect | grep ^Fuzz); do go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 200x ./internal/detect || exit 1; done

# What a prefix adds before the shell begins, beside C, a script and bare Go; and what a verdict costs. See docs/benchmarks.md.
bench:
	scripts/need.sh gcc dash
	go run ./bench -check
	go test -run '^$$' -bench . -benchtime 3s ./internal/detect

# The real thing: Debian 12 and 13 in VMs, software emulation. SUITE=bookworm or trixie for one of them.
vm:
	scripts/vm/test.sh $(SUITE)

# Real Claude Code, OpenClaw, opencode and pi, from npm, with a scripted model on the loopback interface; and Claude Code in the VM.
clients:
	scripts/clients/test.sh
clients-vm:
	scripts/clients/vm.sh

demo:
	scripts/demo.sh

install: build
	DESTDIR="$(DESTDIR)" scripts/install.sh $(if $(DESTDIR),--system) --prefix="$(PREFIX)"

# amd64 and arm64 into dist, built twice to see that the bytes are the same.
release:
	scripts/release.sh dist

clean:
	rm -rf bin dist
