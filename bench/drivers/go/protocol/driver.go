// Package protocol has the data types of the driver protocol, as bench/protocol defines them: one
// Request as JSON on standard input, one Reply on standard output.
package protocol

// Version of the driver protocol; a driver answers requests of its own version only.
const Version = 1

// Meter is the instrument of a trial.
type Meter string

// The meters.
const (
	Time         Meter = "time"
	Heap         Meter = "heap"
	Instructions Meter = "instructions"
	Locks        Meter = "locks"
)

// Request asks for one trial.
type Request struct {
	Protocol   uint32   `json:"protocol"`
	Scenario   Scenario `json:"scenario"`
	Meter      Meter    `json:"meter"`
	PKI        string   `json:"pki"`
	WarmUpMS   uint32   `json:"warm_up_ms"`
	MeasureMS  uint32   `json:"measure_ms"`
	BatchMS    uint32   `json:"batch_ms"`
	Operations uint32   `json:"operations"`
	// Tickets that the server sends after a TLS 1.3 handshake.
	Tickets uint8 `json:"tickets"`
	// Seed is for a random number generator that can be seeded, which Go's can't.
	Seed uint64 `json:"seed"`
}

// Info describes a driver and its library.
type Info struct {
	Protocol    uint32   `json:"protocol"`
	Stack       string   `json:"stack"`
	Library     string   `json:"library"`
	Details     []string `json:"details"`
	CPUFeatures []string `json:"cpu_features"`
}

// Negotiated is what both ends agreed on; nil where there was none.
type Negotiated struct {
	Version         string  `json:"version"`
	CipherSuite     string  `json:"cipher_suite"`
	CipherSuiteName string  `json:"cipher_suite_name"`
	Group           *string `json:"group"`
	Key             *string `json:"key"`
	Signature       *string `json:"signature"`
	Resumed         bool    `json:"resumed"`
	ClientAuth      bool    `json:"client_auth"`
}

// Sent is what one end put on the wire in one operation.
type Sent struct {
	Bytes   uint64 `json:"bytes"`
	Records uint64 `json:"records"`
	Flights uint64 `json:"flights"`
}

// Wire is what crossed the wire in one operation.
type Wire struct {
	Client Sent `json:"client"`
	Server Sent `json:"server"`
}

// Sample is one timed batch.
type Sample struct {
	Operations  uint64 `json:"operations"`
	Nanoseconds uint64 `json:"nanoseconds"`
	Bytes       uint64 `json:"bytes,omitempty"`
	Thread      uint64 `json:"thread,omitempty"`
}

// Latency is the time of single operations, in nanoseconds.
type Latency struct {
	Count uint64 `json:"count"`
	P50   uint64 `json:"p50"`
	P90   uint64 `json:"p90"`
	P99   uint64 `json:"p99"`
	P999  uint64 `json:"p999"`
	Max   uint64 `json:"max"`
	// Histogram in HdrHistogram's format V2, deflated, base64.
	Histogram string `json:"histogram"`
}

// Counts are those of a counting meter, over all operations.
type Counts struct {
	Operations     uint64 `json:"operations"`
	Allocations    uint64 `json:"allocations"`
	AllocatedBytes uint64 `json:"allocated_bytes"`
}

// SideResult is everything that one side yielded.
type SideResult struct {
	Side    string   `json:"side"`
	Samples []Sample `json:"samples,omitempty"`
	Latency *Latency `json:"latency,omitempty"`
	Counts  *Counts  `json:"counts,omitempty"`
}

// MemoryPoint is the peak memory of a process with many sessions.
type MemoryPoint struct {
	Sessions    uint32 `json:"sessions"`
	BaselineKiB uint64 `json:"baseline_kib"`
	PeakKiB     uint64 `json:"peak_kib"`
}

// Measurement is what one process measured.
type Measurement struct {
	Scenario   Scenario     `json:"scenario"`
	Negotiated Negotiated   `json:"negotiated"`
	Wire       Wire         `json:"wire"`
	Checked    uint64       `json:"checked"`
	Sides      []SideResult `json:"sides"`
	Memory     *MemoryPoint `json:"memory,omitempty"`
}

// Reply is a driver's answer to a request: one of the two.
type Reply struct {
	Measured *Measurement `json:"measured,omitempty"`
	Refused  *Refusal     `json:"refused,omitempty"`
}

// TranscriptReply is a driver's answer to a request for a transcript: one of the two.
type TranscriptReply struct {
	Transcribed *Transcript `json:"transcribed,omitempty"`
	Refused     *Refusal    `json:"refused,omitempty"`
}

// Transcript has the flights of one operation, in order.
type Transcript struct {
	Flights []Flight `json:"flights"`
}

// Flight is what one end sent at a time.
type Flight struct {
	Sender  string   `json:"sender"`
	Records []Record `json:"records"`
}

// ApplicationData is the content type of a record that is encrypted in TLS 1.3, and of application
// data in TLS 1.2.
const ApplicationData = 23

// Record is a TLS record. It has its content, as an array of numbers, unless that is application data.
type Record struct {
	ContentType uint8    `json:"content_type"`
	Length      uint16   `json:"length"`
	Content     []uint16 `json:"content,omitempty"`
}
