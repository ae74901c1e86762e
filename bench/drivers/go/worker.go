package main

import "crypto/tls"

// endpoints are the configured endpoints, which threads share.
type endpoints struct {
	config   *config
	sessions *sessionStore
	client   *tls.Config
	server   *tls.Config
	key      *signingKey
}

func configure(c *config) (*endpoints, error) {
	e := &endpoints{config: c}
	if c.scenario.Kind == "handshake-session-id" {
		e.sessions = newSessionStore(cachedSessions(c.scenario))
	}
	var err error
	if e.client, err = c.client(); err != nil {
		return nil, err
	}
	e.server, e.key, err = c.server(e.sessions)
	return e, err
}

// A worker creates the connections of one thread, one at a time: each takes the place of the one before.
type worker struct {
	ends   endpoints
	cache  tls.ClientSessionCache
	wire   pipes
	ofEnd  [2]end
	states [2]*handshaker
	pair   pair
}

// worker is the state of one thread. It shares the server's configuration; its clients have sessions of
// their own.
func (e *endpoints) worker() *worker {
	w := &worker{ends: *e, states: [2]*handshaker{newHandshaker(), newHandshaker()}}
	w.ofEnd[client] = end{in: &w.wire.toClient, out: &w.wire.toServer}
	w.ofEnd[server] = end{in: &w.wire.toServer, out: &w.wire.toClient}
	scenario := e.config.scenario
	switch {
	case scenario.Resumes():
		w.cache = tls.NewLRUClientSessionCache(cachedSessions(scenario))
	case scenario.Version == "tls1.3" && e.config.tickets > 0:
		w.cache = forgetful{}
	}
	w.ends.client = w.withCache(e.client)
	return w
}

func (w *worker) withCache(config *tls.Config) *tls.Config {
	own := config.Clone()
	own.ClientSessionCache = w.cache
	return own
}

// close ends the coroutines.
func (w *worker) close() {
	for _, state := range w.states {
		state.stop()
	}
}

func (w *worker) newClient() endpoint {
	wire := &w.ofEnd[client]
	return newEndpoint(tls.Client(wire, w.ends.client), wire, w.states[client])
}

func (w *worker) newServer() endpoint {
	wire := &w.ofEnd[server]
	return newEndpoint(tls.Server(wire, w.ends.server), wire, w.states[server])
}

// settled says whether both handshakes are over and nothing is on its way.
func (w *worker) settled() bool {
	return w.wire.empty() && !w.pair.client.isHandshaking() && !w.pair.server.isHandshaking()
}

// renewClient makes the client's configuration anew, from its files.
func (w *worker) renewClient() error {
	made, err := w.ends.config.client()
	if err == nil {
		w.ends.client = w.withCache(made)
	}
	return err
}

// renewServer makes the server's configuration anew, from its files.
func (w *worker) renewServer() error {
	made, key, err := w.ends.config.server(w.ends.sessions)
	if err == nil {
		w.ends.server, w.ends.key = made, key
	}
	return err
}
