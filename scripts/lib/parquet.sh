#!/usr/bin/env bash
# Runs the queries of docs/exports.md on DuckDB and on ClickHouse's engine, over an export of a history
# of 90 nights, and compares their answers with those of `shakedown history`.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/tools.sh
. scripts/lib/tools.sh
need_rust
need_databases
install_missing

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build --quiet --locked --bin shakedown
cargo run --quiet --locked --package shakedown-store --example nights -- "$work/history"
shakedown=$(realpath "${CARGO_TARGET_DIR:-target}/debug/shakedown")
page=$(realpath docs/exports.md)
checker=$(realpath scripts/lib/parquet.py)
cd "$work"
SHAKEDOWN_HISTORY=$work/history "$databases/bin/python" "$checker" "$shakedown" "$page"
