# shellcheck shell=bash
# Finds what a machine lacks, names all of it at once, and installs it. Sourced, not run.
#
# A script notes its needs with `need`, `need_file` and `need_tool`, and then calls
# `install_missing`. Whatever can't be installed ends the script with exit code 2.

# Set by --no-install.
install_allowed=yes

say() { printf '%s\n' "$*" >&2; }

die() { # CODE TEXT
    say "error: $2"
    exit "$1"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing_reasons=()
missing_packages=()
missing_tools=()
missing_by_hand=()

# need PACKAGE COMMAND WHY: a Debian package, unless its command is there.
need() {
    command -v "$2" >/dev/null || note_package "$1" "$3"
}

# need_file PACKAGE FILE WHY: the same for a package that has no command.
need_file() {
    [ -e "$2" ] || note_package "$1" "$3"
}

note_package() { # PACKAGE WHY
    local index
    case " ${missing_packages[*]-} " in
    *" $1 "*) ;;
    *)
        missing_packages+=("$1")
        missing_reasons+=("$1: $2")
        return
        ;;
    esac
    # One line a package, with each of its reasons once.
    for index in "${!missing_reasons[@]}"; do
        case "${missing_reasons[index]}; " in
        "$1: $2; "* | "$1: "*"; $2; "*) ;;
        "$1: "*) missing_reasons[index]+="; $2" ;;
        esac
    done
}

# need_tool NAME WHY BY-HAND INSTALLER [ARGUMENT]: something that is no Debian package and is not
# there. INSTALLER is a function; BY-HAND is what a person would type.
need_tool() {
    missing_reasons+=("$1: $2")
    missing_by_hand+=("$3")
    missing_tools+=("$4${5:+ $5}")
}

# Names everything that was noted, and installs it unless --no-install was given.
install_missing() {
    local tool
    [ "${#missing_reasons[@]}" -gt 0 ] || return 0
    say "missing on this machine:"
    printf '  %s\n' "${missing_reasons[@]}" >&2
    [ "${#missing_packages[@]}" = 0 ] ||
        missing_by_hand=("sudo apt-get install ${missing_packages[*]}" "${missing_by_hand[@]}")
    if [ "$install_allowed" = no ]; then
        say "to install it by hand:"
        printf '  %s\n' "${missing_by_hand[@]}" >&2
        die 2 "nothing was installed (--no-install)"
    fi
    [ "${#missing_packages[@]}" = 0 ] || install_packages "${missing_packages[@]}"
    for tool in "${missing_tools[@]}"; do
        # Function and argument.
        # shellcheck disable=SC2086
        $tool
    done
    missing_reasons=() missing_packages=() missing_tools=() missing_by_hand=()
}

install_packages() { # PACKAGE...
    local log by_hand="sudo apt-get install $*"
    command -v apt-get >/dev/null ||
        die 2 "this is neither Debian nor Ubuntu: install the equivalents of these packages and start again: $*"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            die 2 "installing packages needs root, and there is no sudo. As root: apt-get install $*"
        sudo true || die 2 "installing packages needs root, and sudo refuses. Have somebody run: $by_hand"
    fi
    say "installing packages with apt-get"
    log=$(mktemp)
    # A source of packages that can't be reached matters only if a package is not found then.
    as_root apt-get update -q >"$log" 2>&1 </dev/null || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@" \
        >>"$log" 2>&1 </dev/null || {
        grep -E '^(E|W|Err)[:0-9]' "$log" | tail -n 8 >&2 || tail -n 8 "$log" >&2
        rm -f "$log"
        die 2 "apt-get failed, see above: is the network there? By hand: $by_hand"
    }
    rm -f "$log"
}

# fetch URL FILE SHA256: downloads a file and checks what it is.
fetch() {
    curl --proto '=https' --tlsv1.2 --retry 2 -fsSL -o "$2" "$1" ||
        die 2 "could not fetch $1: is the network there?"
    printf '%s  %s\n' "$3" "$2" | sha256sum --check --quiet >&2 || {
        rm -f "$2"
        die 2 "$1 is not the file that scripts/lib/versions.sh names"
    }
}

# need_disk GB FOLDER FILLED: free disk space that a start from nothing takes below FOLDER. Where FILLED is there,
# part of it was taken before, so that less may do.
need_disk() {
    local free
    free=$(($(df --output=avail -B1 "$2" | tail -n 1) / 1000000000))
    [ "$free" -lt "$1" ] || return 0
    [ -e "$3" ] ||
        die 2 "from nothing, this takes $1 GB of disk space, and $free GB are free on the file system of $2"
    say "warning: only $free GB are free on the file system of $2; from nothing, this takes $1 GB"
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
