# shellcheck shell=bash
# The programs that check this repository, each in a folder of its own that carries its version.
# Sourced, not run.
# shellcheck source=scripts/lib/rust.sh
. "$(dirname "${BASH_SOURCE[0]}")/rust.sh"
# shellcheck source=scripts/lib/go.sh
. "$rust_root/scripts/lib/go.sh"

tools=${XDG_CACHE_HOME:-$HOME/.cache}/shakedown-tools
actionlint=$tools/actionlint-$actionlint_version/actionlint
act=$tools/act-$act_version/act
zizmor=$tools/zizmor-$zizmor_version/bin/zizmor
databases=$tools/databases-$duckdb_version-$chdb_version
cargo_deny=$tools/cargo-deny-$cargo_deny_version/bin/cargo-deny

# What checks the repository itself.
need_linters() {
    need_go_program "$actionlint" "checks the workflows" "github.com/rhysd/actionlint/cmd/actionlint@$actionlint_version"
    if [ ! -x "$zizmor" ]; then
        need_venv "installs zizmor"
        need_tool "zizmor $zizmor_version" "checks the workflows for weaknesses" \
            "python3 -m venv ${zizmor%/bin/*} && ${zizmor%/*}/pip install zizmor==$zizmor_version" install_zizmor
    fi
    [ -x "$cargo_deny" ] ||
        need_tool "cargo-deny $cargo_deny_version" "checks licences and advisories of dependencies" \
            "cargo install --locked --root ${cargo_deny%/bin/*} cargo-deny@$cargo_deny_version" install_cargo_deny
}

need_venv() { # WHY
    python3 -c 'import ensurepip, venv' 2>/dev/null || note_package python3-venv "$1"
}

# What the queries of docs/exports.md run on.
need_databases() {
    [ ! -x "$databases/bin/python" ] || return 0
    need_venv "installs DuckDB and ClickHouse's engine"
    need_tool "DuckDB $duckdb_version and chdb $chdb_version" "run the queries of docs/exports.md" \
        "python3 -m venv $databases && $databases/bin/pip install duckdb==$duckdb_version chdb==$chdb_version" install_databases
}

install_databases() {
    say "installing DuckDB $duckdb_version and chdb $chdb_version"
    rm -rf "$databases"
    { python3 -m venv "$databases" &&
        "$databases/bin/pip" install --quiet "duckdb==$duckdb_version" "chdb==$chdb_version"; } >&2 || {
        rm -rf "$databases"
        die 2 "the databases could not be installed, see above: is the network there?"
    }
}

need_act() {
    need_go_program "$act" "runs the workflows" "github.com/nektos/act@$act_version"
}

# need_go_program PATH WHY MODULE
need_go_program() {
    [ ! -x "$1" ] || return 0
    if ! has_go 1.25; then
        # Any Go: an old one fetches the newer one.
        need golang-go go "fetches Go $go_version"
        case " ${missing_tools[*]-} " in
        *" use_go "*) ;;
        *) need_tool "Go $go_version" "compiles programs that check the workflows" "https://go.dev/dl/" use_go 1.25 ;;
        esac
    fi
    need_tool "${1##*/} ${3##*@}" "$2" "GOBIN=${1%/*} go install $3" install_go_program "${1%/*}=$3"
}

install_go_program() { # FOLDER=MODULE
    use_go 1.25
    say "building ${1##*/}"
    GOBIN=${1%%=*} go install "${1#*=}" >&2 || die 2 "${1#*=} could not be built, see above: is the network there?"
}

install_zizmor() {
    say "installing zizmor $zizmor_version"
    rm -rf "${zizmor%/bin/*}"
    { python3 -m venv "${zizmor%/bin/*}" && "${zizmor%/*}/pip" install --quiet "zizmor==$zizmor_version"; } >&2 ||
        die 2 "zizmor could not be installed, see above: is the network there?"
}

install_cargo_deny() {
    say "building cargo-deny $cargo_deny_version"
    # Not optimized: it runs for seconds, and compiling it takes minutes.
    CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --locked --debug --root "${cargo_deny%/bin/*}" "cargo-deny@$cargo_deny_version" >&2 ||
        die 2 "cargo-deny could not be built, see above: is the network there?"
}

# modules_of FOLDER: where the modules are that FOLDER/package-lock.json pins.
modules_of() {
    printf '%s/npm-%s' "$tools" "$(sha256sum "$rust_root/$1/package-lock.json" | head -c 12)"
}

need_prism() {
    need nodejs node "runs Prism"
    need npm npm "fetches Prism"
    need_modules forge/tests/contract/prism "checks requests to GitHub against its description of them"
}

need_browser() {
    need nodejs node "drives a browser"
    need npm npm "fetches what drives it"
    browser >/dev/null || is_ubuntu || note_package chromium "shows the dashboard to its tests"
    need_modules history/dashboard/test "drives the browser"
}

# need_modules FOLDER WHY
need_modules() {
    local place
    place=$(modules_of "$1")
    [ -d "$place" ] || need_tool "npm modules of $1" "$2" "mkdir -p $place && cp $1/package*.json $place && npm ci --prefix $place --ignore-scripts" install_modules "$1"
}

install_modules() { # FOLDER
    local place
    place=$(modules_of "$1")
    say "fetching npm modules of $1"
    rm -rf "$place.part"
    mkdir -p "$place.part"
    cp "$rust_root/$1/package.json" "$rust_root/$1/package-lock.json" "$place.part"
    npm ci --prefix "$place.part" --engine-strict --no-audit --no-fund --ignore-scripts --silent >&2 </dev/null ||
        die 2 "npm could not fetch what $1/package-lock.json names: is the network there?"
    mv "$place.part" "$place"
}

# Ubuntu's archive has no browser: its `chromium-browser` is a snap, which needs snapd and systemd.
is_ubuntu() { grep -q '^ID=ubuntu$' /etc/os-release; }

# The browser that shows the dashboard to its tests, from a package, a snap or elsewhere.
browser() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome; do
        ! command -v "$name" || return 0
    done
    return 1
}
