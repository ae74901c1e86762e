#!/usr/bin/env bash
# The dashboard in a real browser: builds one from a small history and runs the tests of its
# pages. PICTURES, where given, is a folder for screenshots.
#
#   scripts/lib/dashboard.sh [PICTURES]
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/browser.sh
. scripts/lib/browser.sh
open_work "$@"
history=$work/history
target=${CARGO_TARGET_DIR:-target}

# As the tests are built: on its own, each package would have its dependencies built again.
cargo test --quiet --locked --workspace --no-run
"$target/debug/examples/nights" "$history"
"$target/debug/shakedown" site --history "$history" \
    --records https://example.org/raw/history \
    --notice "Sample data: an invented history" "$work/site"
# All scripts are one: a name that two of them use would leave every page blank.
node --check "$work/site/dashboard.js"
drive pages.mjs "$work/site" "${pictures[@]}"
