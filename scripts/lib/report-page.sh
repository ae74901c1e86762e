#!/usr/bin/env bash
# report.html in a real browser. PICTURES, where given, is a folder for screenshots.
#
#   scripts/lib/report-page.sh [PICTURES]
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/browser.sh
. scripts/lib/browser.sh
open_work "$@"

cargo run --quiet --locked -p shakedown-report --example pages -- "$work"
drive ../../../report/test/page.mjs "$work" "${pictures[@]}"
