package protocol

import (
	"errors"
	"fmt"
)

// Refusal says why a driver measured nothing.
type Refusal struct {
	Why    string `json:"why"`
	Reason string `json:"reason"`
}

func (r *Refusal) Error() string { return r.Reason }

// Unsupported says that this version or build of the library does not support the scenario.
func Unsupported(format string, arguments ...any) *Refusal {
	return &Refusal{"unsupported", fmt.Sprintf(format, arguments...)}
}

// Broken says that the endpoints negotiated something other than the scenario.
func Broken(format string, arguments ...any) *Refusal {
	return &Refusal{"broken", fmt.Sprintf(format, arguments...)}
}

// Failed says that the library or the driver failed.
func Failed(format string, arguments ...any) *Refusal {
	return &Refusal{"failed", fmt.Sprintf(format, arguments...)}
}

// RefusalOf is the refusal in an error, or else a failure with its text.
func RefusalOf(err error) *Refusal {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	return Failed("%v", err)
}
