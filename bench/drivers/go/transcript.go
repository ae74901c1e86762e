package main

import (
	"errors"

	"shakedown/driver/protocol"
)

// transcribe does as many operations as the request has and keeps what the last one sends. Random numbers
// differ from one call to the next: crypto/tls takes no seed.
func transcribe(request *protocol.Request) (*protocol.Transcript, error) {
	if err := answerable(request); err != nil {
		return nil, err
	}
	if request.Scenario.Kind == "setup-process" {
		return nil, protocol.Unsupported("a process that begins is one operation, and none is before it")
	}
	config, err := newConfig(request)
	if err != nil {
		return nil, err
	}
	ends, err := configure(config)
	if err != nil {
		return nil, err
	}
	w, err := workloadOf(ends)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for operation := uint32(1); operation < request.Operations; operation++ {
		if _, err := w.run(noMeter{}); err != nil {
			return nil, err
		}
	}
	var recorder *wireRecorder
	err = w.observe(func(wire *pipes) observer {
		recorder = &wireRecorder{up: wire.toServer.total, down: wire.toClient.total}
		return recorder
	})
	if err != nil {
		return nil, err
	}
	return recorder.finish()
}

// A wireRecorder keeps the bytes of both directions.
type wireRecorder struct {
	// up and down are the totals of the pipes at the last step.
	up, down uint64
	sent     []flight
}

type flight struct {
	sender string
	bytes  []byte
}

func (w *wireRecorder) client(up *pipe)   { w.see("client", up, &w.up) }
func (w *wireRecorder) server(down *pipe) { w.see("server", down, &w.down) }

func (w *wireRecorder) see(sender string, p *pipe, seen *uint64) {
	fresh := p.fresh(*seen)
	*seen = p.total
	if len(fresh) > 0 {
		w.sent = append(w.sent, flight{sender, append([]byte(nil), fresh...)})
	}
}

// finish has the records, each in the flight in which it begins.
func (w *wireRecorder) finish() (*protocol.Transcript, error) {
	found := &protocol.Transcript{Flights: []protocol.Flight{}}
	// Of a record that goes on in a later flight: the flight in which it began, and what there is of it.
	type begun struct {
		flight int
		bytes  []byte
	}
	open := map[string]begun{}
	for at, one := range w.sent {
		found.Flights = append(found.Flights, protocol.Flight{Sender: one.sender, Records: []protocol.Record{}})
		before, isOpen := open[one.sender]
		if !isOpen {
			before.flight = at
		}
		rest := append(before.bytes, one.bytes...)
		for to := before.flight; ; to = at {
			record, after, whole := cutRecord(rest)
			if !whole {
				delete(open, one.sender)
				if len(rest) > 0 {
					open[one.sender] = begun{to, rest}
				}
				break
			}
			found.Flights[to].Records = append(found.Flights[to].Records, record)
			rest = after
		}
	}
	if len(open) > 0 {
		return nil, errors.New("bytes were sent that are not complete TLS records")
	}
	return found, nil
}

// cutRecord is the first record and what follows it.
func cutRecord(bytes []byte) (record protocol.Record, rest []byte, whole bool) {
	if len(bytes) < headerLength {
		return record, nil, false
	}
	length := int(bytes[3])<<8 | int(bytes[4])
	if len(bytes) < headerLength+length {
		return record, nil, false
	}
	record = protocol.Record{ContentType: bytes[0], Length: uint16(length)}
	if record.ContentType != protocol.ApplicationData {
		for _, one := range bytes[headerLength : headerLength+length] {
			record.Content = append(record.Content, uint16(one))
		}
	}
	return record, bytes[headerLength+length:], true
}
