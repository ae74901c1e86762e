package main

import "fmt"

// More steps than any handshake takes; reaching it means that the endpoints are stuck.
const turns = 24

// A pair has both endpoints of a connection.
type pair struct {
	client, server endpoint
}

// An observer sees what an endpoint wrote, right after its step; nil in the timed part.
type observer interface {
	client(*pipe)
	server(*pipe)
}

// connect creates a connection and completes its handshake, including tickets.
func connect(w *worker, m meter, o observer) (*pair, error) {
	both := &w.pair
	m.start(client)
	both.client = w.newClient()
	if err := both.client.step(); err != nil {
		return nil, err
	}
	m.switchTo(server)
	if o != nil {
		o.client(&w.wire.toServer)
	}
	both.server = w.newServer()
	for range turns {
		if err := both.server.step(); err != nil {
			return nil, err
		}
		if o != nil {
			o.server(&w.wire.toClient)
		}
		if w.settled() {
			m.stop()
			return both, nil
		}
		m.switchTo(client)
		if err := both.client.step(); err != nil {
			return nil, err
		}
		if o != nil {
			o.client(&w.wire.toServer)
		}
		if w.settled() {
			m.stop()
			return both, nil
		}
		m.switchTo(server)
	}
	return nil, fmt.Errorf("the handshake did not complete within %d steps (client waiting: %t, server waiting: %t)",
		turns, both.client.isHandshaking(), both.server.isHandshaking())
}
