package main

import (
	"shakedown/driver/hdr"
	"shakedown/driver/protocol"
)

const millisecond = 1_000_000

// timed does one operation under the clock.
func timed(w workload) (spent [2]uint64, bytes uint64, err error) {
	var t timer
	bytes, err = w.run(&t)
	return t.spent, bytes, err
}

// batchSize warms up and estimates how many operations take one batch.
func batchSize(request *protocol.Request, w workload) (uint64, error) {
	limit := uint64(request.WarmUpMS) * millisecond
	// The first operation is many times slower than the rest. Including it would make the batches too
	// small.
	first, _, err := timed(w)
	if err != nil {
		return 0, err
	}
	var spent, operations uint64
	for first[0]+first[1]+spent < limit || operations == 0 {
		one, _, err := timed(w)
		if err != nil {
			return 0, err
		}
		spent += one[0] + one[1]
		operations++
	}
	each := max(1, spent/operations)
	return max(1, uint64(request.BatchMS)*millisecond/each), nil
}

// series has what one thread measured, the client first.
type series struct {
	samples [2][]protocol.Sample
	latency [2]*hdr.Histogram
	wire    protocol.Wire
}

// newSeries has room for everything that the request can produce, so that measuring does not allocate.
func newSeries(request *protocol.Request) *series {
	batches := request.MeasureMS/max(1, request.BatchMS)*2 + 64
	s := &series{}
	for side := range s.samples {
		s.samples[side] = make([]protocol.Sample, 0, batches)
		s.latency[side] = &hdr.Histogram{}
	}
	return s
}

// run measures batches until done says so, which gets the time that was measured.
func (s *series) run(w workload, thread, size uint64, done func(spent uint64) bool) error {
	var total uint64
	for !done(total) {
		var batch [2]uint64
		var bytes uint64
		for range size {
			spent, more, err := timed(w)
			if err != nil {
				return err
			}
			for side := range batch {
				batch[side] += spent[side]
				s.latency[side].Record(spent[side])
			}
			bytes += more
		}
		total += batch[0] + batch[1]
		for side := range batch {
			s.samples[side] = append(s.samples[side], protocol.Sample{
				Operations:  size,
				Nanoseconds: max(1, batch[side]),
				Bytes:       bytes,
				Thread:      thread,
			})
		}
	}
	return nil
}
