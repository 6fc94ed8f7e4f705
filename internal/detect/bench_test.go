package detect

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkClassify judges every command of the corpus once an iteration and reports the median of their times, which no
// single long here-document moves.
func BenchmarkClassify(b *testing.B) {
	rows := commandRows(b)
	times := make([]time.Duration, len(rows))
	for i := range times {
		times[i] = time.Hour
	}
	b.ReportAllocs()
	for b.Loop() {
		for i, r := range rows {
			in := r.input()
			start := time.Now()
			Classify(in)
			times[i] = min(times[i], time.Since(start))
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "ns/median")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "ns/p99")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/command")
}

func BenchmarkClassifyClaude(b *testing.B) {
	in := Input{Text: clientForms[0].wrap("git status --short && pnpm lint:core 2>&1 | tail -20")}
	b.ReportAllocs()
	for b.Loop() {
		Classify(in)
	}
}
