package limits

import (
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	const total = 8 << 30
	for text, want := range map[string]uint64{
		"0": 0, "1024": 1024, "64M": 64 << 20, "1.5G": 3 << 29, "6G": 6 << 30, "2T": 2 << 40, "100B": 100,
		"infinity": Infinity, "50%": 4 << 30, "0%": 0, "100%": total, "12.5%": 1 << 30, " 64M ": 64 << 20,
	} {
		if got, err := ParseSize(text, total); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "M", "64X", "-1", "+1", "1e9", "0x10", "inf", "Infinity", "NaN", "101%", "-1%", "%", "6 G", "6GB", "20000000000000000000", "16E", "99999P"} {
		if got, err := ParseSize(text, total); err == nil {
			t.Errorf("ParseSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 512: "512B", 1024: "1K", 64 << 20: "64M", 3972844748: "3.7G", 99999744: "95.4M", 510251008: "487M", Infinity: "infinity", 1 << 40: "1T",
	} {
		if got := FormatSize(n); got != want {
			t.Errorf("FormatSize(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParseSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "30s": 30 * time.Second, "10min": 10 * time.Minute, "1h 30min": 90 * time.Minute, "1h30min": 90 * time.Minute,
		"2.5s": 2500 * time.Millisecond, "500ms": 500 * time.Millisecond, "1d": 24 * time.Hour, "infinity": 0, "0": 0,
	} {
		if got, err := ParseSpan(text); err != nil || got != want {
			t.Errorf("ParseSpan(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "s", "-1", "1 fortnight", "1h x", "99999999999d"} {
		if got, err := ParseSpan(text); err == nil {
			t.Errorf("ParseSpan(%q) = %v, want an error", text, got)
		}
	}
}

// TestDefaults pins the limits that apply when nobody set any, for machines that people rent and buy.
func TestDefaults(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct{ total, slice, scope uint64 }{
		{512 * mib, 256 * mib, 256 * mib},
		{1 * gib, 512 * mib, 512 * mib},
		{2 * gib, 1536 * mib, 1536 * mib},
		{4 * gib, 3 * gib, 3 * gib},
		{8 * gib, 6 * gib, 6 * gib},
		{16 * gib, 12 * gib, 12 * gib},
		{24 * gib, 20 * gib, 15 * gib},
		{64 * gib, 60 * gib, 45 * gib},
	} {
		slice := DefaultSlice(c.total)
		if scope := DefaultScope(slice); slice != c.slice || scope != c.scope {
			t.Errorf("%s: slice %s, scope %s, want %s, %s", FormatSize(c.total),
				FormatSize(slice), FormatSize(scope), FormatSize(c.slice), FormatSize(c.scope))
		}
	}
}

// TestDefaultsLeaveRoom: whatever the machine, something is kept for the agent, and one command never has more than all have.
func TestDefaultsLeaveRoom(t *testing.T) {
	for total := uint64(2 * Floor); total < 1<<42; total += total/7 + 1 {
		slice := DefaultSlice(total)
		if scope := DefaultScope(slice); slice >= total || slice < total/2 || scope > slice || scope < Floor {
			t.Fatalf("%d: slice %d, scope %d", total, slice, scope)
		}
	}
}

func TestRunningAndNeed(t *testing.T) {
	const gib = 1 << 30
	for total, want := range map[uint64]int{gib: 1, 4 * gib: 1, 8 * gib: 1, 16 * gib: 2, 64 * gib: 4, 512 * gib: 4} {
		if got := DefaultRunning(total); got != want {
			t.Errorf("DefaultRunning(%s) = %d, want %d", FormatSize(total), got, want)
		}
	}
	if got := Need(4*gib, 3*gib); got != 512<<20 {
		t.Errorf("Need on 4G: %s", FormatSize(got))
	}
	if got := Need(64*gib, gib); got != gib {
		t.Errorf("Need under a small limit: %s", FormatSize(got))
	}
}

func TestFormatSpan(t *testing.T) {
	for span, want := range map[time.Duration]string{0: "0s", 90 * time.Minute: "1h 30min", 10 * time.Minute: "10min", 1500 * time.Millisecond: "1s 500ms"} {
		got := FormatSpan(span)
		if back, err := ParseSpan(got); got != want || err != nil || back != span {
			t.Errorf("FormatSpan(%v) = %q, read back %v, %v", span, got, back, err)
		}
	}
}
