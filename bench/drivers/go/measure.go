package main

import (
	"runtime/debug"
	"sync"

	"shakedown/driver/protocol"
)

// measure measures a request, or says why not.
func measure(request *protocol.Request) (*protocol.Measurement, error) {
	scenario := &request.Scenario
	if err := answerable(request); err != nil {
		return nil, err
	}
	if err := possible(request); err != nil {
		return nil, err
	}
	config, err := newConfig(request)
	if err != nil {
		return nil, err
	}
	if scenario.Kind == "setup-process" {
		return firstHandshake(request, config)
	}
	ends, err := configure(config)
	if err != nil {
		return nil, err
	}
	if scenario.Kind == "memory" {
		return peakMemory(request, ends)
	}
	of := func() (workload, error) { return workloadOf(ends) }
	if request.Meter == protocol.Heap {
		return counted(request, of)
	}
	return timedTogether(request, of)
}

// answerable refuses what is not of this protocol or makes no connections.
func answerable(request *protocol.Request) error {
	if request.Protocol != protocol.Version {
		return protocol.Failed("the request uses driver protocol %d, but this driver uses %d: rebuild the driver",
			request.Protocol, protocol.Version)
	}
	if !request.Scenario.Connects() {
		return protocol.Unsupported("the driver of this stack measures TLS only")
	}
	return offers(&request.Scenario)
}

// offers refuses what this driver has not implemented, so that it does not measure something else.
func offers(scenario *protocol.Scenario) error {
	switch {
	case scenario.Verifies != "":
		return protocol.Unsupported("the driver of this stack verifies a chain of two certificates up to one root only")
	case scenario.Connections != 0:
		return protocol.Unsupported("connections at once are those of a real server")
	case scenario.Records != "":
		return protocol.Unsupported("the driver of this stack sends records of the library's size only")
	case scenario.Kind == "handshake-early-data":
		return protocol.Unsupported("crypto/tls sends no early data: it has 0-RTT for QUIC only")
	case scenario.Tickets > 1:
		return protocol.Unsupported("a server of crypto/tls sends one ticket or none")
	}
	return nil
}

// possible refuses meters that this driver does not have.
func possible(request *protocol.Request) error {
	scenario := &request.Scenario
	alone := scenario.Kind == "memory" || scenario.Kind == "setup-process"
	switch {
	case request.Meter == protocol.Time:
		return nil
	case request.Meter == protocol.Instructions:
		return protocol.Unsupported("Go's runtime spreads its work, the garbage collector's too, over threads: " +
			"instructions can't be counted for a side")
	case request.Meter == protocol.Locks:
		return protocol.Unsupported("Go's locks are its runtime's own, not the C library's: they can't be counted")
	case request.Meter != protocol.Heap:
		return protocol.Unsupported("there is no meter %q", request.Meter)
	case alone:
		return protocol.Unsupported("%s scenarios support the time meter only", scenario.Kind)
	case scenario.Threads > 1:
		return protocol.Unsupported("allocations and instructions are counted on one thread only")
	}
	return nil
}

func workloadOf(ends *endpoints) (workload, error) {
	switch ends.config.scenario.Kind {
	case "bulk":
		return newTransfers(ends)
	case "setup-context", "setup-handshake":
		return setUp(ends)
	}
	return newHandshakes(ends)
}

// Operations before anything is counted, so that what a library sets up once is not in the counts.
const settle = 3

// counted counts allocations over a fixed number of operations. The collector stays off below 1 GiB:
// it empties the pools that crypto/tls takes its buffers from, at any moment.
func counted(request *protocol.Request, of func() (workload, error)) (*protocol.Measurement, error) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1 << 30)
	w, err := of()
	if err != nil {
		return nil, err
	}
	defer w.close()
	wire, err := probe(w)
	if err != nil {
		return nil, err
	}
	m := &heapMeter{}
	for operation := range settle + request.Operations {
		if operation == settle {
			*m = heapMeter{}
		}
		if _, err := w.run(m); err != nil {
			return nil, err
		}
	}
	result := measured(request, w.checks(), wire)
	for at, side := range request.Scenario.Sides() {
		counts := m.counts[side.Endpoint]
		counts.Operations = uint64(request.Operations)
		result.Sides[at].Counts = &counts
	}
	return result, nil
}

// timedTogether runs a workload in each thread. Threads are goroutines, which the runtime places on the
// CPUs of the process as it does in an application.
func timedTogether(request *protocol.Request, of func() (workload, error)) (*protocol.Measurement, error) {
	count := request.Scenario.Threads
	workloads, found, errs := make([]workload, count), make([]*series, count), make([]error, count)
	for thread := range workloads {
		w, err := of()
		if err != nil {
			return nil, err
		}
		defer w.close()
		workloads[thread] = w
	}
	var ready, done sync.WaitGroup
	ready.Add(count)
	for thread, w := range workloads {
		done.Go(func() { found[thread], errs[thread] = timedAlone(request, w, uint64(thread), &ready) })
	}
	done.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return join(request, workloads, found), nil
}

// timedAlone measures one thread. All of several begin and end together, so that none runs alone.
func timedAlone(request *protocol.Request, w workload, thread uint64, ready *sync.WaitGroup) (*series, error) {
	found := newSeries(request)
	size, err := func() (uint64, error) {
		defer ready.Done()
		var err error
		if found.wire, err = probe(w); err != nil {
			return 0, err
		}
		return batchSize(request, w)
	}()
	if err != nil {
		return nil, err
	}
	budget := uint64(request.MeasureMS) * millisecond
	done := func(spent uint64) bool { return spent >= budget }
	if request.Scenario.Threads > 1 {
		ready.Wait()
		end := now() + budget
		done = func(uint64) bool { return now() >= end }
	}
	if err := found.run(w, thread, size, done); err != nil {
		return nil, err
	}
	// Check the last operation as well as the first.
	_, err = probe(w)
	return found, err
}

// join combines the results of all threads.
func join(request *protocol.Request, workloads []workload, found []*series) *protocol.Measurement {
	result := measured(request, workloads[0].checks(), found[0].wire)
	for _, other := range workloads[1:] {
		result.Checked += other.checks().checked
	}
	for at, side := range request.Scenario.Sides() {
		all := found[0].latency[side.Endpoint]
		for thread, one := range found {
			result.Sides[at].Samples = append(result.Sides[at].Samples, one.samples[side.Endpoint]...)
			if thread > 0 {
				all.Add(one.latency[side.Endpoint])
			}
		}
		result.Sides[at].Latency = all.Latency()
	}
	return result
}

// firstHandshake times the first handshake of this process, with all that comes before it.
func firstHandshake(request *protocol.Request, config *config) (*protocol.Measurement, error) {
	began := now()
	ends, err := configure(config)
	if err != nil {
		return nil, err
	}
	h := &handshakes{ends.worker(), checker{scenario: config.scenario}}
	defer h.close()
	both, err := connect(h.worker, noMeter{}, nil)
	if err != nil {
		return nil, err
	}
	sample := protocol.Sample{Operations: 1, Nanoseconds: max(1, now()-began)}
	if err := h.checker.check(both, h.worker.ends.key); err != nil {
		return nil, err
	}
	wire, err := probe(h)
	if err != nil {
		return nil, err
	}
	result := measured(request, h.checks(), wire)
	result.Sides[0].Samples = []protocol.Sample{sample}
	return result, nil
}

// measured is the measurement without its numbers.
func measured(request *protocol.Request, seen *checker, wire protocol.Wire) *protocol.Measurement {
	result := &protocol.Measurement{
		Scenario:   request.Scenario,
		Negotiated: seen.negotiated,
		Wire:       wire,
		Checked:    seen.checked,
	}
	for _, side := range request.Scenario.Sides() {
		result.Sides = append(result.Sides, protocol.SideResult{Side: side.Name})
	}
	return result
}

// peakMemory makes one connection first, so that what is set up once is not counted as session memory.
func peakMemory(request *protocol.Request, ends *endpoints) (*protocol.Measurement, error) {
	w, err := newHandshakes(ends)
	if err != nil {
		return nil, err
	}
	defer w.close()
	wire, err := probe(w)
	if err != nil {
		return nil, err
	}
	memory, err := manySessions(ends, request.Scenario.Sessions, w.checks())
	if err != nil {
		return nil, err
	}
	result := measured(request, w.checks(), wire)
	result.Memory = memory
	return result, nil
}
