# shellcheck shell=bash
# A Go that is new enough, wherever some Go is. Sourced, not run.

# shellcheck source=scripts/lib/versions.sh
. "$(dirname "${BASH_SOURCE[0]}")/versions.sh"

# use_go OLDEST: puts a Go of at least this release into PATH.
#
# Debian 12 ships 1.19, which knows nothing of other toolchains. But a toolchain is a module like
# any other, so that even this one can fetch it where it fetches everything else, and checks it.
use_go() {
    local oldest=$1 folder=${XDG_CACHE_HOME:-$HOME/.cache}/shakedown-tools/go-$go_version
    if go_is "$oldest"; then return 0; fi
    if [ ! -x "$folder/bin/go" ]; then
        command -v go >/dev/null || {
            printf 'error: no go: apt-get install golang-go\n' >&2
            return 2
        }
        printf 'Go is older than %s: fetching %s as a module\n' "$oldest" "$go_version" >&2
        fetch_go "$folder"
    fi
    export PATH=$folder/bin:$PATH GOROOT=$folder GOTOOLCHAIN=local
    hash -r
    go_is "$oldest"
}

# has_go OLDEST: whether `use_go` has nothing to fetch.
has_go() {
    go_is "$1" || [ -x "${XDG_CACHE_HOME:-$HOME/.cache}/shakedown-tools/go-$go_version/bin/go" ]
}

# go_is OLDEST: whether that is what `go` is, or newer.
go_is() {
    local found
    found=$(go env GOVERSION 2>/dev/null) || return 1
    printf '%s\n' "$1" "${found#go}" | sort --version-sort --check=quiet
}

# fetch_go FOLDER
fetch_go() {
    local scratch system version from
    case $(uname -m) in
    x86_64) system=linux-amd64 ;;
    aarch64) system=linux-arm64 ;;
    *)
        printf 'error: this Go is too old, and none is fetched for %s: install %s\n' "$(uname -m)" "$go_version" >&2
        return 2
        ;;
    esac
    version=v0.0.1-go$go_version.$system
    mkdir -p "$(dirname "$1")"
    scratch=$(mktemp -d "$1.XXXXXX")
    printf 'module scratch\n' >"$scratch/go.mod"
    (
        cd "$scratch"
        GOFLAGS=-modcacherw GOPATH=$scratch/path GO111MODULE=on GOTOOLCHAIN=local \
            go mod download "golang.org/toolchain@$version"
    ) || {
        rm -rf "$scratch"
        return 2
    }
    from=$scratch/path/pkg/mod/golang.org/toolchain@$version
    # Modules carry no modes, and no go.mod below the first.
    chmod +x "$from"/bin/* "$from"/pkg/tool/*/*
    find "$from" -name _go.mod -execdir mv {} go.mod \;
    mv "$from" "$1"
    rm -rf "$scratch"
}
