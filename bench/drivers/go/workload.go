package main

import "shakedown/driver/protocol"

// A workload is what one thread does, one operation at a time.
type workload interface {
	// run does one operation under a meter, and returns the application bytes that it transferred.
	run(m meter) (uint64, error)
	// observe does one unmetered operation with an observer that is made for the pipes.
	observe(of func(*pipes) observer) error
	// checks has seen every connection.
	checks() *checker
	close()
}

// probe does one unmetered operation and counts what it puts on the wire.
func probe(w workload) (protocol.Wire, error) {
	var counter *wireCounter
	err := w.observe(func(wire *pipes) observer {
		counter = newWireCounter(wire)
		return counter
	})
	if err != nil {
		return protocol.Wire{}, err
	}
	return counter.finish()
}

// handshakes are one after the other, each on a new connection.
type handshakes struct {
	worker  *worker
	checker checker
}

// newHandshakes is ready: where the scenario resumes, there is a session to resume.
func newHandshakes(ends *endpoints) (workload, error) {
	h := &handshakes{ends.worker(), checker{scenario: ends.config.scenario}}
	if ends.config.scenario.Resumes() {
		if _, err := connect(h.worker, noMeter{}, nil); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func (h *handshakes) handshake(m meter, o observer) error {
	both, err := connect(h.worker, m, o)
	if err != nil {
		return err
	}
	return h.checker.check(both, h.worker.ends.key)
}

func (h *handshakes) run(m meter) (uint64, error) { return 0, h.handshake(m, nil) }

func (h *handshakes) observe(of func(*pipes) observer) error {
	return h.handshake(noMeter{}, of(&h.worker.wire))
}

func (h *handshakes) checks() *checker { return &h.checker }
func (h *handshakes) close()           { h.worker.close() }

// newContexts makes both configurations anew in each operation; the handshake is a part of it or not.
type newContexts struct {
	handshakes
	connects bool
}

func setUp(ends *endpoints) (workload, error) {
	own := handshakes{ends.worker(), checker{scenario: ends.config.scenario}}
	return &newContexts{own, ends.config.scenario.Kind == "setup-handshake"}, nil
}

func (n *newContexts) renew(m meter) error {
	m.start(client)
	if err := n.worker.renewClient(); err != nil {
		return err
	}
	m.switchTo(server)
	if err := n.worker.renewServer(); err != nil {
		return err
	}
	m.stop()
	return nil
}

func (n *newContexts) run(m meter) (uint64, error) {
	if err := n.renew(m); err != nil || !n.connects {
		return 0, err
	}
	return n.handshakes.run(m)
}

// observe has a handshake in any case, which shows what the configurations are good for.
func (n *newContexts) observe(of func(*pipes) observer) error {
	if err := n.renew(noMeter{}); err != nil {
		return err
	}
	return n.handshakes.observe(of)
}
