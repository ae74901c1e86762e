#!/usr/bin/env bash
# The workflows on a real forge: builds Gitea and its runner where that was not done, and runs
# tests/forge with them. What is built stays below SHAKEDOWN_FORGE_CACHE.
#
# Everything that the test starts lives in a process namespace of its own, which the kernel ends with
# the test, however that ends.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/tools.sh
. scripts/lib/tools.sh
need_rust
install_missing
use_go 1.26

gitea=v1.26.0
runner=v1.0.8
release=0.23.46
cache=${SHAKEDOWN_FORGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/shakedown/forge}
mkdir -p "$cache"
started=$SECONDS
took() { say "== forge: $1 ($((SECONDS - started)) s)"; }

# source MODULE VERSION FOLDER: the sources of a Go module, to be built in. `go install` refuses
# modules that replace others.
source_of() {
    local place
    [ ! -d "$3" ] || return 0
    place=$(go mod download -json "$1@$2" | jq -r .Dir)
    rm -rf "$3.part"
    cp -r "$place" "$3.part"
    chmod -R u+w "$3.part"
    mv "$3.part" "$3"
}

export FORGE_GITEA=$cache/gitea-$gitea
if [ ! -x "$FORGE_GITEA/gitea" ]; then
    took "building Gitea $gitea"
    mkdir -p "$FORGE_GITEA"
    source_of code.gitea.io/gitea "$gitea" "$FORGE_GITEA/source"
    (cd "$FORGE_GITEA/source" && go build -buildvcs=false -tags "sqlite sqlite_unlock_notify" \
        -ldflags "-s -w -X main.Version=${gitea#v}" -o ../gitea .)
fi

export FORGE_RUNNER=$cache/runner-$runner/runner
if [ ! -x "$FORGE_RUNNER" ]; then
    took "building its runner $runner"
    mkdir -p "${FORGE_RUNNER%/*}"
    source_of gitea.com/gitea/runner "$runner" "${FORGE_RUNNER%/*}/source"
    (cd "${FORGE_RUNNER%/*}/source" && go build -buildvcs=false -ldflags "-s -w" -o ../runner .)
    rm -rf "${FORGE_RUNNER%/*}/source"
fi

# The release as a checkout has it: a workspace with the crate in a folder. Cargo checks the
# crate's digest.
export FORGE_RUSTLS=$cache/rustls-$release
if [ ! -d "$FORGE_RUSTLS" ]; then
    took "fetching rustls $release"
    work=$(mktemp -d)
    mkdir -p "$work/src" "$work/checkout"
    : >"$work/src/lib.rs"
    printf '[package]\nname = "fetch"\nedition = "2021"\n\n[dependencies]\nrustls = "=%s"\n\n[workspace]\n' \
        "$release" >"$work/Cargo.toml"
    (cd "$work" && cargo vendor --quiet --versioned-dirs vendor >/dev/null)
    cp -r "$work/vendor/rustls-$release" "$work/checkout/rustls"
    rm -f "$work/checkout/rustls/"{Cargo.lock,Cargo.toml.orig,.cargo-checksum.json}
    printf '[workspace]\nmembers = ["rustls"]\nresolver = "2"\n' >"$work/checkout/Cargo.toml"
    mv "$work/checkout" "$FORGE_RUSTLS"
    rm -rf "$work"
fi

# GitHub's library for artifacts, which the stand-ins for its actions use.
lock=$(sha256sum tests/forge/artifact/package-lock.json tests/forge/artifact/artifact.mjs | sha256sum | head -c 12)
export FORGE_ARTIFACT=$cache/artifact-$lock/artifact.mjs
if [ ! -f "$FORGE_ARTIFACT" ]; then
    took "fetching GitHub's library for artifacts"
    work=$(mktemp -d "$cache/artifact.XXXXXX")
    cp tests/forge/artifact/* "$work"
    npm ci --prefix "$work" --no-audit --no-fund --ignore-scripts --silent
    mv -T "$work" "${FORGE_ARTIFACT%/*}"
fi

# Each run links anew, and what was linked stays: start over before that fills a disk.
export FORGE_BUILDS=$cache/builds
mkdir -p "$FORGE_BUILDS"
if [ "$(du -sm "$FORGE_BUILDS" | cut -f 1)" -gt 4000 ]; then
    rm -rf "$FORGE_BUILDS"
    mkdir -p "$FORGE_BUILDS"
fi
took "building shakedown and the test"
test=$(cargo test --quiet --locked --workspace --test forge --no-run --message-format json |
    jq -r 'select(.reason == "compiler-artifact" and .target.name == "forge" and .executable) | .executable')

took "the test"
hosts=$(mktemp)
trap 'rm -f "$hosts"' EXIT
cp /etc/hosts "$hosts"
printf '127.0.0.1 forge.localhost\n' >>"$hosts"
own=(unshare --mount --pid --fork --kill-child --mount-proc)
[ "$(id -u)" = 0 ] || own+=(--map-root-user)
# shellcheck disable=SC2016 # they are the inner shell's
"${own[@]}" sh -c 'mount --bind "$1" /etc/hosts && shift && exec "$@"' sh \
    "$hosts" "$test" --ignored --nocapture
took "done"
