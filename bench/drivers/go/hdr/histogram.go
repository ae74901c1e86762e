// Package hdr records times in a histogram with three significant digits, and writes it as every tool for
// HdrHistogram reads it.
package hdr

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"

	"shakedown/driver/protocol"
)

const (
	// Longest time that the histogram resolves: 100 s, in nanoseconds.
	longest = 100_000_000_000
	// Values below 2^11 have a bucket each, so that three decimal digits are kept.
	magnitude = 11
	half      = 1 << (magnitude - 1)
	// Buckets up to 2^37, the power of two above the longest time.
	length = (37 - magnitude + 2) * half
	digits = 3
)

// Histogram counts times. Recording allocates nothing.
type Histogram struct {
	counts [length]uint32
	total  uint64
	max    uint64
}

// Record keeps one time, in nanoseconds.
func (h *Histogram) Record(nanoseconds uint64) {
	value := max(1, min(nanoseconds, longest))
	h.counts[index(value)]++
	h.total++
	h.max = max(h.max, value)
}

// Add adds what another thread kept.
func (h *Histogram) Add(other *Histogram) {
	for at, count := range other.counts {
		h.counts[at] += count
	}
	h.total += other.total
	h.max = max(h.max, other.max)
}

// index is the place of a value's bucket.
func index(value uint64) int {
	bucket := 64 - magnitude - bits.LeadingZeros64(value|(1<<magnitude-1))
	return (bucket+1)*half + int(value>>bucket) - half
}

// highest is the largest value of the bucket at a place.
func highest(at int) uint64 {
	bucket, sub := at/half-1, uint64(at%half+half)
	if bucket < 0 {
		bucket, sub = 0, sub-half
	}
	return sub<<bucket + 1<<bucket - 1
}

// quantile is the value below or at which this share of all values lies.
func (h *Histogram) quantile(share float64) uint64 {
	wanted := max(1, uint64(math.Ceil(share*float64(h.total))))
	var seen uint64
	for at, count := range h.counts {
		if seen += uint64(count); seen >= wanted {
			return highest(at)
		}
	}
	return 0
}

// Latency is the summary and the whole histogram; nil when nothing was kept.
func (h *Histogram) Latency() *protocol.Latency {
	if h.total == 0 {
		return nil
	}
	return &protocol.Latency{
		Count:     h.total,
		P50:       h.quantile(0.5),
		P90:       h.quantile(0.9),
		P99:       h.quantile(0.99),
		P999:      h.quantile(0.999),
		Max:       highest(index(h.max)),
		Histogram: base64.StdEncoding.EncodeToString(h.deflated()),
	}
}

// Cookies of the format V2, plain and deflated. The last but one digit says that counts have a variable
// length. See https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram.java.
const (
	cookie         = 0x1c849303 | 0x10
	deflatedCookie = 0x1c849304 | 0x10
)

// deflated is the histogram in the format V2, deflated.
func (h *Histogram) deflated() []byte {
	counts := h.payload()
	var plain []byte
	for _, word := range []uint32{cookie, uint32(len(counts)), 0, digits} {
		plain = binary.BigEndian.AppendUint32(plain, word)
	}
	for _, word := range []uint64{1, longest, math.Float64bits(1)} {
		plain = binary.BigEndian.AppendUint64(plain, word)
	}
	var packed bytes.Buffer
	// Writing to memory can't fail.
	writer := zlib.NewWriter(&packed)
	_, _ = writer.Write(append(plain, counts...))
	_ = writer.Close()
	var all []byte
	all = binary.BigEndian.AppendUint32(all, deflatedCookie)
	all = binary.BigEndian.AppendUint32(all, uint32(packed.Len()))
	return append(all, packed.Bytes()...)
}

// payload has every count up to the highest value's, as ZigZag LEB128; a negative number stands for as
// many zeros.
func (h *Histogram) payload() []byte {
	var out []byte
	zeros := int64(0)
	for _, count := range h.counts[:index(h.max)+1] {
		if count == 0 {
			zeros++
			continue
		}
		if zeros > 0 {
			out = binary.AppendVarint(out, -zeros)
			zeros = 0
		}
		out = binary.AppendVarint(out, int64(count))
	}
	return out
}
