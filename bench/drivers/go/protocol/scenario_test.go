package protocol

import "testing"

func TestIdsAreRead(t *testing.T) {
	for id, want := range map[string]Scenario{
		"bulk/tls1.2/chacha20/x25519/rsa-2048/client-auth/write-16KiB/total-100MB/threads-2": {
			Kind: "bulk", Version: "tls1.2", CipherSuite: "chacha20", Group: "x25519", Key: "rsa-2048",
			ClientAuth: true, Write: 16 << 10, Total: 100_000_000, Threads: 2, Tickets: -1,
		},
		"memory/tls1.3/aes256-gcm/default/ed25519/sessions-20": {
			Kind: "memory", Version: "tls1.3", CipherSuite: "aes256-gcm", Group: "default", Key: "ed25519",
			Sessions: 20, Threads: 1, Tickets: -1,
		},
		"handshake-full/tls1.3/aes128-gcm/x25519/rsa-2048/chain-3/ocsp/tickets-0": {
			Kind: "handshake-full", Version: "tls1.3", CipherSuite: "aes128-gcm", Group: "x25519", Key: "rsa-2048",
			Threads: 1, Verifies: "ocsp",
		},
		"handshake-full/tls1.3/aes128-gcm/x25519/rsa-2048/connections-500": {
			Kind: "handshake-full", Version: "tls1.3", CipherSuite: "aes128-gcm", Group: "x25519", Key: "rsa-2048",
			Threads: 1, Connections: 500, Tickets: -1,
		},
		"primitive/aead/aes128-gcm/seal/16B": {Kind: "primitive", Threads: 1, Tickets: -1},
	} {
		var found Scenario
		if err := found.UnmarshalText([]byte(id)); err != nil {
			t.Error(err)
		}
		if want.ID = id; found != want {
			t.Errorf("%+v instead of %+v", found, want)
		}
		if text, _ := found.MarshalText(); string(text) != id {
			t.Errorf("%s instead of %s", text, id)
		}
	}
}

func TestWhatIsNoIdIsRefused(t *testing.T) {
	fixed := "/tls1.3/aes128-gcm/x25519/ecdsa-p256"
	for _, id := range []string{
		"", "x", "bulk", "x" + fixed, "bulk" + fixed, "bulk" + fixed + "/write-0B", "bulk" + fixed + "/write-1TB",
		"bulk" + fixed + "/write-2B/total-1B", "memory" + fixed, "memory" + fixed + "/sessions-3",
		"handshake-full/tls1.3/aes128-gcm/x25519/dsa", "handshake-full" + fixed + "/threads-0",
		"handshake-full" + fixed + "/more", "handshake-full" + fixed + "/tickets-x", "handshake-full" + fixed + "/threads-999999",
		"handshake-full" + fixed + "/connections-x",
	} {
		var found Scenario
		if err := found.UnmarshalText([]byte(id)); err == nil {
			t.Errorf("%q was read as %+v", id, found)
		}
	}
}
