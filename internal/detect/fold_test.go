package detect

import "testing"

func TestEnvironmentIsFolded(t *testing.T) {
	env := map[string]string{"PM": "pnpm", "BIN": "/opt/bin", "FLAGS": "", "TASK": "lint", "ECHO": "echo"}
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for text, class := range map[string]Class{
		"$PM install":                         Heavy,
		"$BIN/vitest":                         Heavy,
		"pnpm $FLAGS install":                 Heavy,
		"pnpm run $TASK":                      Heavy,
		"$ECHO pnpm install":                  Light,
		"PM=echo; $PM install":                Light,
		"bash -c '$PM install'":               Heavy,
		"${UNSET:-pnpm} install":              Heavy,
		"$UNSET pnpm install":                 Heavy,
		"$UNSET install":                      MaybeHeavy,
		"$ECHO x":                             Light,
		"eval \"$UNSET\"; $ECHO pnpm install": MaybeHeavy,
	} {
		if v := Classify(Input{Text: text, Getenv: getenv}); v.Class != class {
			t.Errorf("%s, not %s: %q (%s)", v.Class, class, text, v.Rule)
		}
	}
}

func TestBranchesKeepEarlierMeanings(t *testing.T) {
	for text, class := range map[string]Class{
		"PM=pnpm; x && PM=echo; $PM install":                       Heavy,
		"PM=pnpm; if x; then PM=echo; else PM=ls; fi; $PM install": Heavy,
		"PM=pnpm; (PM=echo); $PM install":                          Heavy,
		"PM=pnpm; true | PM=echo; $PM install":                     Heavy,
		"PM=pnpm; PM=echo; $PM install":                            Light,
		"PM=echo; (PM=pnpm); $PM install":                          Light,
		"f() { npm ci; }; x && f() { ls; }; f":                     Heavy,
		"f() { npm ci; }; f() { ls; }; f":                          Light,
		"npm() { ls; }; npm ci":                                    Light,
		"npm() { ls; }; command npm ci":                            Heavy,
		"npm() { ls; }; sudo npm ci":                               Heavy,
		"npm() { ls; }; bash -c 'npm ci'":                          Heavy,
		"alias npm=ls; npm ci":                                     Heavy,
		"for i in 1 2; do $c; c='npm ci'; done":                    Heavy,
		"exit() { :; }; exit; npm ci":                              Heavy,
		"exit; npm ci":                                             Light,
		"x || exit; npm ci":                                        Heavy,
		"(exit); npm ci":                                           Heavy,
		"(echo \"\"#; npm ci\n)":                                   Heavy,
		"x=$(echo $a#b; npm ci\n)":                                 Heavy,
		"(echo 'a'#; : ${b}#; npm ci\n)":                           Heavy,
		"echo $((make)\n)":                                         Heavy,
		"echo $((make) )":                                          Heavy,
		"((make)\n)":                                               Heavy,
		"echo $((make))":                                           Light,
		"(ls # ; npm ci\n)":                                        Light,
	} {
		if v := Classify(Input{Text: text}); v.Class != class {
			t.Errorf("%s, not %s: %q (%s)", v.Class, class, text, v.Rule)
		}
	}
}
