# shellcheck shell=bash
# Reverts what install.sh recorded. Sourced by uninstall.sh.

# Refuses to uninstall while a run uses the host.
refuse_while_busy() {
    local lock=/run/lock/shakedown.lock
    [ -e "$lock" ] || return 0
    exec 7<"$lock"
    flock -n 7 || die 4 "this host is in use: $(head -c 1000 "$lock"). Wait for it, or stop shakedown-runner.service"
    exec 7>&-
}

stop_services() {
    local unit
    for unit in shakedown-runner.service shakedown-runner-update.timer shakedown-runner-update.service \
        shakedown-metrics.timer shakedown-metrics.service shakedown-sandbox.socket \
        shakedown-enter.socket shakedown-helper.socket shakedown-proxy.service; do
        # A unit that waits for its restart is not "active", but would come back.
        case $(systemctl show --property=ActiveState --value "$unit" 2>/dev/null) in
        '' | inactive | failed) ;;
        *)
            announce "stop $unit"
            do_it systemctl stop "$unit"
            ;;
        esac
    done
}

# Only the journal of `shakedown host tune` has the original values of the knobs.
restore_knobs() {
    local command=/usr/local/lib/shakedown/bin/shakedown
    [ -x "$command" ] || return 0
    announce "restore the knobs"
    do_it "$command" host restore ||
        say "some knobs do not have their original value, see above; a reboot reverts all that are not files"
    do_it systemctl stop shakedown-tune.service 2>/dev/null || true
}

take_back() {
    local kind value packages=()
    # Left by jobs; the folder is empty then.
    do_it rm -rf --one-file-system /var/lib/shakedown/health/runs.jsonl
    while read -r kind value; do
        case $kind in
        package) packages+=("$value") ;;
        *) "back_$kind" "$value" ;;
        esac
    done < <(tac "$ledger/undo")
    do_it systemctl daemon-reload
    remove_packages "${packages[@]}"
}

back_file() {
    [ -e "$1" ] || [ -L "$1" ] || return 0
    announce "remove $1"
    do_it rm -f "$1"
}

back_kept() {
    announce "put the old $1 back"
    do_it cp -a "$ledger/backup$1" "$1"
}

back_tree() {
    announce "remove $1 and what is in it"
    do_it rm -rf --one-file-system "$1"
}

back_folder() {
    [ -d "$1" ] || return 0
    # Keep the folder if it contains files of others.
    if [ "$dry_run" = yes ]; then
        announce "remove folder $1 if it is empty"
    elif rmdir "$1" 2>/dev/null; then
        announce "remove folder $1"
    else
        say "left: $1, which contains other files"
    fi
}

back_unit() {
    systemctl is-enabled --quiet "$1" 2>/dev/null || return 0
    announce "disable $1"
    do_it systemctl disable --quiet "$1"
}

back_user() {
    getent passwd "$1" >/dev/null || return 0
    announce "remove user $1"
    do_it userdel "$1" 2>/dev/null
}

back_group() {
    getent group "$1" >/dev/null || return 0
    announce "remove group $1"
    do_it groupdel "$1"
}

# Removes packages that install.sh installed, unless other packages need them.
remove_packages() {
    local name there=() others
    for name in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" != installed ] || there+=("$name")
    done
    [ "${#there[@]}" -gt 0 ] || return 0
    if [ "$keep_packages" = yes ]; then
        say "left: packages ${there[*]}"
        return
    fi
    others=$(apt-get -s purge "${there[@]}" | sed -n 's/^Purg \([^ ]*\) .*/\1/p' | LC_ALL=C sort |
        comm -23 - <(printf '%s\n' "${there[@]%%:*}" | LC_ALL=C sort))
    if [ -n "$others" ]; then
        say "left: packages ${there[*]}, which are needed by $(tr '\n' ' ' <<<"$others")"
        return
    fi
    announce "remove packages: ${there[*]}"
    do_it env DEBIAN_FRONTEND=noninteractive apt-get purge -qq -y "${there[@]}" >/dev/null
}

# Last: the ledger itself, and the files that the service made at run time.
forget() {
    announce "remove what the service left in /var/lib/shakedown and /run/shakedown"
    [ "$dry_run" = no ] || return 0
    rm -rf --one-file-system /var/lib/shakedown/runner /var/lib/shakedown/home /var/lib/shakedown/sandbox \
        /var/lib/shakedown/journal /var/lib/shakedown/health /var/lib/shakedown/runner-releases.json \
        /etc/shakedown "$ledger"
    rm -rf /run/shakedown /run/shakedown-runner
    udevadm control --reload
    if [ -e /dev/cpu_dma_latency ]; then
        chown root:root /dev/cpu_dma_latency
        chmod 600 /dev/cpu_dma_latency
    fi
    rmdir /var/lib/shakedown 2>/dev/null ||
        say "left: /var/lib/shakedown, which contains other files"
}
