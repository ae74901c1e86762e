# shellcheck shell=bash
# The project's Rust toolchain: the one that rust-toolchain.toml names, whatever the default of this
# machine is, and from any folder. Sourced, not run.
rust_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/install.sh
. "$rust_root/scripts/lib/install.sh"
# shellcheck source=scripts/lib/versions.sh
. "$rust_root/scripts/lib/versions.sh"

# packages_apart CHECKOUT: its packages that stand apart from the workspace, each with a lockfile of its own.
packages_apart() {
    local manifest
    for manifest in "$1"/bench/driver/{heap,locks}/Cargo.toml "$1"/bench/{drivers,servers}/*/Cargo.toml; do
        [ ! -f "$manifest" ] || printf '%s\n' "${manifest%/Cargo.toml}"
    done
}

rust_channel() { sed -n 's/^channel *= *"\(.*\)"/\1/p' "$rust_root/rust-toolchain.toml"; }

# Makes `cargo` and `rustc` the project's in this shell and in what it calls: rustup's proxies
# come first in PATH, and a variable that they obey in every folder names the toolchain.
use_rust() {
    local folder=${CARGO_HOME:-${HOME-}/.cargo}/bin
    RUSTUP_TOOLCHAIN=$(rust_channel)
    export RUSTUP_TOOLCHAIN
    if [ ! -x "$folder/rustup" ]; then
        folder=$(command -v rustup) || return 0
        folder=${folder%/*}
    fi
    [ "$(command -v cargo)" = "$folder/cargo" ] || export PATH=$folder:$PATH
    hash -r
}

# What a script calls; scripts/test adds to it.
rust_commands=(cargo rustc)

# Whether the toolchain is there, with those commands. Looks at files where rustup manages
# toolchains: its proxies would install what they lack.
has_rust() {
    local command folder found
    if command -v rustup >/dev/null; then
        for folder in "${RUSTUP_HOME:-$HOME/.rustup}/toolchains/$(rust_channel)"-*; do
            for command in "${rust_commands[@]}"; do [ -x "$folder/bin/$command" ] || continue 2; done
            return 0
        done
        return 1
    fi
    found=$(cd / && rustc --version 2>/dev/null) || return 1
    [[ $found == "rustc $(rust_channel) "* ]] || return 1
    for command in "${rust_commands[@]}"; do command -v "$command" >/dev/null || return 1; done
}

# Notes the toolchain unless it is there.
need_rust() {
    local channel other by_hand=''
    use_rust
    ! has_rust || return 0
    channel=$(rust_channel)
    if ! command -v rustup >/dev/null; then
        need curl curl "fetches rustup"
        by_hand="rustup, see https://rustup.rs; then "
    fi
    # Debian's cargo, for example, is older than what the crates need.
    other=$(cd / && RUSTUP_AUTO_INSTALL=0 rustc --version 2>/dev/null) || other=''
    need_tool "Rust $channel" \
        "compiles Shakedown, its drivers and rustls${other:+ ($(command -v rustc) is $other)}" \
        "${by_hand}rustup toolchain install $channel --profile minimal --component clippy,rustfmt" \
        install_rust
}

# Installs the project's toolchain for this user, and rustup before it where that is missing.
install_rust() {
    local channel found
    channel=$(rust_channel)
    use_rust
    if ! command -v rustup >/dev/null; then
        install_rustup
        use_rust
    fi
    if ! has_rust; then
        say "installing Rust $channel with rustup"
        (cd / && rustup --quiet toolchain install "$channel" --no-self-update --profile minimal \
            --component clippy --component rustfmt </dev/null >&2) ||
            die 2 "rustup could not install Rust $channel, see above: is the network there?"
    fi
    found=$(cd / && rustc --version 2>&1) || true
    [[ $found == "rustc $channel "* ]] ||
        die 2 "$(command -v rustc || printf 'rustc') is not Rust $channel but says: $found"
}

install_rustup() {
    local folder machine sha256
    machine=$(uname -m)
    sha256=rustup_sha256_$machine
    [ -n "${!sha256-}" ] || die 2 "no rustup is pinned for $machine: install it from https://rustup.rs and start again"
    say "installing rustup $rustup_version for this user"
    folder=$(mktemp -d)
    fetch "${RUSTUP_UPDATE_ROOT:-https://static.rust-lang.org/rustup}/archive/$rustup_version/$machine-unknown-linux-gnu/rustup-init" \
        "$folder/rustup-init" "${!sha256}"
    chmod +x "$folder/rustup-init"
    # A cargo of Debian's may stay: use_rust puts rustup's before it.
    RUSTUP_INIT_SKIP_PATH_CHECK=yes "$folder/rustup-init" --quiet -y --default-toolchain none \
        </dev/null >"$folder/log" 2>&1 || {
        tail -n 8 "$folder/log" >&2
        die 2 "rustup's installer failed, see above"
    }
    rm -rf "$folder"
}
