# shellcheck shell=bash
# Versions of what the scripts download besides Debian's packages, crates of Cargo.lock and
# modules of package-lock.json. Rust's own is in rust-toolchain.toml. Sourced, not run.
# shellcheck disable=SC2034 # read by those who source this

# The day on which these versions were last compared with the newest ones. `scripts/test` warns
# once this is more than 180 days ago.
versions_reviewed=2026-11-22

# https://static.rust-lang.org/rustup/archive/VERSION/TRIPLE/rustup-init.sha256
rustup_version=1.29.0
rustup_sha256_x86_64=4acc9acc76d5079515b46346a485974457b5a79893cfb01112423c89aeb5aa10
rustup_sha256_aarch64=9732d6c5e2a098d3521fca8145d826ae0aaa067ef2385ead08e6feac88fa5792

# Builds actionlint and act where the system's Go is too old. Go's checksum database vouches for it,
# and for the two programs.
go_version=1.26.8
actionlint_version=v1.7.12
act_version=v0.2.89

zizmor_version=1.32.0
cargo_deny_version=0.20.2

# The databases that docs/exports.md has queries for, as packages of PyPI: DuckDB, and ClickHouse's engine.
duckdb_version=2.0.0
chdb_version=4.4.0

# The keys of Ubuntu's archive: the package `ubuntu-keyring`, which Debian does not have everywhere.
# Its key of 2018 is F6EC B376 2474 EDA9 D21B 7022 8719 20D1 991B C93C.
ubuntu_keyring_version=2023.11.28.1
ubuntu_keyring_sha256=36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8

# The image of GitHub's hosted runners that release.yml builds on, and the day from which its jobs fail
# (github.com/actions/runner-images/issues/14254; in the four weeks before, they fail for some hours a week).
release_image=ubuntu-22.04
release_image_ends=2027-04-17

# days_since DATE
days_since() { printf '%s' $((($(date +%s) - $(date -d "$1" +%s)) / 86400)); }

# Says so where nobody has looked for newer versions for half a year.
warn_of_old_versions() {
    local days
    days=$(days_since "$versions_reviewed")
    [ "$days" -le 180 ] ||
        printf 'warning: the versions in scripts/lib/versions.sh were last reviewed %s days ago\n' "$days" >&2
}

# warn_of_old_runner FILE: says so where nobody has looked for a newer runner for the time after which
# GitHub gives an old one no jobs.
warn_of_old_runner() {
    local days
    days=$(days_since "$(sed -n 's/^newest_on=//p' "$1")")
    [ "$days" -le 30 ] ||
        printf 'warning: %s was last compared with the newest runner %s days ago\n' "$1" "$days" >&2
}

# Says so from 120 days before GitHub takes the image away that releases are built on.
warn_of_ending_image() {
    local days
    days=$((-$(days_since "$release_image_ends")))
    [ "$days" -ge 120 ] ||
        printf 'warning: GitHub ends %s on %s: build releases for the same glibc elsewhere\n' "$release_image" "$release_image_ends" >&2
}
