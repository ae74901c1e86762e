#!/usr/bin/env bash
# Holds every request of `shakedown github` against GitHub's description of its API, with Prism as
# forge/tests/contract/prism pins it.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/tools.sh
. scripts/lib/tools.sh
need_rust
need_prism
install_missing

PRISM=$(modules_of forge/tests/contract/prism)/node_modules/.bin/prism
export PRISM
# With the whole workspace, or its dependencies are built again for this package alone.
cargo test --quiet --locked --workspace --test contract -- --ignored --test-threads=1
