package main

import (
	"shakedown/driver/protocol"
)

// A checker checks every connection of a trial: the first against the scenario, the others against the
// first.
type checker struct {
	scenario   *protocol.Scenario
	expected   [2]facts
	negotiated protocol.Negotiated
	checked    uint64
}

// check checks one connection.
func (c *checker) check(both *pair, key *signingKey) error {
	clientFacts, err := factsOf(both.client.conn)
	if err != nil {
		return err
	}
	serverFacts, err := factsOf(both.server.conn)
	if err != nil {
		return err
	}
	if !clientFacts.resumed {
		clientFacts.signature = key.signature()
	}
	seen := [2]facts{clientFacts, serverFacts}
	if c.checked == 0 {
		if c.negotiated, err = agreed(clientFacts, serverFacts, c.scenario); err != nil {
			return err
		}
		c.expected = seen
	} else if seen != c.expected {
		return protocol.Broken("connection %d differs from the first: %+v instead of %+v", c.checked+1, seen, c.expected)
	}
	c.checked++
	return nil
}

// agreed combines the reports of both endpoints and checks them against the scenario.
func agreed(one, two facts, scenario *protocol.Scenario) (protocol.Negotiated, error) {
	none := protocol.Negotiated{}
	if one.version != two.version || one.suite != two.suite || one.group != two.group || one.resumed != two.resumed {
		return none, protocol.Broken("the endpoints disagree: client %+v, server %+v", one, two)
	}
	fresh := !one.resumed
	negotiated := protocol.Negotiated{
		Version:         one.version,
		CipherSuite:     one.suite.protection,
		CipherSuiteName: one.suite.name,
		Group:           some(one.group, true),
		Key:             some(one.peerKey, fresh),
		Signature:       some(one.signature, fresh),
		Resumed:         one.resumed,
		ClientAuth:      two.peerKey != "",
	}
	return negotiated, differences(&negotiated, scenario)
}

// some is the text, unless it is empty or does not apply.
func some(text string, applies bool) *string {
	if text == "" || !applies {
		return nil
	}
	return &text
}

// differences is an error if a parameter is not what the scenario requires.
func differences(found *protocol.Negotiated, scenario *protocol.Scenario) error {
	differ := func(what, wanted, got string) error {
		if wanted == got {
			return nil
		}
		return protocol.Broken("%s: %s instead of %s", what, got, wanted)
	}
	text := func(value *string) string {
		if value == nil {
			return "none"
		}
		return *value
	}
	resumed := map[bool]string{true: "a resumption", false: "a full handshake"}
	required := map[bool]string{true: "with client authentication", false: "without client authentication"}
	checks := []error{
		differ("version", scenario.Version, found.Version),
		differ("cipher suite", scenario.CipherSuite, found.CipherSuite),
		differ("handshake", resumed[scenario.Resumes()], resumed[found.Resumed]),
	}
	// A TLS 1.2 resumption exchanges no keys.
	if scenario.Group != "default" && (!found.Resumed || found.Version != "tls1.2") {
		checks = append(checks, differ("group", scenario.Group, text(found.Group)))
	}
	if !found.Resumed {
		checks = append(checks, differ("key", scenario.Key, text(found.Key)))
	}
	if !found.Resumed || scenario.ClientAuth {
		checks = append(checks, differ("connection", required[scenario.ClientAuth], required[found.ClientAuth]))
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}
