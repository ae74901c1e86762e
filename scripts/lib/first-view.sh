#!/usr/bin/env bash
# How much the first view of a dashboard transfers, and how long a real browser takes to draw it.
# SITE is what `shakedown site`, or `cargo run --release -p shakedown-store --example growth`, has built.
#
#   scripts/lib/first-view.sh target/growth/site
set -euo pipefail
site=$(realpath "${1:?which site?}")
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/browser.sh
. scripts/lib/browser.sh
drive first-view.mjs "$site"
