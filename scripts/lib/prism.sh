#!/usr/bin/env bash
# Holds every request of `shakedown github` against GitHub's description of its API, with Prism
# (npm, needs Node 18.20 or newer, as Debian 12 has it). Installs Prism into target/prism.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=5.14.2
folder=${CARGO_TARGET_DIR:-target}/prism
if ! command -v node >/dev/null; then
    echo "error: no node: install Node 18.20 or newer (Debian: nodejs npm)" >&2
    exit 2
fi
if [ ! -x "$folder/node_modules/.bin/prism" ] || [ "$(cat "$folder/.version" 2>/dev/null)" != "$version" ]; then
    mkdir -p "$folder"
    npm install --silent --no-audit --no-fund --prefix "$folder" "@stoplight/prism-cli@$version"
    echo "$version" >"$folder/.version"
fi
PRISM=$(realpath "$folder/node_modules/.bin/prism")
export PRISM
# With the whole workspace, or its dependencies are built again for this package alone.
cargo test --quiet --locked --workspace --test contract -- --ignored --test-threads=1
