#!/usr/bin/env bash
# report.html in a real browser. PICTURES, where given, is a folder for screenshots.
#
#   scripts/lib/report-page.sh [PICTURES]
set -euo pipefail
pictures=()
[ $# -eq 0 ] || pictures=("$(realpath -m "$1")")
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/browser.sh
. scripts/lib/browser.sh
use_rust

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo run --quiet --locked -p shakedown-report --example pages -- "$work"
drive ../../../report/test/page.mjs "$work" "${pictures[@]}"
