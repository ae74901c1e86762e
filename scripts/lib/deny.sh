#!/usr/bin/env bash
# Checks licences, sources and bans of every lockfile with cargo-deny, and advisories where
# their database can be reached.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/tools.sh
. scripts/lib/tools.sh
# shellcheck source=scripts/lib/skipped.sh
. scripts/lib/skipped.sh
need_rust
need_linters
install_missing

config=$PWD/deny.toml
check() { # MANIFEST WHAT...
    local manifest=$1
    shift
    "$cargo_deny" --manifest-path "$manifest" --config "$config" --log-level error --workspace check "$@"
}
mapfile -t folders < <(packages_apart .)
for folder in . "${folders[@]}"; do
    check "$folder/Cargo.toml" licenses bans sources
done

# The database of advisories is a git repository, which not every network reaches.
if ! output=$(check Cargo.toml advisories 2>&1); then
    if grep -qiE 'failed to (fetch|clone|open) advisory|unable to (fetch|load)|network|failed to connect|Could not resolve' <<<"$output"; then
        skipped "advisories of dependencies: their database can't be reached from here"
    else
        printf '%s\n' "$output" >&2
        exit 1
    fi
fi
