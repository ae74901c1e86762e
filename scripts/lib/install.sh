# shellcheck shell=bash
# What `scripts/bench` and `scripts/test` share: finding what a machine lacks and installing
# it. Sourced, not run.

# Set by --no-install.
install_allowed=yes

say() { printf '%s\n' "$*" >&2; }

die() { # CODE TEXT
    say "error: $2"
    exit "$1"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die 2 "this needs root: $*"
    fi
}

# need PACKAGE COMMAND WHY: notes a Debian package whose command is missing.
missing_packages=()
missing_reasons=()
need() {
    command -v "$2" >/dev/null || note_missing "$1" "$3"
}

# need_file PACKAGE FILE WHY: the same for a package that has no command.
need_file() {
    [ -e "$2" ] || note_missing "$1" "$3"
}

note_missing() { # PACKAGE WHY
    case " ${missing_packages[*]-} " in
    *" $1 "*) ;;
    *) missing_packages+=("$1") ;;
    esac
    missing_reasons+=("$1: $2")
}

# Installs what `need` noted, in one go, after saying what and why.
install_missing() {
    [ "${#missing_packages[@]}" = 0 ] && return
    say "missing on this machine:"
    printf '  %s\n' "${missing_reasons[@]}" >&2
    if [ "$install_allowed" = no ]; then
        die 2 "not installing (--no-install). By hand: sudo apt-get install ${missing_packages[*]}"
    fi
    command -v apt-get >/dev/null ||
        die 2 "this is neither Debian nor Ubuntu: install the equivalents of ${missing_packages[*]} and start again"
    say "installing them with apt-get"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        "${missing_packages[@]}" >/dev/null
    missing_packages=()
    missing_reasons=()
}

# Puts rustup's commands into PATH where a login shell would.
use_rustup() {
    # shellcheck disable=SC1091 # made by rustup
    if [ -f "$HOME/.cargo/env" ]; then . "$HOME/.cargo/env"; fi
}

# A Rust toolchain, by rustup, when there is none. The version stands in rust-toolchain.toml.
install_rust() {
    use_rustup
    command -v cargo >/dev/null && return
    say "missing on this machine:"
    say "  a Rust toolchain: Shakedown, its drivers and rustls are written in Rust"
    if [ "$install_allowed" = no ]; then
        die 2 "not installing (--no-install). By hand: https://rustup.rs"
    fi
    say "installing rustup for this user"
    if apt-cache policy rustup 2>/dev/null | grep Candidate | grep -qv none; then
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y rustup >/dev/null
    else
        need curl curl "fetches rustup"
        install_missing
        curl --proto '=https' --tlsv1.2 -fsS https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain none
        use_rustup
    fi
    command -v cargo >/dev/null || die 2 "rustup is there, but cargo is not in PATH: open a new shell and start again"
}

# What building the libraries and the drivers takes.
need_to_build() {
    need build-essential cc "compiles OpenSSL and aws-lc"
    need build-essential make "drives OpenSSL's build"
    need perl perl "runs OpenSSL's Configure"
    need git git "fetches revisions of the libraries"
    need cmake cmake "configures aws-lc where its crate needs it"
    need_file ca-certificates /etc/ssl/certs/ca-certificates.crt "verifies downloads"
}
