// A driver for Go's crypto/tls. It speaks the same protocol as the drivers that link the crate in
// bench/driver, and measures by the same rules: only the library's own work is timed, each endpoint
// apart, over pipes in memory, and every connection is checked.
//
// What differs is stated where it is done: how the endpoints take turns (coroutine.go), what the garbage
// collector's share is (meter.go), and how a cipher suite of TLS 1.3 is pinned (pin.go).
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"shakedown/driver/protocol"
)

const usage = `This is a Shakedown driver, normally started by ` + "`shakedown run`" + `.

Usage:
  driver describe             print the linked library as JSON
  driver measure <REQUEST     read a request (JSON) and print the reply (JSON)
  driver transcript <REQUEST  run the operations of a request and print what the last
                              one put on the wire (JSON)`

// A request is a few hundred bytes long; anything larger is a mistake.
const longestRequest = 64 * 1024

func main() {
	verb := ""
	if len(os.Args) > 1 {
		verb = os.Args[1]
	}
	if err := run(verb, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// run answers one request. A refusal is an answer too.
func run(verb string, in io.Reader, out io.Writer) error {
	switch verb {
	case "describe":
		return json.NewEncoder(out).Encode(describe())
	case "measure":
		request, err := read(in)
		if err != nil {
			return err
		}
		var reply protocol.Reply
		if measured, err := measure(request); err != nil {
			reply.Refused = protocol.RefusalOf(err)
		} else {
			reply.Measured = measured
		}
		return json.NewEncoder(out).Encode(reply)
	case "transcript":
		request, err := read(in)
		if err != nil {
			return err
		}
		var reply protocol.TranscriptReply
		if transcript, err := transcribe(request); err != nil {
			reply.Refused = protocol.RefusalOf(err)
		} else {
			reply.Transcribed = transcript
		}
		return json.NewEncoder(out).Encode(reply)
	}
	return errors.New(usage)
}

func read(in io.Reader) (*protocol.Request, error) {
	decoder := json.NewDecoder(io.LimitReader(in, longestRequest))
	decoder.DisallowUnknownFields()
	var request protocol.Request
	if err := decoder.Decode(&request); err != nil {
		return nil, fmt.Errorf("invalid request: %w", err)
	}
	if request.Scenario.ID == "" || decoder.More() {
		return nil, errors.New("invalid request: it is not one request with a scenario")
	}
	return &request, nil
}
