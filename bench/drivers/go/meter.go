package main

import (
	"runtime"
	"time"

	"shakedown/driver/protocol"
)

// The endpoints, as indices. In a transfer the server sends and the client receives.
const (
	client = 0
	server = 1
)

// A meter attributes work to endpoints: start, then switchTo any number of times, then stop.
type meter interface {
	start(endpoint int)
	switchTo(endpoint int)
	stop()
}

// origin has a reading of the monotonic clock, so that time.Since reads that clock only: CLOCK_MONOTONIC,
// through the vDSO, which is the clock of every driver.
var origin = time.Now()

func now() uint64 { return uint64(time.Since(origin)) }

// A timer measures the nanoseconds of each endpoint. It reads the clock once a step.
//
// The garbage collector is in these times. Its workers run on the CPUs of the process whenever the heap
// has doubled (GOGC=100, unless the environment says otherwise; at least 4 MiB), and whoever allocates
// meanwhile assists. On one CPU a collection is charged to the side that it interrupts: over many
// operations, to each side by its share of the time. Variant no-gc measures without it.
type timer struct {
	spent   [2]uint64
	current int
	since   uint64
}

func (t *timer) start(endpoint int) { t.current, t.since = endpoint, now() }

func (t *timer) switchTo(endpoint int) {
	time := now()
	t.spent[t.current] += time - t.since
	t.current, t.since = endpoint, time
}

func (t *timer) stop() { t.spent[t.current] += now() - t.since }

// noMeter measures nothing, for operations outside the measurement.
type noMeter struct{}

func (noMeter) start(int)    {}
func (noMeter) switchTo(int) {}
func (noMeter) stop()        {}

// A heapMeter counts allocations of each endpoint as the runtime does: tiny objects that share a block
// count each, and bytes are those of the size classes that were handed out, not those that were asked for.
// How much is alive at once only the collector knows, so there is no peak.
type heapMeter struct {
	counts  [2]protocol.Counts
	current int
	before  runtime.MemStats
}

func (h *heapMeter) start(endpoint int) {
	h.current = endpoint
	runtime.ReadMemStats(&h.before)
}

func (h *heapMeter) switchTo(endpoint int) {
	h.stop()
	h.current = endpoint
}

func (h *heapMeter) stop() {
	last := h.before
	runtime.ReadMemStats(&h.before)
	counts := &h.counts[h.current]
	counts.Allocations += h.before.Mallocs - last.Mallocs
	counts.AllocatedBytes += h.before.TotalAlloc - last.TotalAlloc
}
