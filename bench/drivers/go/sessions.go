package main

import (
	"crypto/rand"
	"crypto/tls"
	"sync"

	"shakedown/driver/protocol"
)

// cachedSessions is the capacity of a session cache, of the server and of a client. Where threads share
// it, it must hold what the others store while one of them waits for a CPU. The numbers are those of
// bench/driver.
func cachedSessions(scenario *protocol.Scenario) int {
	if scenario.Threads > 1 {
		return 20_480
	}
	return 128
}

// A sessionStore is a server's session cache for TLS 1.3: crypto/tls lets an application keep the session
// and send its name as the ticket. When it is full, a new session takes the place of the oldest.
type sessionStore struct {
	capacity int
	lock     sync.Mutex
	sessions map[string][]byte
	// order has the names, the oldest first.
	order []string
}

func newSessionStore(capacity int) *sessionStore {
	return &sessionStore{capacity: capacity, sessions: make(map[string][]byte)}
}

// Length of the name of a session: as long as TLS 1.2's session ids.
const nameLength = 32

// wrap is tls.Config's WrapSession.
func (s *sessionStore) wrap(_ tls.ConnectionState, session *tls.SessionState) ([]byte, error) {
	bytes, err := session.Bytes()
	if err != nil {
		return nil, err
	}
	name := make([]byte, nameLength)
	_, _ = rand.Read(name) // never fails: see its documentation
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.order) == s.capacity {
		delete(s.sessions, s.order[0])
		s.order = s.order[1:]
	}
	s.sessions[string(name)] = bytes
	s.order = append(s.order, string(name))
	return name, nil
}

// unwrap is tls.Config's UnwrapSession.
func (s *sessionStore) unwrap(name []byte, _ tls.ConnectionState) (*tls.SessionState, error) {
	s.lock.Lock()
	bytes, known := s.sessions[string(name)]
	s.lock.Unlock()
	if !known {
		return nil, nil
	}
	return tls.ParseSessionState(bytes)
}

// A forgetful cache keeps no session. A client without any cache tells its server not to send tickets;
// where nothing is resumed, this one gets them like the clients of other libraries.
type forgetful struct{}

func (forgetful) Get(string) (*tls.ClientSessionState, bool) { return nil, false }
func (forgetful) Put(string, *tls.ClientSessionState)        {}
