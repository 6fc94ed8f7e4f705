package detect

import (
	"path"
	"slices"
	"strings"
)

// otherNames lists names under which a program is also installed, and packages whose program has another name. It is sorted
// by the first of the two.
var otherNames = [...]struct{ name, program string }{
	{"@angular/cli", "ng"},
	{"@anthropic-ai/claude-code", "claude"},
	{"@babel/cli", "babel"},
	{"@biomejs/biome", "biome"},
	{"@changesets/cli", "changeset"},
	{"@docusaurus/core", "docusaurus"},
	{"@expo/cli", "expo"},
	{"@google/gemini-cli", "gemini"},
	{"@lhci/cli", "lhci"},
	{"@napi-rs/cli", "napi"},
	{"@nestjs/cli", "nest"},
	{"@nuxt/cli", "nuxi"},
	{"@openai/codex", "codex"},
	{"@playwright/test", "playwright"},
	{"@remix-run/dev", "remix"},
	{"@rspack/cli", "rspack"},
	{"@storybook/cli", "storybook"},
	{"@stryker-mutator/core", "stryker"},
	{"@sveltejs/package", "svelte-kit"},
	{"@swc/cli", "swc"},
	{"@tailwindcss/cli", "tailwindcss"},
	{"@tauri-apps/cli", "tauri"},
	{"@typescript/native-preview", "tsgo"},
	{"@vue/cli-service", "vue-cli-service"},
	{"Rscript", "rscript"},
	{"_mocha", "mocha"},
	{"batch", "at"},
	{"bazelisk", "bazel"},
	{"bmake", "make"},
	{"cmake3", "cmake"},
	{"cnpm", "pnpm"},
	{"colormake", "make"},
	{"composer.phar", "composer"},
	{"docker-compose", "compose"},
	{"fab", "invoke"},
	{"gmake", "make"},
	{"go-task", "task"},
	{"gradle.sh", "gradle"},
	{"gradlew", "gradle"},
	{"gradlew.bat", "gradle"},
	{"inv", "invoke"},
	{"mingw32-make", "make"},
	{"mocha.js", "mocha"},
	{"mvnd", "mvn"},
	{"mvnw", "mvn"},
	{"ninja-build", "ninja"},
	{"nodejs", "node"},
	{"npm-cli", "npm"},
	{"npm-cli.js", "npm"},
	{"npx-cli", "npx"},
	{"npx-cli.js", "npx"},
	{"pmake", "make"},
	{"pn", "pnpm"},
	{"pnpm.cjs", "pnpm"},
	{"podman-compose", "compose"},
	{"ptw", "pytest-watch"},
	{"py", "python"},
	{"pypy", "python"},
	{"python2", "python"},
	{"remake", "make"},
	{"tox-uv", "tox"},
	{"typescript", "tsc"},
	{"yarn-berry", "yarn"},
	{"yarn.cjs", "yarn"},
	{"yarn.js", "yarn"},
	{"yarnpkg", "yarn"},
}

func nameOf(other string) string {
	i, ok := slices.BinarySearchFunc(otherNames[:], other, func(n struct{ name, program string }, name string) int {
		return strings.Compare(n.name, name)
	})
	if !ok {
		return ""
	}
	return otherNames[i].program
}

// programName reduces a program's file name to the name that the table knows it by.
func programName(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		switch strings.ToLower(name[dot:]) {
		case ".exe", ".cmd", ".bat", ".ps1":
			name = name[:dot]
		}
	}
	if known(name) {
		return name
	}
	if strings.HasPrefix(name, "ld-linux") { // ld-linux-x86-64.so.2 PROGRAM
		return "ld.so"
	}
	if alias := nameOf(name); alias != "" {
		return alias
	}
	// python3.12, pip3, clang-17, g++-12, ruby3.2: the version goes, if that leaves a known name.
	short := strings.TrimRight(name, "0123456789.")
	if trimmed := strings.TrimRight(short, "-"); trimmed != name && trimmed != "" {
		if known(trimmed) {
			return trimmed
		}
		if alias := nameOf(trimmed); alias != "" {
			return alias
		}
		short = trimmed
	}
	// riscv64-linux-gnu-gcc: so does the target.
	if dash := strings.LastIndexByte(short, '-'); dash > 0 {
		switch tool := short[dash+1:]; tool {
		case "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "gfortran", "cmake", "configure":
			return tool
		}
	}
	return name
}

// known reports whether the tables or the special cases know a name.
func known(name string) bool {
	return len(rulesFor(name)) > 0 || findWrapper(name) != nil || special(name) != nil
}

// knownProgram is known for a word as it is written.
func knownProgram(word string) bool {
	if slash := strings.LastIndexByte(word, '/'); slash >= 0 {
		word = word[slash+1:]
	}
	if word == "" {
		return false
	}
	name := programName(word)
	return known(name) || shellWord(name) || isCommon(name)
}

func shellWord(name string) bool {
	switch name {
	case "eval", "exec", "command", "builtin", "source", ".", "noglob", "nocorrect", "cd":
		return true
	}
	return false
}

// isCommon lists programs that are light and that wrappers often run, so that they are not taken for an option's value.
func isCommon(name string) bool {
	switch name {
	case "awk", "basename", "cat", "chmod", "chown", "cp", "curl", "cut", "date", "dd", "df", "diff", "dirname", "du", "echo",
		"file", "find", "git", "head", "hostname", "id", "install", "journalctl", "kill", "ln", "ls", "man", "mkdir", "mktemp", "mv",
		"printf", "ps", "pwd", "readlink", "rm", "rmdir", "rsync", "sed", "service", "sleep", "sort", "stat", "systemctl", "tail",
		"tar", "tee", "test", "touch", "tr", "true", "uname", "uniq", "wc", "wget", "which", "whereis", "whoami":
		return true
	}
	return false
}

// packageProgram is the program that a package brings: npx PACKAGE@VERSION.
func packageProgram(word string) string {
	word = strings.TrimPrefix(word, "npm:")
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		word = word[:at]
	}
	if program := nameOf(word); program != "" {
		return program
	}
	return programName(path.Base(word))
}
