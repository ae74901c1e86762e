package main

import (
	"bytes"
	"fmt"

	"shakedown/driver/protocol"
)

// transfers send application data from the server to the client.
type transfers struct {
	worker  *worker
	checker checker
	// data is what is sent: different in every block of a cipher.
	data    []byte
	arrived []byte
	// left is how many bytes the connection may still carry; total 0: any number.
	left, total uint64
}

// newTransfers has an established connection.
func newTransfers(ends *endpoints) (workload, error) {
	scenario := ends.config.scenario
	t := &transfers{
		worker:  ends.worker(),
		checker: checker{scenario: scenario},
		data:    make([]byte, scenario.Write),
		arrived: make([]byte, scenario.Write),
		total:   scenario.Total,
	}
	for i := range t.data {
		t.data[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return t, t.establish()
}

func (t *transfers) establish() error {
	both, err := connect(t.worker, noMeter{}, nil)
	if err != nil {
		return err
	}
	t.left = t.total
	return t.checker.check(both, t.worker.ends.key)
}

// transfer is one write and its reading.
func (t *transfers) transfer(m meter, o observer) error {
	length := uint64(len(t.data))
	if t.total > 0 && t.left < length {
		if err := t.establish(); err != nil {
			return err
		}
	}
	both := &t.worker.pair
	m.start(server)
	if err := both.server.send(t.data); err != nil {
		return err
	}
	m.switchTo(client)
	if o != nil {
		o.server(&t.worker.wire.toClient)
	}
	have, err := both.client.receive(t.arrived)
	m.stop()
	if err != nil {
		return err
	}
	if have < len(t.arrived) {
		return fmt.Errorf("only %d of %d bytes arrived", have, length)
	}
	if t.total > 0 {
		t.left -= length
	}
	return nil
}

func (t *transfers) run(m meter) (uint64, error) {
	return uint64(len(t.data)), t.transfer(m, nil)
}

// observe also compares what arrived with what was sent.
func (t *transfers) observe(of func(*pipes) observer) error {
	clear(t.arrived)
	if err := t.transfer(noMeter{}, of(&t.worker.wire)); err != nil {
		return err
	}
	if !bytes.Equal(t.arrived, t.data) {
		return protocol.Broken("other bytes arrived than were sent")
	}
	return nil
}

func (t *transfers) checks() *checker { return &t.checker }
func (t *transfers) close()           { t.worker.close() }
