package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"shakedown/driver/protocol"
)

// Turns after which a handshake in lockstep goes in circles.
const rounds = 24

// Application data that each end of each session sends.
var message = make([]byte, 1024)

// manySessions takes half as many pairs of ends through the handshake in lockstep, then lets each end send
// 1 KiB, and reads how much memory the process had at most. Each end has a goroutine of its own, whose
// stack counts, as in a Go program that blocks on its connections. So does garbage that was not yet
// collected.
func manySessions(ends *endpoints, sessions uint32, checks *checker) (*protocol.MemoryPoint, error) {
	workers := make([]*worker, sessions/2)
	// Makes the kernel forget the peak of loading keys and certificates (see proc(5), clear_refs). Where it
	// refuses, that peak is far below that of the sessions.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	baseline, err := resident("VmRSS:")
	if err != nil {
		return nil, err
	}
	for at := range workers {
		w := ends.worker()
		defer w.close()
		w.pair = pair{w.newClient(), w.newServer()}
		workers[at] = w
	}
	if err := shakeHands(workers); err != nil {
		return nil, err
	}
	for _, w := range workers {
		if err := exchange(w); err != nil {
			return nil, err
		}
	}
	peak, err := resident("VmHWM:")
	if err != nil {
		return nil, err
	}
	for _, w := range workers {
		if err := checks.check(&w.pair, w.ends.key); err != nil {
			return nil, err
		}
	}
	return &protocol.MemoryPoint{Sessions: sessions, BaselineKiB: baseline, PeakKiB: peak}, nil
}

// shakeHands takes turns, all clients, then all servers, until every handshake is over. A pipe holds a
// buffer only while it has something in it.
func shakeHands(workers []*worker) error {
	var spare [][]byte
	for range rounds {
		open := false
		for _, w := range workers {
			w.wire.toServer.borrow(&spare)
			if err := w.pair.client.step(); err != nil {
				return err
			}
			w.wire.toClient.release(&spare)
		}
		for _, w := range workers {
			w.wire.toClient.borrow(&spare)
			if err := w.pair.server.step(); err != nil {
				return err
			}
			w.wire.toServer.release(&spare)
			open = open || !w.settled()
		}
		if !open {
			return nil
		}
	}
	return fmt.Errorf("a handshake did not end within %d rounds", rounds)
}

// exchange sends 1 KiB in each direction.
func exchange(w *worker) error {
	ends := [2]*endpoint{&w.pair.client, &w.pair.server}
	for sender, from := range ends {
		arrived := make([]byte, len(message))
		if err := from.send(message); err != nil {
			return err
		}
		got, err := ends[1-sender].receive(arrived)
		if err != nil {
			return err
		}
		if got < len(arrived) {
			return fmt.Errorf("only %d of %d bytes arrived", got, len(arrived))
		}
	}
	return nil
}

// resident is a field of /proc/self/status, in KiB.
func resident(field string) (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field); ok {
			return strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", field)
}
