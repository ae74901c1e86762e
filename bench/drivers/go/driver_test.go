package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"shakedown/driver/protocol"
)

// request is one of a few operations, with the certificates of this repository.
func request(t testing.TB, id string, meter protocol.Meter) *protocol.Request {
	t.Helper()
	pki, err := filepath.Abs("../../pki")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"protocol":1,"scenario":%q,"meter":%q,"pki":%q,"warm_up_ms":1,"measure_ms":3,
		"batch_ms":1,"operations":4,"tickets":2,"seed":1}`, id, meter, pki)
	found, err := read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEachScenarioIsMeasured(t *testing.T) {
	for _, id := range []string{
		"handshake-full/tls1.2/aes128-gcm/x25519/ecdsa-p256",
		"handshake-full/tls1.2/aes256-gcm/x25519/rsa-2048",
		"handshake-full/tls1.2/chacha20/secp256r1/ecdsa-p384",
		"handshake-full/tls1.2/aes128-gcm/secp384r1/ed25519/client-auth",
		"handshake-full/tls1.3/aes128-gcm/default/rsa-3072",
		"handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256",
		"handshake-full/tls1.3/chacha20/secp256r1/ed25519/client-auth",
		"handshake-full/tls1.3/aes128-gcm/secp384r1/ecdsa-p384",
		"handshake-full/tls1.3/aes256-gcm/x25519mlkem768/rsa-4096",
		"handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-3",
		"handshake-ticket/tls1.2/aes256-gcm/x25519/ecdsa-p256",
		"handshake-ticket/tls1.3/chacha20/x25519/ecdsa-p256/client-auth",
		"handshake-session-id/tls1.3/aes256-gcm/x25519/ecdsa-p256",
		"bulk/tls1.2/chacha20/x25519/ecdsa-p256/write-16KiB/total-1MiB",
		"bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-1MiB",
		"bulk/tls1.3/aes128-gcm/x25519/ecdsa-p256/write-1B",
		"memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-20",
		"memory/tls1.2/aes256-gcm/x25519/ecdsa-p256/sessions-20",
		"setup-context/tls1.3/aes128-gcm/x25519/rsa-2048",
		"setup-handshake/tls1.3/aes128-gcm/x25519/rsa-2048/client-auth",
		"setup-process/tls1.3/aes128-gcm/x25519/ecdsa-p256",
	} {
		t.Run(id, func(t *testing.T) {
			found, err := measure(request(t, id, protocol.Time))
			if err != nil {
				t.Fatal(err)
			}
			if found.Checked == 0 || found.Wire.Server.Records == 0 {
				t.Errorf("nothing was seen: %+v", found)
			}
			signed := found.Negotiated.Signature != nil
			if signed == found.Negotiated.Resumed {
				t.Errorf("signature %t, resumed %t", signed, found.Negotiated.Resumed)
			}
			if found.Memory != nil {
				// The peak says something in a process that does nothing else: tests/real/main.rs.
				if found.Memory.Sessions != 20 || found.Memory.PeakKiB == 0 || found.Checked < 11 {
					t.Errorf("%+v", found.Memory)
				}
				return
			}
			for _, side := range found.Sides {
				if len(side.Samples) == 0 || side.Samples[0].Nanoseconds == 0 {
					t.Errorf("no samples: %+v", side)
				}
			}
		})
	}
}

func TestWhatTheLibraryLacksIsRefused(t *testing.T) {
	for id, meter := range map[string]protocol.Meter{
		"handshake-session-id/tls1.2/aes256-gcm/x25519/ecdsa-p256":                 protocol.Time,
		"handshake-full/tls1.3/aes128-gcm/mlkem768/ecdsa-p256":                     protocol.Time,
		"handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256/tickets-4":             protocol.Time,
		"handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256/chain-3/roots-150/crl": protocol.Time,
		"handshake-early-data/tls1.3/aes128-gcm/x25519/ecdsa-p256":                 protocol.Time,
		"bulk/tls1.3/aes128-gcm/x25519/ecdsa-p256/write-16KiB/record-512":          protocol.Time,
		"primitive/hash/sha256/1KiB":                                               protocol.Time,
		"load/roots-150":                                                           protocol.Time,
		"intree/handshake-full/tls1.3/aes128-gcm/default/ecdsa-p256":               protocol.Time,
		"handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256":                       protocol.Instructions,
		"handshake-full/tls1.3/aes128-gcm/x25519/rsa-2048":                         protocol.Locks,
		"handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256/threads-2":             protocol.Heap,
		"memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-20":                   protocol.Heap,
	} {
		_, err := measure(request(t, id, meter))
		if refusal := protocol.RefusalOf(err); err == nil || refusal.Why != "unsupported" {
			t.Errorf("%s under %s: %v", id, meter, err)
		}
	}
}

func TestTicketsAreCounted(t *testing.T) {
	var bytes [2]uint64
	for tickets := range bytes {
		id := fmt.Sprintf("handshake-full/tls1.3/aes128-gcm/x25519/rsa-2048/tickets-%d", tickets)
		found, err := measure(request(t, id, protocol.Time))
		if err != nil {
			t.Fatal(err)
		}
		bytes[tickets] = found.Wire.Server.Bytes
	}
	// A ticket holds both the client's and the server's state.
	if bytes[1] < bytes[0]+100 {
		t.Errorf("%d bytes without a ticket, %d with one", bytes[0], bytes[1])
	}
}

func TestAllocationsRepeat(t *testing.T) {
	var last *protocol.Counts
	for range 2 {
		found, err := measure(request(t, "handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256", protocol.Heap))
		if err != nil {
			t.Fatal(err)
		}
		counts := found.Sides[0].Counts
		if counts.Operations != 4 || counts.Allocations < 400 || counts.AllocatedBytes < 4*10_000 {
			t.Errorf("%+v", counts)
		}
		// A signature that is a byte shorter, once in 256, needs a smaller buffer.
		if last != nil && max(counts.Allocations, last.Allocations)-min(counts.Allocations, last.Allocations) > 8 {
			t.Errorf("%+v after %+v", counts, last)
		}
		last = counts
	}
}

func TestAnAnswerIsOneLineOfJSON(t *testing.T) {
	for _, verb := range []string{"measure", "transcript"} {
		asked, err := json.Marshal(request(t, "handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256", protocol.Time))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := run(verb, bytes.NewReader(asked), &out); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 1 || !json.Valid(out.Bytes()) {
			t.Errorf("%d lines: %.200s", lines, out.String())
		}
	}
	for _, text := range []string{"", "{}", `{"scenario":"x"}`, `{"protocol":1,"more":2}`} {
		if err := run("measure", strings.NewReader(text), &bytes.Buffer{}); err == nil {
			t.Errorf("%q was answered", text)
		}
	}
	if err := run("", strings.NewReader(""), &bytes.Buffer{}); err == nil {
		t.Error("no verb was answered")
	}
}

func TestAnotherProtocolIsRefused(t *testing.T) {
	asked := request(t, "handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256", protocol.Time)
	asked.Protocol = 2
	if _, err := measure(asked); err == nil || !strings.Contains(err.Error(), "rebuild") {
		t.Error(err)
	}
}

func TestATranscriptIsWhatCrossedTheWire(t *testing.T) {
	asked := request(t, "handshake-full/tls1.2/aes128-gcm/x25519/ecdsa-p256", protocol.Time)
	found, err := transcribe(asked)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := measure(asked)
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]uint64{}
	flights := map[string]uint64{}
	for _, flight := range found.Flights {
		flights[flight.Sender]++
		records[flight.Sender] += uint64(len(flight.Records))
	}
	wire := measured.Wire
	if flights["client"] != wire.Client.Flights || records["client"] != wire.Client.Records ||
		flights["server"] != wire.Server.Flights || records["server"] != wire.Server.Records {
		t.Errorf("%v flights, %v records, but %+v", flights, records, wire)
	}
	// RFC 5246: the first message is a client hello, of type 1 in a record of type 22.
	if first := found.Flights[0].Records[0]; first.ContentType != 22 || first.Content[0] != 1 {
		t.Errorf("%+v", first)
	}
}

func TestADriverDescribesItself(t *testing.T) {
	info := describe()
	if info.Protocol != 1 || !strings.HasPrefix(info.Library, "crypto/tls of go1.") {
		t.Errorf("%+v", info)
	}
	text := "processor : 0\nflags : fpu sha_ni aes avx2\nprocessor : 1\nflags : vaes\n"
	if found := featuresIn(text); fmt.Sprint(found) != "[sha aes avx2]" {
		t.Error(found)
	}
}

// The two hand-overs of a step that does nothing: resuming a coroutine, and coming back. A handshake has
// one or two steps a side.
func BenchmarkHandOver(b *testing.B) {
	h := newHandshaker()
	defer h.stop()
	wire := &pipes{}
	waiting := &end{in: &wire.toClient, out: &wire.toServer, handshake: h}
	made, err := newConfig(request(b, "handshake-full/tls1.3/aes128-gcm/x25519/ecdsa-p256", protocol.Time))
	if err != nil {
		b.Fatal(err)
	}
	ends, err := configure(made)
	if err != nil {
		b.Fatal(err)
	}
	w := ends.worker()
	w.states[client], w.ofEnd[client] = h, *waiting
	first := w.newClient()
	for b.Loop() {
		if err := first.step(); err != nil {
			b.Fatal(err)
		}
	}
}

// One reading of the clock, which each step has.
func BenchmarkClock(b *testing.B) {
	for b.Loop() {
		now()
	}
}
