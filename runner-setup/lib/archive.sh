# shellcheck shell=bash
# Downloads, verifies and unpacks the GitHub Actions runner. Sourced.

# runner_architecture: this machine's architecture, as GitHub names it.
runner_architecture() {
    case $(uname -m) in
    x86_64) printf 'x64\n' ;;
    aarch64) printf 'arm64\n' ;;
    *) die 2 "no runner for $(uname -m): x86-64 and Arm64 only" ;;
    esac
}

# install_runner ARCHIVE SHA256: unpacks the runner as root. The runner works in a copy and can't
# write to this one. If both arguments are empty, downloads the pinned version, unless the installed one is
# newer.
install_runner() {
    local archive=$1 expected=$2 name version found fetched=
    name=sha256_$(runner_architecture)
    # shellcheck source=runner-setup/runner.version
    . "$here/runner.version"
    if [ -z "$expected" ]; then
        expected=${!name-}
        [[ $expected =~ ^[0-9a-f]{64}$ ]] ||
            die 2 "runner.version has no $name: run update-runner-version, or give --runner-archive with --runner-sha256"
    fi
    # The host's own timer may have installed a newer one than the pinned one.
    if [ -z "$archive" ] && is_newer_runner "$version"; then return; fi
    if [ "$(noted_runner sha256)" = "$expected" ]; then return; fi
    announce "unpack runner $version (SHA-256 $expected) to /usr/local/lib/shakedown/runner"
    [ "$dry_run" = no ] || return 0
    if [ -z "$archive" ]; then
        fetched=$(mktemp)
        archive=$fetched
        curl -fsSL --retry 3 -o "$archive" \
            "https://github.com/actions/runner/releases/download/v$version/actions-runner-linux-$(runner_architecture)-$version.tar.gz" ||
            die 2 "can't download runner $version: check the network, or give --runner-archive"
    fi
    found=$(sha256sum <"$archive" | cut -d' ' -f1)
    [ "$found" = "$expected" ] || {
        [ -z "$fetched" ] || rm -f "$fetched"
        die 2 "the runner's archive is not what was published: SHA-256 is $found, wanted $expected"
    }
    unpack_runner "$archive" "$version" "$expected"
    [ -z "$fetched" ] || rm -f "$fetched"
}

# noted_runner KEY: what the installed runner is, as `unpack_runner` and `shakedown host runner-update`
# write it down.
noted_runner() { sed -n "s/^$1=//p" /usr/local/lib/shakedown/runner/.shakedown 2>/dev/null || true; }

# is_newer_runner VERSION: whether the installed one is of that version or a newer one.
is_newer_runner() {
    local installed
    installed=$(noted_runner version)
    [ -n "$installed" ] && [ "$(printf '%s\n' "$1" "$installed" | sort -V | tail -n 1)" = "$installed" ]
}

unpack_runner() { # ARCHIVE VERSION SHA256
    local target=/usr/local/lib/shakedown/runner
    note tree "$target"
    # What later updates leave.
    note tree "$target.next"
    note tree "$target.previous"
    note file "$(dirname "$target")/.runner.lock"
    rm -rf "$target.new"
    install -d -o root -g root -m 755 "$target.new"
    tar -xzf "$1" -C "$target.new" --no-same-owner --no-same-permissions
    [ -f "$target.new/run.sh" ] && [ -f "$target.new/config.sh" ] ||
        die 2 "the archive does not contain a runner: run.sh or config.sh is missing"
    chown -R root:root "$target.new"
    chmod -R u+rwX,go+rX,go-w "$target.new"
    printf 'version=%s\nsha256=%s\n' "$2" "$3" >"$target.new/.shakedown"
    exec 8>"$(dirname "$target")/.runner.lock"
    flock 8
    rm -rf "$target"
    mv "$target.new" "$target"
    exec 8>&-
}
