# shellcheck shell=bash
# Ending processes for good, and the host's lock. Sourced by the scripts here, as root.

# kill_cgroup CGROUP: kills every process in a cgroup and below it, atomically: a process that
# forks while it is killed does not survive. Waits until none is left.
kill_cgroup() {
    local cgroup=$1 _
    [ -e "$cgroup/cgroup.kill" ] || return 0
    for _ in {1..200}; do
        printf 1 >"$cgroup/cgroup.kill" 2>/dev/null || [ -d "$cgroup" ] || return 0
        grep -qx 'populated 0' "$cgroup/cgroup.events" 2>/dev/null && return
        [ -d "$cgroup" ] || return 0
        sleep 0.05
    done
    printf 'processes in %s do not end\n' "$cgroup" >&2
    return 1
}

# kill_user USER: kills every process of a user. `kill -1` by the user itself signals all of them
# under one lock of the kernel, so that a chain of forks does not survive, as it does `pkill`.
kill_user() {
    local user=$1 _
    for _ in {1..200}; do
        pgrep -u "$user" >/dev/null || return 0
        setpriv --reuid "$user" --clear-groups -- bash -c 'kill -KILL -1' || true
        # pgrep lists dead ones too, until their parent asks for them.
        # shellcheck disable=SC2009
        ps -o stat= -u "$user" | grep -qv '^Z' || return 0
        sleep 0.05
    done
    printf 'processes of %s do not end\n' "$user" >&2
    return 1
}

# own_lock FILE: makes the host's lock a regular file of root's that everybody can lock. Its
# folder is sticky, so nobody else can replace it then. A job may have left a folder, a link or a
# pipe in its place.
own_lock() {
    local lock=$1
    if [ -L "$lock" ] || { [ -e "$lock" ] && [ ! -f "$lock" ]; }; then
        rm -rf --one-file-system -- "$lock"
    fi
    # Without following a link that came meanwhile.
    [ -e "$lock" ] || (set -o noclobber && : >"$lock") 2>/dev/null || true
    chown -h root:root "$lock"
    [ ! -L "$lock" ] && [ -f "$lock" ] && chmod 666 "$lock"
}
