package detect

import "strings"

// A decoding is a string with a client's wrapping taken off: the text that runs in front of the model's command, and the
// command itself.
type decoding struct {
	shape   Shape
	head    string // runs first; it may hold what a hook wrote, so it is judged as well
	inner   string
	carrier span // the part of the string that holds the command
}

// decode takes off the wrapping in which Claude Code and OpenClaw hand the model's command to a shell. A string in neither
// form is its own inner command. Nothing is lost by taking a string for a wrapped one: head and inner are all that runs.
func decode(text string) decoding {
	if d, ok := decodeOpenClaw(text); ok {
		return d
	}
	if d, ok := decodeClaude(text); ok {
		return d
	}
	return decoding{shape: Raw, inner: text, carrier: span{0, len(text)}}
}

// decodeClaude reads
//
//	HEAD && eval WORD [< /dev/null] && pwd -P >| FILE
//
// where WORD and FILE are bare or made of single-quoted pieces joined by "'". The head holds a shell snapshot, options,
// and whatever hooks wrote to CLAUDE_ENV_FILE, so the first " && eval " that the rest of the string fits is the one.
func decodeClaude(text string) (decoding, bool) {
	const mark = "eval "
	if !strings.Contains(text, " && pwd -P >| ") {
		return decoding{}, false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			return decoding{}, false
		}
		i += from
		from = i + len(mark)
		if i > 0 && !strings.HasSuffix(text[:i], " && ") {
			continue
		}
		word, rest, ok := clientWord(text[from:])
		if !ok {
			continue
		}
		carrier := span{i, len(text) - len(rest)}
		rest = strings.TrimPrefix(rest, " < /dev/null")
		rest, ok = strings.CutPrefix(rest, " && pwd -P >| ")
		if !ok {
			continue
		}
		if _, rest, ok = clientWord(rest); ok && rest == "" {
			head := strings.TrimSuffix(text[:i], " && ")
			if scaffolding(head) {
				head = ""
			}
			return decoding{shape: ClaudeBash, head: head, inner: word, carrier: carrier}, true
		}
	}
}

// scaffolding reports whether a head holds nothing but what Claude Code itself puts there. Most do, and reading it takes a
// tenth of the time that parsing it would.
func scaffolding(head string) bool {
	for {
		rest := head
		if word, after, ok := cutWord(head, "source "); ok && strings.Contains(word, "/shell-snapshots/") {
			rest, _ = strings.CutPrefix(after, " 2>/dev/null || true")
		}
		for _, fixed := range [...]string{
			`{ \builtin shopt -u extglob || \builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_RC_QUOTES NO_EQUALS; } >/dev/null 2>&1 || true`,
			`{ shopt -u extglob || setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true`,
			`{ \builtin unalias -- 'which'; \builtin unset -f -- 'which'; } >/dev/null 2>&1 || true`,
			`{ \builtin unalias -- 'unsetenv'; \builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true`,
		} {
			rest = strings.TrimPrefix(rest, fixed)
		}
		if rest == "" {
			return true
		}
		next, ok := strings.CutPrefix(rest, " && ")
		if !ok || rest == head {
			return false
		}
		head = next
	}
}

// clientWord reads one word as the clients write it: bare, or single-quoted pieces with "'" or \' between them.
func clientWord(text string) (word, rest string, ok bool) {
	if !strings.HasPrefix(text, "'") {
		end := 0
		for end < len(text) && bareByte(text[end]) {
			end++
		}
		return text[:end], text[end:], end > 0
	}
	var b strings.Builder
	for {
		end := strings.IndexByte(text[1:], '\'')
		if end < 0 {
			return "", "", false
		}
		piece := text[1 : 1+end]
		rest = text[2+end:]
		next := ""
		for _, quote := range [...]string{`"'"`, `\'`} {
			if after, ok := strings.CutPrefix(rest, quote); ok {
				next = after
				break
			}
		}
		if !strings.HasPrefix(next, "'") {
			if b.Len() == 0 {
				return piece, rest, true
			}
			b.WriteString(piece)
			return b.String(), rest, true
		}
		b.WriteString(piece)
		b.WriteByte('\'')
		text = next
	}
}

// bareByte reports whether Claude Code leaves a character unquoted.
func bareByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("_./:=@+,-", c) >= 0
}

// The fixed texts of OpenClaw's forms: the gateway's PATH prologue, the first line of the snapshot form, the managed
// identity.
const (
	openClawPath     = `export PATH="${OPENCLAW_PREPEND_PATH}${PATH:+:$PATH}"; unset OPENCLAW_PREPEND_PATH; `
	openClawSnapshot = "if [ -r "
	openClawIdentity = "/bin/sh -c 'set +x; GH_TOKEN="
	openClawGitHub   = " openclaw-github-exec "
)

func decodeOpenClaw(text string) (decoding, bool) {
	switch {
	case strings.HasPrefix(text, openClawPath):
		at := len(openClawPath)
		return decoding{shape: OpenClaw, inner: text[at:], carrier: span{at, len(text)}}, true
	case strings.HasPrefix(text, openClawSnapshot):
		return decodeSnapshot(text)
	case strings.HasPrefix(text, openClawIdentity):
		return decodeIdentity(text)
	}
	return decoding{}, false
}

// decodeSnapshot reads three kinds of lines: the snapshot is sourced, the environment is brought up to date, the command
// is evaluated.
func decodeSnapshot(text string) (decoding, bool) {
	file, rest, ok := clientWord(text[len(openClawSnapshot):])
	if !ok || !strings.Contains(file, "/shell-snapshots/") {
		return decoding{}, false
	}
	again, rest, ok := cutWord(rest, " ]; then . ")
	if !ok || again != file {
		return decoding{}, false
	}
	rest, ok = strings.CutPrefix(rest, "; fi\n")
	for ok {
		if word, end, found := cutWord(rest, "eval "); found {
			if strings.TrimSpace(end) != "" {
				return decoding{}, false
			}
			at := len(text) - len(rest)
			d := decoding{shape: OpenClaw, inner: word, carrier: span{at, len(text) - len(end)}}
			d.inner = strings.TrimPrefix(d.inner, openClawPath)
			return d, true
		}
		if name, end, found := strings.Cut(rest, "\n"); found && strings.HasPrefix(name, "unset ") && isName(name[len("unset "):]) {
			rest = end
			continue
		}
		rest, ok = strings.CutPrefix(rest, "export ")
		name, value, found := strings.Cut(rest, "=")
		if !ok || !found || !isName(name) {
			return decoding{}, false
		}
		_, rest, ok = clientWord(value)
		if ok {
			rest, ok = strings.CutPrefix(rest, "\n")
		}
	}
	return decoding{}, false
}

// decodeIdentity reads sh -c 'fetch a token; exec "$@"' openclaw-github-exec SHELL -c COMMAND.
func decodeIdentity(text string) (decoding, bool) {
	_, rest, ok := clientWord(text[len("/bin/sh -c "):])
	if !ok || !strings.HasPrefix(rest, openClawGitHub) {
		return decoding{}, false
	}
	_, rest, ok = clientWord(rest[len(openClawGitHub):])
	if !ok {
		return decoding{}, false
	}
	at := len(text) - len(rest) + len(" -c ")
	word, rest, ok := cutWord(rest, " -c ")
	if !ok || strings.TrimSpace(rest) != "" {
		return decoding{}, false
	}
	return decoding{shape: OpenClaw, inner: strings.TrimPrefix(word, openClawPath), carrier: span{at, len(text)}}, true
}

func cutWord(text, prefix string) (word, rest string, ok bool) {
	text, ok = strings.CutPrefix(text, prefix)
	if !ok {
		return "", "", false
	}
	return clientWord(text)
}
