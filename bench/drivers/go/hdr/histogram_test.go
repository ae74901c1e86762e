package hdr

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"io"
	"testing"
)

func TestABucketIsAtMostAThousandthWide(t *testing.T) {
	for _, value := range []uint64{1, 2, 2047, 2048, 2049, 4095, 4096, 123_456_789, longest} {
		top := highest(index(value))
		if top < value || (top-value)*1000 > value || index(top) != index(value) || index(top+1) != index(value)+1 {
			t.Errorf("%d is in the bucket that ends at %d", value, top)
		}
	}
}

func TestALatencyHasItsQuantiles(t *testing.T) {
	var one, two Histogram
	if one.Latency() != nil {
		t.Error("nothing has a latency")
	}
	for i := uint64(1); i <= 1000; i++ {
		(map[bool]*Histogram{true: &one, false: &two})[i%2 == 0].Record(i * 1000)
	}
	one.Add(&two)
	one.Record(0)
	found := one.Latency()
	for _, pair := range [][2]uint64{{found.P50, 500_000}, {found.P90, 900_000}, {found.P99, 990_000}, {found.Max, 1_000_000}} {
		if pair[0] < pair[1] || (pair[0]-pair[1])*1000 > pair[1]*2 {
			t.Errorf("%d instead of %d", pair[0], pair[1])
		}
	}
	if found.Count != 1001 {
		t.Error(found.Count)
	}
}

// Reads back what was written; the command's own reader is tried by tests/real/go_driver.rs.
func TestTheFormatHoldsEachCount(t *testing.T) {
	var histogram Histogram
	for value, count := range map[uint64]int{1: 3, 2000: 1, 5_000_000: 200} {
		for range count {
			histogram.Record(value)
		}
	}
	packed, err := base64.StdEncoding.DecodeString(histogram.Latency().Histogram)
	if err != nil {
		t.Fatal(err)
	}
	if length := binary.BigEndian.Uint32(packed[4:]); int(length) != len(packed)-8 {
		t.Errorf("%d of %d bytes", length, len(packed)-8)
	}
	reader, err := zlib.NewReader(bytes.NewReader(packed[8:]))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	counts := bytes.NewReader(plain[40:])
	found, at := map[int]int64{}, 0
	for counts.Len() > 0 {
		number, err := binary.ReadVarint(counts)
		if err != nil {
			t.Fatal(err)
		}
		if number < 0 {
			at -= int(number)
			continue
		}
		found[at] = number
		at++
	}
	if len(found) != 3 || found[1] != 3 || found[2000] != 1 || found[index(5_000_000)] != 200 {
		t.Errorf("%v", found)
	}
}
