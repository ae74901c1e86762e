package main

import (
	"crypto/tls"
	"errors"
)

// An endpoint is one end of a connection. step, send and receive do what an application would do that
// reads everything that has come.
type endpoint struct {
	conn  *tls.Conn
	end   *end
	state *handshaker
}

// newEndpoint is one whose handshake is still to come.
func newEndpoint(conn *tls.Conn, wire *end, state *handshaker) endpoint {
	state.begin(conn)
	wire.handshake = state
	return endpoint{conn, wire, state}
}

// step advances the handshake. After it, it processes post-handshake messages such as tickets.
func (e *endpoint) step() error {
	if e.isHandshaking() {
		if err := e.state.step(); err != nil || !e.state.over {
			return err
		}
		e.end.handshake = nil
		// Go on: a ticket may have come with the peer's last flight, which crypto/tls has read by now.
	} else if e.end.in.empty() {
		return nil
	}
	got, err := e.conn.Read(e.end.unasked[:])
	if got > 0 {
		return errors.New("application data came before any was sent")
	}
	if isWouldBlock(err) {
		return nil
	}
	return err
}

func (e *endpoint) isHandshaking() bool { return e.end.handshake != nil }

// send sends all of data as application data.
func (e *endpoint) send(data []byte) error {
	_, err := e.conn.Write(data)
	return err
}

// receive takes application data until there is none or into is full.
func (e *endpoint) receive(into []byte) (int, error) {
	have := 0
	for have < len(into) {
		got, err := e.conn.Read(into[have:])
		have += got
		if isWouldBlock(err) {
			break
		}
		if err != nil {
			return have, err
		}
	}
	return have, nil
}
