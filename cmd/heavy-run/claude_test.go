package main

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

const ourPrefix = "/usr/local/bin/exec-prefix"

func TestSettingThePrefixChangesNothingElse(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"empty":      {"{}", "{\n  \"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\"\n  }\n}"},
		"no env":     {"{\n  \"model\": \"x\"\n}\n", "{\n  \"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\"\n  },\n  \"model\": \"x\"\n}\n"},
		"an env":     {"{\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n", "{\n  \"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\",\n    \"A\": \"1\"\n  }\n}\n"},
		"one line":   {`{"env":{"A":"1"},"b":[1.0,1e3]}`, "{\"env\":{\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\",\n    \"A\":\"1\"},\"b\":[1.0,1e3]}"},
		"empty env":  {`{"env": {}, "b": 1}`, "{\"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\"\n  }, \"b\": 1}"},
		"it is set":  {`{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/usr/local/bin/exec-prefix"}}`, `{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/usr/local/bin/exec-prefix"}}`},
		"two envs":   {`{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/other"}, "env": {"A": "1"}}`, "{\"env\": {\"CLAUDE_CODE_SHELL_PREFIX\": \"/other\"}, \"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\",\n    \"A\": \"1\"}}"},
		"a decoy":    {`{"hooks": {"env": {"A": "1"}}, "x": "\"env\": {"}`, "{\n  \"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\"\n  },\n  \"hooks\": {\"env\": {\"A\": \"1\"}}, \"x\": \"\\\"env\\\": {\"}"},
		"big number": {`{"n": 12345678901234567890, "s": "<&\u00e9>"}`, "{\n  \"env\": {\n    \"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/local/bin/exec-prefix\"\n  },\n  \"n\": 12345678901234567890, \"s\": \"<&\\u00e9>\"}"},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := settingPrefix([]byte(c.before), ourPrefix)
			if err != nil || string(after) != c.after {
				t.Fatalf("%v\n%s\nwant\n%s", err, after, c.after)
			}
			again, err := settingPrefix(after, ourPrefix)
			if err != nil || string(again) != c.after {
				t.Errorf("a second time: %v\n%s", err, again)
			}
			var was, is, back map[string]any
			json.Unmarshal([]byte(c.before), &was)
			if err := json.Unmarshal(after, &is); err != nil || is["env"].(map[string]any)[prefixVariable] != ourPrefix {
				t.Errorf("not set: %v", err)
			}
			without, err := withoutPrefix(after, ourPrefix)
			if err != nil || json.Unmarshal(without, &back) != nil {
				t.Fatalf("%v\n%s", err, without)
			}
			if env, ok := was["env"].(map[string]any); ok && len(env) == 0 || name == "it is set" {
				delete(was, "env") // an empty one is taken out too
			}
			if name != "two envs" && !reflect.DeepEqual(was, back) {
				t.Errorf("taken out again: %s\nwas %s", without, c.before)
			}
		})
	}
}

func TestOthersPrefixStays(t *testing.T) {
	const settings = `{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/opt/wrapper --x"}}`
	if _, err := settingPrefix([]byte(settings), ourPrefix); !errors.Is(err, errOthersPrefix) {
		t.Errorf("set: %v", err)
	}
	if _, err := withoutPrefix([]byte(settings), ourPrefix); !errors.Is(err, errOthersPrefix) {
		t.Errorf("unset: %v", err)
	}
}

func TestSettingsThatAreNone(t *testing.T) {
	for _, settings := range []string{"", "{", "[]", "null", "// a comment\n{}", `{"env": "x"}`, `{"env": {}} x`, "\xff"} {
		if _, err := settingPrefix([]byte(settings), ourPrefix); err == nil {
			t.Errorf("%q was edited", settings)
		}
	}
}

func FuzzSettingThePrefix(f *testing.F) {
	f.Add(`{"env": {"A": "1"}, "b": [{}]}`)
	f.Add("{ \t\n}")
	f.Fuzz(func(t *testing.T, settings string) {
		after, err := settingPrefix([]byte(settings), ourPrefix)
		if err != nil {
			return
		}
		if !json.Valid(after) {
			t.Fatalf("%q became %q", settings, after)
		}
		if strings.Contains(settings, prefixVariable) {
			return
		}
		without, err := withoutPrefix(after, ourPrefix)
		if err != nil || !json.Valid(without) {
			t.Fatalf("%q became %q and then %q, %v", settings, after, without, err)
		}
	})
}
