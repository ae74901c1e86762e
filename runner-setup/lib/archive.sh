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
# write to this one. If both arguments are empty, downloads the pinned version.
install_runner() {
    local archive=$1 expected=$2 name version=given found fetched=
    name=sha256_$(runner_architecture)
    # shellcheck source=runner-setup/runner.version
    . "$here/runner.version"
    if [ -z "$expected" ]; then
        expected=${!name-}
        [[ $expected =~ ^[0-9a-f]{64}$ ]] ||
            die 2 "runner.version has no $name: run update-runner-version, or give --runner-archive with --runner-sha256"
    fi
    if [ "$(cat /usr/local/lib/shakedown/runner.sha256 2>/dev/null)" = "$expected" ]; then return; fi
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
    unpack_runner "$archive"
    [ -z "$fetched" ] || rm -f "$fetched"
    put_text /usr/local/lib/shakedown/runner.sha256 644 <<<"$expected"
}

unpack_runner() { # ARCHIVE
    local target=/usr/local/lib/shakedown/runner
    note tree "$target"
    rm -rf "$target.new"
    install -d -o root -g root -m 755 "$target.new"
    tar -xzf "$1" -C "$target.new" --no-same-owner --no-same-permissions
    [ -f "$target.new/run.sh" ] && [ -f "$target.new/config.sh" ] ||
        die 2 "the archive does not contain a runner: run.sh or config.sh is missing"
    chown -R root:root "$target.new"
    chmod -R u+rwX,go+rX,go-w "$target.new"
    rm -rf "$target"
    mv "$target.new" "$target"
}
