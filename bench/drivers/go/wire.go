package main

import (
	"fmt"

	"shakedown/driver/protocol"
)

// Length of the header of a TLS record: type, version, length.
const headerLength = 5

// A wireCounter counts bytes, records and flights in both directions.
type wireCounter struct {
	up, down recordReader
}

// newWireCounter starts counting from the current position of both pipes.
func newWireCounter(wire *pipes) *wireCounter {
	return &wireCounter{recordReader{seen: wire.toServer.total}, recordReader{seen: wire.toClient.total}}
}

func (w *wireCounter) client(up *pipe)   { w.up.see(up) }
func (w *wireCounter) server(down *pipe) { w.down.see(down) }

// finish has the totals. It fails if the bytes were not complete TLS records.
func (w *wireCounter) finish() (protocol.Wire, error) {
	for _, one := range []struct {
		who    string
		reader *recordReader
	}{{"client", &w.up}, {"server", &w.down}} {
		if one.reader.odd || len(one.reader.header) > 0 || one.reader.body > 0 {
			return protocol.Wire{}, fmt.Errorf("the %s sent bytes that are not complete TLS records", one.who)
		}
	}
	return protocol.Wire{Client: w.up.sent, Server: w.down.sent}, nil
}

// A recordReader parses the records of one direction, however the bytes are split.
type recordReader struct {
	sent protocol.Sent
	// seen is the pipe's total at the last call.
	seen uint64
	// header has the bytes of a header that is not complete, body how much of a record is still to come.
	header []byte
	body   int
	odd    bool
}

func (r *recordReader) see(p *pipe) {
	bytes := p.fresh(r.seen)
	r.seen = p.total
	if len(bytes) == 0 {
		return
	}
	r.sent.Flights++
	r.sent.Bytes += uint64(len(bytes))
	for len(bytes) > 0 {
		if part := min(r.body, len(bytes)); part > 0 {
			r.body -= part
			bytes = bytes[part:]
			continue
		}
		r.header = append(r.header, bytes[0])
		bytes = bytes[1:]
		if len(r.header) == headerLength {
			r.sent.Records++
			// RFC 8446 and RFC 6520 define the content types 20 to 24.
			kind := r.header[0]
			r.odd = r.odd || kind < 20 || kind > 24 || r.header[1] != 3
			r.body = int(r.header[3])<<8 | int(r.header[4])
			r.header = r.header[:0]
		}
	}
}
