# make build, make test and make demo need Go and nothing else that they do not fetch themselves; see scripts/need.sh.
PREFIX ?= /usr/local
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test check fuzz vm clients demo install release clean

build:
	scripts/build.sh bin

# Everything but what needs a live systemd: no network after `go mod download`.
test:
	scripts/need.sh gcc zsh dash python3 util-linux man-db bubblewrap
	go test ./...

check:
	scripts/need.sh shellcheck
	test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	go vet ./... && go vet -tags live,clients ./internal/livetest ./internal/clienttest
	go run $(STATICCHECK) -tags live,clients ./...
	shellcheck $$(git ls-files -co --exclude-standard '*.sh' .ci/run scripts/vm/guest/root/usr/local 'internal/livetest/testdata/bin/*' | xargs grep -lE '^#!/(usr/)?bin/(env )?(ba)?sh')
	GOARCH=arm64 go vet ./... && GOARCH=arm64 scripts/build.sh bin/arm64

# FUZZTIME is for each property.
FUZZTIME ?= 20s
fuzz:
	for f in $$(go test -list '^Fuzz' ./internal/detect | grep ^Fuzz); do go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) ./internal/detect || exit 1; done

# The real thing: Debian 12 and 13 in VMs, software emulation. SUITE=bookworm or trixie for one of them.
vm:
	scripts/need.sh qemu-system-x86 mmdebstrap e2fsprogs cpio xz-utils
	scripts/vm/test.sh $(SUITE)

# Real Claude Code and OpenClaw, from npm, with a scripted model on the loopback interface.
clients:
	scripts/need.sh nodejs npm zsh bubblewrap procps
	scripts/clients/test.sh

demo:
	scripts/demo.sh

install: build
	DESTDIR="$(DESTDIR)" scripts/install.sh $(if $(DESTDIR),--system) --prefix="$(PREFIX)"

# amd64 and arm64 into dist, built twice to see that the bytes are the same.
release:
	scripts/release.sh dist

clean:
	rm -rf bin dist
