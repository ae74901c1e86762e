package main

import (
	"crypto/tls"
	"errors"
	"iter"
)

// A handshaker runs the handshakes of one side, one after the other, in a coroutine of its own.
//
// tls.Conn.Handshake blocks until the handshake is over, so each side needs a goroutine. Two goroutines
// that wait for each other in channels would be woken by the scheduler, whose time nobody could charge to
// one side. A coroutine (iter.Pull) hands over directly: the goroutine that resumes it stops, the other
// goes on in the same thread, and no scheduler takes part. So the sides take turns like those of the
// other drivers: a side runs until it has nothing to read, and the clock is read in between.
//
// A side's time includes resuming its coroutine and coming back from it, once for each step of the
// handshake. BenchmarkHandOver measures what that costs. What it does not include is starting a goroutine
// for each connection and growing its stack, as a server of net/http does: the coroutine stays.
type handshaker struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	conn   *tls.Conn
	// over says that the handshake has ended, with this error or without one.
	over bool
	err  error
}

// errAbandoned ends a handshake that is not waited for.
var errAbandoned = errors.New("the handshake was abandoned")

// newHandshaker starts the coroutine. It lives until its stop is called.
func newHandshaker() *handshaker {
	h := &handshaker{}
	h.resume, h.stop = iter.Pull(h.run)
	return h
}

func (h *handshaker) run(yield func(struct{}) bool) {
	h.yield = yield
	for {
		h.err = h.conn.Handshake()
		h.over = true
		if !yield(struct{}{}) {
			return
		}
	}
}

// begin makes conn the connection of the next steps.
func (h *handshaker) begin(conn *tls.Conn) { h.conn, h.over, h.err = conn, false, nil }

// step goes on until the handshake is over or has nothing to read.
func (h *handshaker) step() error {
	h.resume()
	return h.err
}

// handOver returns from step. Called within the handshake; comes back at the next step.
func (h *handshaker) handOver() error {
	if h.yield(struct{}{}) {
		return nil
	}
	return errAbandoned
}
