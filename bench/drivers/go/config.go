package main

import (
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"shakedown/driver/protocol"
)

// The host name in the certificates, which clients verify.
const serverName = "server.shakedown.test"

// A config says what both endpoints are configured for.
type config struct {
	scenario *protocol.Scenario
	tickets  uint8
	// pki is the folder with the certificates of the scenario's key.
	pki      string
	versions uint16
	// suites has the one suite of the scenario; crypto/tls takes it from here for TLS 1.2 only.
	suites []uint16
	groups []tls.CurveID
}

// newConfig refuses what crypto/tls can't do.
func newConfig(request *protocol.Request) (*config, error) {
	scenario := &request.Scenario
	if scenario.Version == "tls1.2" && scenario.Kind == "handshake-session-id" {
		return nil, protocol.Unsupported("crypto/tls keeps no TLS 1.2 sessions and gives them no ids: it has tickets only")
	}
	wanted, err := groupsOf(scenario)
	if err != nil {
		return nil, err
	}
	c := &config{
		scenario: scenario,
		tickets:  request.Tickets,
		pki:      filepath.Join(request.PKI, scenario.Key),
		versions: tls.VersionTLS12,
		suites:   []uint16{suiteOf(scenario)},
		groups:   wanted,
	}
	if scenario.Tickets >= 0 {
		c.tickets = uint8(scenario.Tickets)
	}
	if scenario.Version == "tls1.3" {
		c.versions = tls.VersionTLS13
		pinTLS13(c.suites)
	}
	return c, nil
}

// groupsOf are the groups of a scenario, or none where the library's default stays. In TLS 1.2 they also
// say which curves a certificate may have.
func groupsOf(scenario *protocol.Scenario) ([]tls.CurveID, error) {
	if scenario.Group == "default" {
		return nil, nil
	}
	var found []tls.CurveID
	for number, name := range groups {
		if name == scenario.Group {
			found = append(found, number)
		}
	}
	if len(found) == 0 {
		return nil, protocol.Unsupported("crypto/tls has no group %s", scenario.Group)
	}
	// A number that a release does not know has no name there.
	if strings.HasPrefix(found[0].String(), "CurveID(") {
		return nil, protocol.Unsupported("crypto/tls of this release has no group %s", scenario.Group)
	}
	curves := map[string]tls.CurveID{"ecdsa-p256": tls.CurveP256, "ecdsa-p384": tls.CurveP384}
	if curve, ok := curves[scenario.Key]; ok && scenario.Version == "tls1.2" && curve != found[0] {
		found = append(found, curve)
	}
	return found, nil
}

// common are the settings of both sides.
func (c *config) common() *tls.Config {
	return &tls.Config{
		MinVersion: c.versions, MaxVersion: c.versions,
		CipherSuites: c.suites, CurvePreferences: c.groups,
	}
}

// client reads the client's files. The session cache is a worker's own.
func (c *config) client() (*tls.Config, error) {
	roots, err := c.roots()
	if err != nil {
		return nil, err
	}
	made := c.common()
	made.RootCAs, made.ServerName = roots, serverName
	if c.scenario.ClientAuth {
		own, err := tls.LoadX509KeyPair(c.file("client.chain.pem"), c.file("client.key.pem"))
		if err != nil {
			return nil, err
		}
		made.Certificates = []tls.Certificate{own}
	}
	return made, nil
}

// server reads the server's files. With sessions, tickets are only names of what is kept there.
func (c *config) server(sessions *sessionStore) (*tls.Config, *signingKey, error) {
	own, err := tls.LoadX509KeyPair(c.file("server.chain.pem"), c.file("server.key.pem"))
	if err != nil {
		return nil, nil, err
	}
	signer, ok := own.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, nil, fmt.Errorf("a key of type %T does not sign", own.PrivateKey)
	}
	key := &signingKey{Signer: signer}
	own.PrivateKey = key
	made := c.common()
	made.Certificates = []tls.Certificate{own}
	// crypto/tls sends one ticket or none, whatever the number that is asked for.
	made.SessionTicketsDisabled = c.tickets == 0 && !c.scenario.Resumes()
	if c.scenario.ClientAuth {
		made.ClientAuth = tls.RequireAndVerifyClientCert
		if made.ClientCAs, err = c.roots(); err != nil {
			return nil, nil, err
		}
	}
	if sessions != nil {
		made.WrapSession, made.UnwrapSession = sessions.wrap, sessions.unwrap
	}
	return made, key, nil
}

func (c *config) file(name string) string { return filepath.Join(c.pki, name) }

func (c *config) roots() (*x509.CertPool, error) {
	pem, err := os.ReadFile(c.file("root.pem"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate", c.file("root.pem"))
	}
	return pool, nil
}
