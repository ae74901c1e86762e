package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"fmt"
)

// A suite is a cipher suite's record protection, in the protocol's name, and its IANA name.
type suite struct {
	protection, name string
}

// The numbers of cipher suites; a key's TLS 1.2 suites follow from its type.
var suites = map[uint16]suite{
	tls.TLS_AES_128_GCM_SHA256:                        {"aes128-gcm", "TLS_AES_128_GCM_SHA256"},
	tls.TLS_AES_256_GCM_SHA384:                        {"aes256-gcm", "TLS_AES_256_GCM_SHA384"},
	tls.TLS_CHACHA20_POLY1305_SHA256:                  {"chacha20", "TLS_CHACHA20_POLY1305_SHA256"},
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       {"aes128-gcm", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"},
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:       {"aes256-gcm", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"},
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: {"chacha20", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"},
	tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256:         {"aes128-gcm", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
	tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384:         {"aes256-gcm", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"},
	tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256:   {"chacha20", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"},
}

// The protocol's versions.
var versions = map[uint16]string{tls.VersionTLS12: "tls1.2", tls.VersionTLS13: "tls1.3"}

// The protocol's groups. The first release of the range that is served does not have the last one.
var groups = map[tls.CurveID]string{
	tls.CurveP256:      "secp256r1",
	tls.CurveP384:      "secp384r1",
	tls.X25519:         "x25519",
	tls.X25519MLKEM768: "x25519mlkem768",
	0x11eb:             "secp256r1mlkem768",
}

// facts are what one endpoint reports as negotiated, in the protocol's words; empty where there was none.
type facts struct {
	version   string
	suite     suite
	group     string
	peerKey   string
	signature string
	resumed   bool
}

// factsOf reads them, and fails where the protocol has no name for one.
func factsOf(conn *tls.Conn) (facts, error) {
	state := conn.ConnectionState()
	found := facts{version: versions[state.Version], suite: suites[state.CipherSuite], resumed: state.DidResume}
	if found.version == "" || found.suite.name == "" {
		return facts{}, fmt.Errorf("version %#x with cipher suite %#x has no name", state.Version, state.CipherSuite)
	}
	if state.CurveID != 0 {
		if found.group = groups[state.CurveID]; found.group == "" {
			return facts{}, fmt.Errorf("group %v has no name", state.CurveID)
		}
	}
	if len(state.PeerCertificates) > 0 {
		if found.peerKey = keyOf(state.PeerCertificates[0]); found.peerKey == "" {
			return facts{}, fmt.Errorf("a key of type %T has no name", state.PeerCertificates[0].PublicKey)
		}
	}
	return found, nil
}

// keyOf is the type of a certificate's key; empty for one that the protocol has no name for.
func keyOf(certificate *x509.Certificate) string {
	switch key := certificate.PublicKey.(type) {
	case *rsa.PublicKey:
		return map[int]string{256: "rsa-2048", 384: "rsa-3072", 512: "rsa-4096"}[key.Size()]
	case *ecdsa.PublicKey:
		return map[string]string{"P-256": "ecdsa-p256", "P-384": "ecdsa-p384"}[key.Params().Name]
	case ed25519.PublicKey:
		return "ed25519"
	}
	return ""
}
