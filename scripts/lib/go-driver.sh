#!/usr/bin/env bash
# Checks the driver that is a module of Go, and runs its tests. Go's command may fetch nothing: the module needs
# no other. Called by `scripts/test`.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=scripts/lib/go.sh
. "$root/scripts/lib/go.sh"
# shellcheck source=scripts/lib/skipped.sh
. "$root/scripts/lib/skipped.sh"

# What its go.mod asks for.
oldest=$(sed -n 's/^go //p' "$root/bench/drivers/go/go.mod")
if ! has_go "$oldest"; then
    skipped "the driver of Go: there is no Go $oldest or newer; scripts/test --all installs it"
    exit 0
fi
use_go "$oldest"
export GOTOOLCHAIN=local GOPROXY=off GOWORK=off GOFLAGS=
cd "$root/bench/drivers/go"
unformatted=$(gofmt -l .)
[ -z "$unformatted" ] || {
    printf 'error: not formatted: %s\n' "$unformatted" >&2
    exit 1
}
go vet ./...
go test ./... >/dev/null || go test ./...
