package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"testing"

	"shakedown/driver/protocol"
)

// Two handshake records of 3 and 0 bytes, and one of application data.
var records = []byte{22, 3, 1, 0, 3, 1, 2, 3, 22, 3, 3, 0, 0, 23, 3, 3, 0, 2, 9, 9}

func TestRecordsAreCountedWhateverTheCut(t *testing.T) {
	for cut := 1; cut < len(records); cut++ {
		var wire pipes
		counter := newWireCounter(&wire)
		wire.toServer.put(records[:cut])
		counter.client(&wire.toServer)
		wire.toServer.take(make([]byte, cut))
		wire.toServer.put(records[cut:])
		counter.client(&wire.toServer)
		counter.client(&wire.toServer)
		found, err := counter.finish()
		if want := (protocol.Sent{Bytes: 20, Records: 3, Flights: 2}); err != nil || found.Client != want {
			t.Errorf("cut at %d: %+v, %v", cut, found, err)
		}
	}
	for _, text := range [][]byte{records[:7], records[:2], []byte("GET / HTTP/1.1\r\n\r\n")} {
		var wire pipes
		counter := newWireCounter(&wire)
		wire.toClient.put(text)
		counter.server(&wire.toClient)
		if _, err := counter.finish(); err == nil {
			t.Errorf("%q was taken for records", text)
		}
	}
}

func TestRecordsAreInTheFlightInWhichTheyBegin(t *testing.T) {
	for cut := 1; cut < len(records); cut++ {
		var wire pipes
		recorder := &wireRecorder{}
		wire.toServer.put(records[:8])
		recorder.client(&wire.toServer)
		wire.toClient.put(records[:cut])
		recorder.server(&wire.toClient)
		wire.toClient.put(records[cut:])
		recorder.server(&wire.toClient)
		found, err := recorder.finish()
		if err != nil {
			t.Fatal(err)
		}
		first, second := len(found.Flights[1].Records), len(found.Flights[2].Records)
		if len(found.Flights[0].Records) != 1 || first+second != 3 || (cut <= 8) != (first == 1) {
			t.Errorf("cut at %d: %+v", cut, found)
		}
	}
	var wire pipes
	recorder := &wireRecorder{}
	wire.toClient.put(records[:7])
	recorder.server(&wire.toClient)
	if _, err := recorder.finish(); err == nil {
		t.Error("half a record was taken")
	}
}

func TestAPipeLendsItsBuffer(t *testing.T) {
	var spare [][]byte
	var one, two pipe
	one.put([]byte("abc"))
	one.release(&spare)
	if len(spare) != 0 {
		t.Error("a pipe gave away what is in it")
	}
	one.take(make([]byte, 3))
	one.release(&spare)
	two.borrow(&spare)
	if two.put([]byte("d")); cap(two.bytes) < 3 || len(spare) != 0 || string(two.fresh(0)) != "d" {
		t.Errorf("%+v, %d spare", two, len(spare))
	}
}

func TestTheOldestSessionGivesWay(t *testing.T) {
	store := newSessionStore(2)
	var names [][]byte
	for range 3 {
		name, err := store.wrap(tls.ConnectionState{}, &tls.SessionState{})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if found, err := store.unwrap(names[0], tls.ConnectionState{}); found != nil || err != nil {
		t.Errorf("the first of three is still there: %v", err)
	}
	if len(store.sessions) != 2 || len(store.order) != 2 {
		t.Errorf("%d sessions, %d names", len(store.sessions), len(store.order))
	}
}

func TestAKeyKnowsWhatItIsAskedFor(t *testing.T) {
	for _, one := range []struct {
		public  crypto.PublicKey
		options crypto.SignerOpts
		want    string
	}{
		{&rsa.PublicKey{}, &rsa.PSSOptions{Hash: crypto.SHA384}, "rsa_pss_rsae_sha384"},
		{&rsa.PublicKey{}, crypto.SHA256, "rsa_pkcs1_sha256"},
		{&ecdsa.PublicKey{}, crypto.SHA256, "ecdsa_secp256r1_sha256"},
		{ed25519.PublicKey{}, crypto.Hash(0), "ed25519"},
		{&rsa.PublicKey{}, crypto.SHA1, ""},
	} {
		if found := schemes[schemeOf(one.public, one.options)]; found != one.want {
			t.Errorf("%s instead of %s", found, one.want)
		}
	}
}

func TestWhatWasNegotiatedIsHeldAgainstTheScenario(t *testing.T) {
	good := facts{version: "tls1.3", suite: suite{"aes128-gcm", "TLS_AES_128_GCM_SHA256"}, group: "x25519", peerKey: "ecdsa-p256"}
	var scenario protocol.Scenario
	if err := scenario.UnmarshalText([]byte("handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256")); err != nil {
		t.Fatal(err)
	}
	serverSide := func(of facts) facts {
		of.peerKey = ""
		return of
	}
	if _, err := agreed(good, serverSide(good), &scenario); err != nil {
		t.Error(err)
	}
	if _, err := agreed(good, good, &scenario); err == nil {
		t.Error("a client certificate was not asked for")
	}
	for name, change := range map[string]func(*facts){
		"version": func(f *facts) { f.version = "tls1.2" },
		"suite":   func(f *facts) { f.suite.protection = "chacha20" },
		"group":   func(f *facts) { f.group = "secp256r1" },
		"none":    func(f *facts) { f.group = "" },
		"key":     func(f *facts) { f.peerKey = "rsa-2048" },
		"resumed": func(f *facts) { f.resumed = true },
	} {
		other := good
		change(&other)
		if _, err := agreed(other, serverSide(other), &scenario); err == nil {
			t.Errorf("another %s was accepted", name)
		}
		if _, err := agreed(other, serverSide(good), &scenario); err == nil && name != "key" {
			t.Errorf("ends of which one has another %s were accepted", name)
		}
	}
}
