package main

import (
	"net"
	"time"
)

// wouldBlock is what a connection reads that has nothing to read. crypto/tls tries again after a net.Error
// that is temporary, but only once the handshake is over: a handshake that fails has failed for good.
type wouldBlock struct{}

func (wouldBlock) Error() string   { return "nothing to read yet" }
func (wouldBlock) Timeout() bool   { return true }
func (wouldBlock) Temporary() bool { return true }

func isWouldBlock(err error) bool {
	_, is := err.(wouldBlock)
	return is
}

// end is the net.Conn of one endpoint.
type end struct {
	in, out *pipe
	// handshake hands over to the peer where there is nothing to read; nil after the handshake.
	handshake *handshaker
	// unasked is room for application data that nobody has asked for.
	unasked [1]byte
}

func (e *end) Read(into []byte) (int, error) {
	for e.in.empty() {
		if e.handshake == nil {
			return 0, wouldBlock{}
		}
		if err := e.handshake.handOver(); err != nil {
			return 0, err
		}
	}
	return e.in.take(into), nil
}

func (e *end) Write(bytes []byte) (int, error) {
	e.out.put(bytes)
	return len(bytes), nil
}

func (*end) Close() error                     { return nil }
func (*end) LocalAddr() net.Addr              { return &net.UnixAddr{Name: "memory", Net: "unix"} }
func (*end) RemoteAddr() net.Addr             { return &net.UnixAddr{Name: "memory", Net: "unix"} }
func (*end) SetDeadline(time.Time) error      { return nil }
func (*end) SetReadDeadline(time.Time) error  { return nil }
func (*end) SetWriteDeadline(time.Time) error { return nil }
