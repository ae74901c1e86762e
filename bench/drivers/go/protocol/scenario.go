package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Scenario is one thing to measure. Its id reads, for example,
// bulk/tls1.2/chacha20/x25519/rsa-2048/client-auth/write-16KiB/total-1MiB/threads-2.
type Scenario struct {
	// ID is the text that it was read from.
	ID string
	// Kind is the first part of the id: handshake-full, bulk, primitive, ...
	Kind string
	// The fixed parts of a scenario that makes connections; empty where Kind makes none.
	Version, CipherSuite, Group, Key string
	ClientAuth                       bool
	// Write is the size of one write of a bulk transfer, Total how much one connection carries; 0: as
	// much as the trial transfers.
	Write, Total uint64
	// Sessions of a memory scenario, half of them clients.
	Sessions uint32
	Threads  int
	// Connections that a real server has open at once; 0: as many as its driver chooses.
	Connections uint64
	// Tickets after a full handshake; -1: as many as the request says.
	Tickets int
	// Verifies and Records are what an id asks for beyond a chain of two certificates up to one root, and
	// records of the library's size: the texts of its options.
	Verifies, Records string
}

// The fixed parts of an id, with the names that each can have.
var known = [4][]string{
	{"tls1.2", "tls1.3"},
	{"aes128-gcm", "aes256-gcm", "chacha20"},
	{"default", "x25519", "secp256r1", "secp384r1", "x25519mlkem768", "secp256r1mlkem768", "mlkem768"},
	{"rsa-2048", "rsa-3072", "rsa-4096", "ecdsa-p256", "ecdsa-p384", "ed25519"},
}

// The scenarios that make connections.
var connecting = []string{
	"handshake-full", "handshake-session-id", "handshake-ticket", "handshake-early-data", "bulk", "memory",
	"setup-context", "setup-handshake", "setup-process",
}

// MarshalText writes the id.
func (s Scenario) MarshalText() ([]byte, error) { return []byte(s.ID), nil }

// UnmarshalText reads an id. Of scenarios that make no connections, or are for a library's own
// benchmark, it reads the kind only.
func (s *Scenario) UnmarshalText(text []byte) error {
	id := string(text)
	parts := strings.Split(id, "/")
	*s = Scenario{ID: id, Kind: parts[0], Threads: 1, Tickets: -1}
	switch s.Kind {
	case "primitive", "load", "intree":
		return nil
	}
	if !slices.Contains(connecting, s.Kind) || len(parts) < 5 {
		return fmt.Errorf("`%s` is not the id of a scenario", id)
	}
	for at, to := range []*string{&s.Version, &s.CipherSuite, &s.Group, &s.Key} {
		*to = parts[at+1]
		if !slices.Contains(known[at], *to) {
			return fmt.Errorf("`%s` has an unknown part `%s`", id, *to)
		}
	}
	for _, option := range parts[5:] {
		if err := s.option(option); err != nil {
			return fmt.Errorf("`%s`: %w", id, err)
		}
	}
	return s.validate()
}

// option reads what follows the fixed parts.
func (s *Scenario) option(text string) (err error) {
	name, value, _ := strings.Cut(text, "-")
	switch {
	case name == "chain", text == "roots-150", text == "crl", text == "ocsp":
		s.Verifies = text
	case name == "record":
		s.Records = text
	case name == "tickets":
		s.Tickets, err = strconv.Atoi(value)
	case text == "client-auth":
		s.ClientAuth = true
	case name == "write":
		s.Write, err = size(value)
	case name == "total":
		s.Total, err = size(value)
	case name == "sessions":
		var number uint64
		number, err = strconv.ParseUint(value, 10, 32)
		s.Sessions = uint32(number)
	case name == "connections":
		s.Connections, err = strconv.ParseUint(value, 10, 16)
	case name == "threads":
		var number uint64
		number, err = strconv.ParseUint(value, 10, 16)
		s.Threads = int(number)
	default:
		err = fmt.Errorf("unknown option `%s`", text)
	}
	return err
}

func (s *Scenario) validate() error {
	switch {
	case s.Kind == "bulk" && s.Write == 0:
		return fmt.Errorf("`%s` has no write-SIZE", s.ID)
	case s.Kind == "bulk" && s.Total != 0 && s.Total < s.Write:
		return fmt.Errorf("`%s`: total must be at least one write", s.ID)
	case s.Kind == "memory" && (s.Sessions == 0 || s.Sessions%2 == 1):
		return fmt.Errorf("`%s` has no even number of sessions", s.ID)
	case s.Threads < 1:
		return fmt.Errorf("`%s` has no threads", s.ID)
	}
	return nil
}

// Connects says whether it makes connections that this protocol's drivers measure.
func (s *Scenario) Connects() bool { return s.Version != "" }

// Resumes says whether each measured handshake must be a resumption.
func (s *Scenario) Resumes() bool {
	return s.Kind == "handshake-session-id" || s.Kind == "handshake-ticket" || s.Kind == "handshake-early-data"
}

// Sides are the names of the client's side and the server's in results, in their order there. In
// transfers the server sends.
func (s *Scenario) Sides() []Side {
	switch s.Kind {
	case "memory", "setup-process":
		return []Side{{"both", 0}}
	case "bulk":
		return []Side{{"send", 1}, {"receive", 0}}
	}
	return []Side{{"client", 0}, {"server", 1}}
}

// Side is a side of a scenario, and its endpoint: 0 is the client, 1 the server.
type Side struct {
	Name     string
	Endpoint int
}

// The units of sizes.
var units = []struct {
	name string
	size uint64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
}

// size reads a number of bytes such as 16KiB.
func size(text string) (uint64, error) {
	for _, unit := range units {
		digits, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		number, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || number == 0 {
			break
		}
		return number * unit.size, nil
	}
	return 0, fmt.Errorf("`%s` is not a size", text)
}
