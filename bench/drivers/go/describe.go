package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"shakedown/driver/protocol"
)

// describe reports the toolchain that this program was built by, which is the library, and the settings
// that change how it runs.
func describe() protocol.Info {
	return protocol.Info{
		Protocol:    protocol.Version,
		Stack:       "go",
		Library:     "crypto/tls of " + runtime.Version(),
		Details:     append(buildDetails(), collector()),
		CPUFeatures: cpuFeatures(),
	}
}

// The settings of a build that the linked program remembers and that matter to its speed.
var settings = []string{"-compiler", "CGO_ENABLED", "DefaultGODEBUG", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFIPS140"}

func buildDetails() []string {
	details := []string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return details
	}
	for _, name := range settings {
		for _, setting := range info.Settings {
			if setting.Key == name {
				details = append(details, setting.Key+"="+setting.Value)
			}
		}
	}
	return details
}

// collector says when the garbage collector runs.
func collector() string {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	if percent < 0 {
		return fmt.Sprintf("garbage collector off below %d MiB", debug.SetMemoryLimit(-1)>>20)
	}
	return fmt.Sprintf("garbage collector GOGC=%d, in the measured times", percent)
}

// The features by which TLS libraries choose their code: the kernel's names, and Rust's where these differ.
var features = map[string]string{
	"aes": "", "pclmulqdq": "", "sha_ni": "sha", "ssse3": "", "avx": "", "avx2": "", "bmi2": "", "adx": "",
	"vaes": "", "vpclmulqdq": "", "avx512f": "", "avx512bw": "", "avx512vl": "", "avx512ifma": "",
	"asimd": "neon", "pmull": "", "sha2": "", "sha3": "", "sve": "", "sve2": "",
}

// cpuFeatures are those that the kernel lists for the first processor.
func cpuFeatures() []string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	return featuresIn(string(text))
}

func featuresIn(cpuinfo string) []string {
	found := []string{}
	for line := range strings.Lines(cpuinfo) {
		name, value, _ := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); name != "flags" && name != "Features" {
			continue
		}
		for word := range strings.FieldsSeq(value) {
			if other, ok := features[word]; ok && other != "" {
				found = append(found, other)
			} else if ok {
				found = append(found, word)
			}
		}
		break
	}
	return found
}
