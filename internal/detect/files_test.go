package detect

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func text(s string) *fstest.MapFile   { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }
func script(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o755} }

func TestFilesRaiseTheClass(t *testing.T) {
	project := fstest.MapFS{
		"p/package.json": text(`{
			"name": "p", "workspaces": ["packages/*"],
			"config": {"scripts": "not these", "x": {"sync": "make"}},
			"scripts": {
				"sync": "node sync.mjs",
				"codegen": "node gen.mjs && tsc -b",
				"precommit-hook": "ls", "gen": "npm run codegen", "loop": "npm run loop2", "loop2": "npm run loop",
				"prefmt": "vitest run", "fmt": "prettier -w .", "quoted": "sh -c \"pnpm i\"", "both": "run-s sync codegen",
				"all": "concurrently 'npm:sync' \"tsc -w\"", "each": "pnpm -r emit", "wrapped": "heavy-run -- make", "echo": "echo tsc"
			}
		}`),
		"p/packages/a/package.json":    text(`{"scripts": {"emit": "node a.js"}}`),
		"p/packages/b/package.json":    text(`{"scripts": {"emit": "tsc -p ."}}`),
		"p/sub/package.json":           text(`{"scripts": {"sync": "vitest run"}}`),
		"p/sub/deep/x.txt":             text(""),
		"p/run.sh":                     script("#!/bin/sh\nset -e\nnpm ci\n"),
		"p/light.sh":                   script("#!/usr/bin/env bash\necho npm ci\n"),
		"p/args.sh":                    script("#!/bin/bash\n\"$@\"\n"),
		"p/lib.sh":                     text("go_test() { go test ./...; }\n"),
		"p/tool":                       script("#!/usr/bin/env node\nrequire('child_process').execSync('npm ci')\n"),
		"p/noshebang":                  script("make all\n"),
		"p/elf":                        script("\x7fELF\x00make all\n"),
		"p/self.sh":                    script("./self.sh\nsh self.sh\n"),
		"p/Makefile":                   text("MAKE_X := 1\n.PHONY: deps clean\nclean:\n\trm -rf out\n\t$(MAKE) deps\ndeps: inner\n\t@echo deps\ninner:\n\t-npm ci\nhelp: ; @echo help\nlist:\n\t@echo $(VAR) make\n"),
		"p/justfile":                   text("set shell := ['bash']\n\ndefault: fmt\n\nfmt:\n    prettier -w .\n\nsync name='x': helper\n    @echo {{name}}\n\nhelper:\n    cargo build\n"),
		"p/Taskfile.yml":               text("version: '3'\ntasks:\n  gen:\n    desc: go test\n    cmds:\n      - go generate ./...\n  tidy:\n    desc: go test\n    cmds:\n      - echo tidy\n"),
		"p/.git/config":                text("[core]\n\tbare = false\n"),
		"p/.git/hooks/pre-commit":      script("#!/bin/sh\nnpx lint-staged\n"),
		"p/.git/hooks/pre-push.sample": script("#!/bin/sh\nnpm test\n"),
		"p/.git/hooks/post-merge":      text("#!/bin/sh\nnpm ci\n"),
		"h/.git/config":                text("[core]\n\thooksPath = .husky/_\n[user]\n\tname = x\n"),
		"h/.husky/_/pre-commit":        script("#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n"),
		"h/.husky/pre-commit":          text("pnpm lint\n"),
		"n/scripts/run.sh":             script("#!/usr/bin/env bash\nset -e\nsource \"$(dirname \"$0\")/lib.sh\"\ndo_it\n"),
		"n/scripts/lib.sh":             text("do_it() { npm ci; }\ndo_it\n"),
		"n/here.sh":                    script("D=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\n. \"$D/scripts/lib.sh\"\ndo_it\n"),
		"n/light.sh":                   script("echo a\n"),
		"n/rel.py":                     text("import subprocess\nsubprocess.check_call(['cargo', 'build'])\n"),
		"n/Makefile":                   text("PM := pnpm\nX = ls\nifdef Y\nX = make\nendif\nhelp:\n\t$(PM) install\nlist:\n\t$(X) all\n"),
		"n/justfile":                   text("pm := \"pnpm\"\nalias g := get\nget:\n    {{pm}} install\nany who:\n    {{who}} install\n"),
		"k/.git/hooks/pre-push":        script("#!/bin/sh\nnpm test\n"),
		"k/.git/hooks/commit-msg":      script("#!/bin/sh\nnpm test\n"),
		"m/a/Makefile":                 text("clean:\n\tls\nlist:\n\tls\n"),
		"m/a/b/Makefile":               text("clean:\n\tnpm ci\n"),
		"m/a/b/justfile":               text("fmt:\n    npm ci\n"),
		"m/a/b/Taskfile.yml":           text("version: '3'\ntasks:\n  tidy:\n    cmds:\n      - npm ci\n"),
		"m/a/other.mk":                 text("clean:\n\tnpm ci\n"),
		"a/.git/config":                text("[core]\n\tbare = false\n[alias]\n\tt = !pnpm test\n\tu = t\n\tlg = log --grep 'npm ci'\n\tcommit = !make\n\tx = \"!f() { \\\"$@\\\"; }; f\"\n"),
		"home/u/.gitconfig":            text("[alias]\n\thome = !npm ci\n[core]\n\teditor = vim\n"),
		"e/.git/config":                text("[core]\n\teditor = npm ci\n"),
		"t/deno.json":                  text(`{"tasks": {"go": "npm:vitest || tsc -p .", "say": "echo tsc"}}`),
		"t/mise.toml":                  text("[tools]\nnode = '20'\n[tasks]\nshort = \"npm ci\"\nsay = 'echo make'\n[tasks.long]\ndescription = 'make'\nrun = [\"ls\", \"cargo build\"]\n[tasks.deep]\ndepends = ['long']\nrun = 'ls'\n"),
		"t/mise-tasks/file":            script("#!/bin/sh\npnpm i\n"),
		"t/pyproject.toml":             text("[tool.pdm.scripts]\nall = {cmd = \"pytest -q\"}\nsay = \"echo pytest\"\n[tool.poe.tasks]\nall = \"pytest\"\n"),
		"t/pixi.toml":                  text("[tasks]\nall = { cmd = \"cmake --build x\", env = {} }\n"),
		"g/x.sh":                       script("ls\n"),
		"g/fix.patch":                  text("--- a/x.sh\n+++ b/x.sh\n@@ -1 +1 @@\n-ls\n+npm ci\n"),
		"g/write.py":                   text("open('x.sh', 'w').write('npm ' + 'ci')\n"),
		"w/.git":                       text("gitdir: /p/.git/worktrees/w\n"),
		"p/.git/worktrees/w/commondir": text("../..\n"),
	}
	for _, test := range []struct {
		dir, command, class string
	}{
		{"/a", "git t", "heavy"},
		{"/a", "git u", "heavy"},
		{"/a", "git -C /a t", "heavy"},
		{"/a", "git x make", "heavy"},
		{"/a", "git x ls", "light"},
		{"/a", "git lg", "light"},
		{"/a", "git commit -m x", "light"},
		{"/a", "git status", "light"},
		{"/a", "HOME=/home/u; git home", "heavy"},
		{"/a", "HOME=/home/u; git commit", "light"},
		{"/a", "git config alias.v '!make'; git v", "heavy"},
		{"/a", "printf '[alias]\\nw = !npm ci\\n' >> .git/config; git w", "heavy"},
		{"/e", "git commit", "heavy"},
		{"/e", "git log", "light"},
		{"/t", "deno task go", "heavy"},
		{"/t", "deno task say", "light"},
		{"/t", "mise run short", "heavy"},
		{"/t", "mise run long", "heavy"},
		{"/t", "mise deep", "heavy"},
		{"/t", "mise run say ::: short", "heavy"},
		{"/t", "mise run say", "light"},
		{"/t", "mise run file", "heavy"},
		{"/t", "pdm run all", "heavy"},
		{"/t", "pdm run say", "light"},
		{"/t", "pixi run all", "heavy"},
		{"/g", "git apply fix.patch && ./x.sh", "maybe-heavy"},
		{"/g", "git apply fix.patch && bash y.sh", "light"},
		{"/g", "patch -p1 -i fix.patch; bash x.sh", "maybe-heavy"},
		{"/g", "python3 write.py; bash x.sh", "maybe-heavy"},
		{"/g", "python3 write.py; bash y.sh", "light"},
		{"/g", "python3 write.py", "light"},
		{"/g", "bash x.sh", "light"},
		{"/n", "bash scripts/run.sh", "heavy"},
		{"/n", "./scripts/run.sh", "heavy"},
		{"/n", "cd scripts && ./run.sh", "heavy"},
		{"/n", "bash here.sh", "heavy"},
		{"/n", "D=$(dirname \"$0\"); . \"$D/lib.sh\"", "maybe-heavy"},
		{"/n", "python3 rel.py", "heavy"},
		{"/n", "cp here.sh x.sh && bash x.sh", "heavy"},
		{"/n", "mv here.sh x.sh; ./x.sh", "heavy"},
		{"/n", "sed -i s/a/b/ light.sh; bash light.sh", "maybe-heavy"},
		{"/n", "bash light.sh", "light"},
		{"/n", "bash -c \"$(<scripts/lib.sh)\"", "heavy"},
		{"/n", "for f in *.sh; do bash $f; done", "maybe-heavy"},
		{"/n", "echo '{\"scripts\":{\"zap\":\"tsc\"}}' > package.json && npm run zap", "heavy"},
		{"/n", "cat > .git/hooks/pre-commit <<EOF\nnpm ci\nEOF\ngit commit -m x", "heavy"},
		{"/n", "git commit -m x", "light"},
		{"/n", "make help", "heavy"},
		{"/n", "make PM=echo help", "light"},
		{"/n", "make list", "maybe-heavy"},
		{"/n", "just get", "heavy"},
		{"/n", "just g", "heavy"},
		{"/n", "just any", "maybe-heavy"},
		{"/p", "npm run sync", "light"},
		{"/p", "npm run codegen", "heavy"},
		{"/p", "pnpm codegen", "heavy"},
		{"/p", "npm run gen", "heavy"},
		{"/p", "npm run loop", "light"},
		{"/p", "npm run fmt", "heavy"},
		{"/p", "npm run quoted", "heavy"},
		{"/p", "npm run both", "heavy"},
		{"/p", "npm run all", "heavy"},
		{"/p", "npm run each", "heavy"},
		{"/p", "npm run echo", "light"},
		{"/p", "npm run wrapped", "isolated"},
		{"/p/sub/deep", "npm run sync", "heavy"},
		{"/p", "npm --prefix sub run sync", "heavy"},
		{"/p", "pnpm -C sub sync", "heavy"},
		{"/p", "yarn --cwd sub sync", "heavy"},
		{"/p", "cd sub && npm run sync", "heavy"},
		{"/p", "(cd sub); npm run sync", "light"},
		{"/", "npm --prefix /p/sub run sync", "heavy"},
		{"/p", "node --run codegen", "heavy"},
		{"/p", "pnpm -r emit", "heavy"},
		{"/p", "npm run emit --workspaces", "heavy"},
		{"/p", "./run.sh", "heavy"},
		{"/p", "bash run.sh", "heavy"},
		{"/p", ". ./run.sh", "heavy"},
		{"/p", "sudo ./run.sh", "heavy"},
		{"/p", "/p/run.sh", "heavy"},
		{"/p", "./light.sh", "light"},
		{"/p", "bash < run.sh", "heavy"},
		{"/p", "cat run.sh | sh", "heavy"},
		{"/p", "./args.sh npm ci", "heavy"},
		{"/p", "./args.sh ls", "light"},
		{"/p", ". ./lib.sh; ls", "light"},
		{"/p", ". ./lib.sh; go_test", "heavy"},
		{"/p", "./tool", "heavy"},
		{"/p", "./noshebang", "heavy"},
		{"/p", "./elf", "light"},
		{"/p", "./self.sh", "light"},
		{"/p", "make clean", "heavy"},
		{"/p", "make help", "light"},
		{"/p", "make list", "light"},
		{"/", "make -C /p clean", "heavy"},
		{"/m", "make -C a clean", "light"},
		{"/m", "make -C a -C b clean", "heavy"},
		{"/m", "make -Ca -Cb clean", "heavy"},
		{"/m", "make -sC a/b clean", "heavy"},
		{"/m", "make --directory=a --directory b clean", "heavy"},
		{"/m", "make -C a -j 4 clean", "light"},
		{"/m", "make -C a/b -j 4 clean", "heavy"},
		{"/m", "make -C a -f other.mk clean", "heavy"},
		{"/m", "make -C a -fother.mk clean", "heavy"},
		{"/m", "make -C a --makefile=other.mk clean", "heavy"},
		{"/m", "make -C a -f Makefile -f other.mk clean", "heavy"},
		{"/m", "make -C a -f Makefile clean", "light"},
		{"/m", "make --dir=a --makef=other.mk clean", "heavy"},
		{"/m", "just -f a/b/justfile fmt", "heavy"},
		{"/m", "just --justfile=a/b/justfile fmt", "heavy"},
		{"/m", "just -fa/b/justfile -d . fmt", "heavy"},
		{"/m", "task -d a/b tidy", "heavy"},
		{"/m", "task --dir=a/b tidy", "heavy"},
		{"/m", "task -t a/b/Taskfile.yml tidy", "heavy"},
		{"/p", "just fmt", "light"},
		{"/p", "just sync", "heavy"},
		{"/p", "just", "light"},
		{"/p", "task gen", "heavy"},
		{"/p", "task tidy", "light"},
		{"/p", "git commit -m x", "heavy"},
		{"/p", "git hook run pre-commit", "heavy"},
		{"/p", "git hook run --ignore-missing pre-push", "light"},
		{"/p/sub", "git commit -m x", "heavy"},
		{"/", "git -C /p commit -m x", "heavy"},
		{"/p", "git commit --no-verify -m x", "light"},
		{"/p", "git commit -nm x", "light"},
		{"/p", "git commit -mx -n", "light"},
		{"/p", "git commit --help", "light"},
		{"/p", "git commit -m --help", "heavy"},
		{"/p", "git commit -m --no-verify", "heavy"},
		{"/p", "git commit -am --no-verify", "heavy"},
		{"/p", "git commit --message --no-verify", "heavy"},
		{"/p", "git commit -F -n", "heavy"},
		{"/p", "git commit -mnew", "heavy"},
		{"/p", "git commit --author --help -m x", "heavy"},
		{"/p", "git commit -m x -- --no-verify", "heavy"},
		{"/p", "git revert -m --no-verify x", "heavy"},
		{"/k", "git push", "heavy"},
		{"/k", "git push --no-verify", "light"},
		{"/k", "git push -o --no-verify", "heavy"},
		{"/k", "git push --push-option --help", "heavy"},
		{"/k", "git merge -m --no-verify x", "heavy"},
		{"/k", "git merge --no-verify x", "light"},
		{"/p", "git push", "light"},
		{"/p", "git merge x", "light"},
		{"/p", "git status", "light"},
		{"/p", "git -c core.hooksPath=/dev/null commit -m x", "light"},
		{"/h", "git commit -m x", "heavy"},
		{"/w", "git commit -m x", "heavy"},
		{"", "npm run codegen", "light"},
		{"/p", "npm test", "heavy"},
	} {
		v := Classify(Input{Text: test.command, Dir: test.dir, FS: project, Wrapper: approvedInCorpus})
		if v.Class.String() != test.class {
			t.Errorf("in %s: %s, not %s: %q (%s: %s)", test.dir, v.Class, test.class, test.command, v.Rule, v.Reason)
		}
	}
}

// What is no small regular file is not opened: opening a FIFO would hang for ever.
func TestOnlySmallRegularFilesAreOpened(t *testing.T) {
	dir := careful{fstest.MapFS{
		"p/fifo.sh":      {Mode: fs.ModeNamedPipe | 0o755},
		"p/null.sh":      {Mode: fs.ModeDevice | 0o755},
		"p/dir.sh/x":     text(""),
		"p/huge.sh":      {Data: make([]byte, maxFileSize+1), Mode: 0o755},
		"p/package.json": {Mode: fs.ModeNamedPipe | 0o644},
		"p/.git":         {Mode: fs.ModeSocket},
		"p/Makefile":     {Mode: fs.ModeIrregular},
	}, t}
	for _, command := range []string{"./fifo.sh", "bash null.sh", ". ./dir.sh", "sh huge.sh", "npm run x", "git commit -m x", "make clean", "bash < fifo.sh"} {
		if v := Classify(Input{Text: command, Dir: "/p", FS: dir}); v.Class == Heavy {
			t.Errorf("%s: %q", v.Class, command)
		}
	}
}

// careful fails the test when something other than a small regular file is opened.
type careful struct {
	fstest.MapFS
	t *testing.T
}

func (c careful) Open(name string) (fs.File, error) {
	if f := c.MapFS[name]; f != nil && (!f.Mode.IsRegular() || len(f.Data) > maxFileSize) {
		c.t.Errorf("%s was opened", name)
	}
	return c.MapFS.Open(name)
}

func (c careful) Stat(name string) (fs.FileInfo, error) { return c.MapFS.Stat(name) }

// Scripts that call each other without end are followed a bounded number of times.
func TestFilesAreFollowedBoundedly(t *testing.T) {
	project := fstest.MapFS{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		project["p/"+name+".sh"] = script("#!/bin/sh\n# " + name + "\n./a.sh; ./b.sh; ./c.sh; ./d.sh; ./e.sh; ./f.sh\n")
	}
	counted := &counting{FS: project}
	Classify(Input{Text: "./a.sh", Dir: "/p", FS: counted})
	if counted.opened > maxFiles {
		t.Errorf("%d files were opened", counted.opened)
	}
}

// A string that names more scripts than are looked at may run anything: it is not judged by the first of them.
func TestMoreFilesThanAreLookedAt(t *testing.T) {
	project := fstest.MapFS{}
	var command strings.Builder
	for i := range maxFiles + 1 {
		name := fmt.Sprintf("s%d.sh", i)
		project["p/"+name] = script(fmt.Sprintf("echo %d\n", i))
		fmt.Fprintf(&command, "sh %s; ", name)
	}
	all := command.String()
	enough := all[:strings.LastIndex(all, "sh ")]
	if v := Classify(Input{Text: enough, Dir: "/p", FS: project}); v.Class != Light {
		t.Errorf("%d files: %s by %s", maxFiles, v.Class, v.Rule)
	}
	if v := Classify(Input{Text: all, Dir: "/p", FS: project}); v.Class != MaybeHeavy || !v.Opaque || v.Rule != "budget.files" {
		t.Errorf("%d files: %s by %s", maxFiles+1, v.Class, v.Rule)
	}
	if v := Classify(Input{Text: all + "npm ci", Dir: "/p", FS: project}); v.Class != Heavy {
		t.Errorf("a heavy command behind them: %s by %s", v.Class, v.Rule)
	}
	looks := strings.Repeat("sh none.sh; ", 4*maxFiles+1) // files that are not there count when they are looked for
	if v := Classify(Input{Text: looks, Dir: "/p", FS: project}); v.Rule != "budget.files" {
		t.Errorf("looking %d times: %s by %s", 4*maxFiles+1, v.Class, v.Rule)
	}
}

type counting struct {
	fs.FS
	opened int
}

func (c *counting) Open(name string) (fs.File, error) {
	c.opened++
	return c.FS.Open(name)
}

func (c *counting) Stat(name string) (fs.FileInfo, error) {
	return fakeInfo{}, nil
}

type fakeInfo struct{}

func (fakeInfo) Name() string       { return "" }
func (fakeInfo) Size() int64        { return 100 }
func (fakeInfo) Mode() fs.FileMode  { return 0o755 }
func (fakeInfo) ModTime() time.Time { return time.Time{} }
func (fakeInfo) IsDir() bool        { return false }
func (fakeInfo) Sys() any           { return nil }
