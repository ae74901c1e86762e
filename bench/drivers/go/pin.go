package main

import (
	"strings"
	_ "unsafe" // for linkname

	"shakedown/driver/protocol"
)

// crypto/tls has no setting for the cipher suites of TLS 1.3: a client offers three, and a server takes
// AES-128-GCM where both have AES instructions, or else ChaCha20. The package keeps the two lists open to
// linkname, for QUIC libraries. The driver shortens both to the one suite of its scenario, before the first
// connection; the code of the suite is the same.
//
//go:linkname suitesTLS13 crypto/tls.defaultCipherSuitesTLS13
var suitesTLS13 []uint16

//go:linkname suitesTLS13NoAES crypto/tls.defaultCipherSuitesTLS13NoAES
var suitesTLS13NoAES []uint16

// pinTLS13 makes these suites the only ones of TLS 1.3 in this process.
func pinTLS13(suites []uint16) {
	suitesTLS13, suitesTLS13NoAES = suites, suites
}

// The last part of a suite's name, by its protection.
var names = map[string]string{
	"aes128-gcm": "AES_128_GCM_SHA256",
	"aes256-gcm": "AES_256_GCM_SHA384",
	"chacha20":   "CHACHA20_POLY1305_SHA256",
}

// suiteOf is the number of the one suite of a scenario. In TLS 1.2 it depends on the key: Ed25519 keys use the
// suites of ECDSA.
func suiteOf(scenario *protocol.Scenario) uint16 {
	exchange := ""
	if scenario.Version == "tls1.2" {
		exchange = "ECDHE_ECDSA_WITH_"
		if strings.HasPrefix(scenario.Key, "rsa-") {
			exchange = "ECDHE_RSA_WITH_"
		}
	}
	for number, one := range suites {
		if one.protection == scenario.CipherSuite && one.name == "TLS_"+exchange+names[one.protection] {
			return number
		}
	}
	return 0
}
