# shellcheck shell=bash
# Idempotent changes to a machine that are printed and can be reverted. Sourced.
#
# Each function compares first and changes only what differs. With `dry_run` it prints the change and
# makes none. Before each change it appends a line to `$ledger/undo` that says how to revert it;
# uninstall.sh reads these lines in reverse. Each line is synced to disk first, so that an
# interrupted installation can be reverted or continued.

# Folder of the undo lines.
ledger=/var/lib/shakedown/installed
dry_run=no
changes=0

say() { printf '%s\n' "$*" >&2; }

die() { # CODE TEXT
    say "error: $2"
    exit "$1"
}

# announce WHAT: prints a change.
announce() {
    changes=$((changes + 1))
    if [ "$dry_run" = yes ]; then printf 'would %s\n' "$*"; else printf '%s\n' "$*"; fi
}

# note KIND VALUE: appends an undo line.
note() {
    [ "$dry_run" = no ] || return 0
    install -d -m 755 /var/lib/shakedown
    install -d -m 700 "$ledger" "$ledger/backup"
    grep -qxF "$1 $2" "$ledger/undo" 2>/dev/null && return 0
    printf '%s %s\n' "$1" "$2" >>"$ledger/undo"
    sync "$ledger/undo"
}

# do COMMAND...: runs it, unless this is a dry run.
do_it() {
    if [ "$dry_run" = no ]; then "$@"; fi
}

owner_and_mode() { stat -c '%U:%G %a' "$1"; }

# make_folder PATH MODE [OWNER:GROUP]
make_folder() {
    local path=$1 mode=$2 owner=${3:-root:root}
    if [ -d "$path" ] && [ "$(owner_and_mode "$path")" = "$owner $mode" ]; then return; fi
    announce "make folder $path ($owner, $mode)"
    [ -d "$path" ] || note folder "$path"
    do_it install -d -o "${owner%:*}" -g "${owner#*:}" -m "$mode" "$path"
}

# put_file SOURCE PATH MODE [OWNER:GROUP]: keeps the old file for uninstall.sh.
put_file() {
    local source=$1 path=$2 mode=$3 owner=${4:-root:root} verb=write
    if [ -f "$path" ] && [ ! -L "$path" ] && cmp -s "$source" "$path" && [ "$(owner_and_mode "$path")" = "$owner $mode" ]; then
        return
    fi
    [ ! -e "$path" ] || verb=replace
    announce "$verb $path ($owner, $mode)"
    if [ "$dry_run" = yes ]; then
        case $mode in
        *00) ;; # secrets are not shown
        *) show_text "$source" "$path" ;;
        esac
        return
    fi
    remember "$path"
    install -o "${owner%:*}" -g "${owner#*:}" -m "$mode" "$source" "$path.new"
    mv -f "$path.new" "$path"
}

# show_text SOURCE PATH: prints the new lines of a small file.
show_text() {
    grep -Iq . "$1" || return 0
    diff -u --label "$2" --label "$2" "$(if [ -e "$2" ]; then printf '%s' "$2"; else printf /dev/null; fi)" "$1" |
        sed -n '3,$p' | head -n 60 | sed 's/^/    /' || true
}

# remember PATH: records how to revert a file before it is written.
remember() {
    local path=$1
    if grep -qxF -e "file $path" -e "kept $path" "$ledger/undo" 2>/dev/null; then return; fi
    if [ -e "$path" ]; then
        install -d -m 700 "$ledger/backup$(dirname "$path")"
        cp -a "$path" "$ledger/backup$path"
        note kept "$path"
    else
        note file "$path"
    fi
}

# put_text PATH MODE: writes a file from standard input.
put_text() {
    local text
    text=$(mktemp)
    cat >"$text"
    put_file "$text" "$@"
    rm -f "$text"
}

# put_link TARGET PATH
put_link() {
    if [ "$(readlink "$2" 2>/dev/null)" = "$1" ]; then return; fi
    [ ! -e "$2" ] || die 2 "$2 exists and was not created by install.sh: move it away"
    announce "link $2 to $1"
    note file "$2"
    do_it ln -s "$1" "$2"
}

# make_group NAME
make_group() {
    ! getent group "$1" >/dev/null || return 0
    announce "add group $1"
    note group "$1"
    do_it groupadd --system "$1"
}

# make_user NAME HOME COMMENT [GROUP]: a system user without login, with a group of the same name,
# who is also a member of GROUP.
make_user() {
    ! getent passwd "$1" >/dev/null || return 0
    announce "add user $1"
    note user "$1"
    do_it useradd --system --user-group --no-create-home --home-dir "$2" \
        --shell /usr/sbin/nologin --comment "$3" ${4:+--groups "$4"} "$1"
}

# enable_unit NAME: starts it at every boot.
enable_unit() {
    if systemctl is-enabled --quiet "$1" 2>/dev/null; then return; fi
    announce "enable $1"
    note unit "$1"
    do_it systemctl enable --quiet "$1"
}

# start_unit NAME: starts it now. A service that waits for its next restart counts as started. The
# installation does not wait until the service is ready.
start_unit() {
    local _ state
    # A unit that is deactivating either restarts by itself or was stopped: wait to see which.
    for _ in {1..60}; do
        state=$(systemctl is-active "$1" 2>/dev/null) || true
        [ "$state" = deactivating ] || break
        sleep 1
    done
    case $state in active | activating | reloading) return 0 ;; esac
    announce "start $1"
    do_it systemctl start --no-block "$1"
}

# add_packages NAME...: installs the missing ones. Records their dependencies as well.
add_packages() {
    local name missing=() before
    for name in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    announce "install packages: ${missing[*]}"
    [ "$dry_run" = no ] || return 0
    before=$(mktemp)
    installed_packages >"$before"
    export DEBIAN_FRONTEND=noninteractive
    # Packages in apt's cache need no network.
    apt-get install -qq -y --no-install-recommends --no-download "${missing[@]}" >/dev/null 2>&1 || {
        apt-get update -qq
        apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
    }
    installed_packages | comm -13 "$before" - | while read -r name; do note package "$name"; done
    rm -f "$before"
}

installed_packages() {
    dpkg-query -W -f '${db:Status-Status} ${Package}:${Architecture}\n' | sed -n 's/^installed //p' | LC_ALL=C sort
}
