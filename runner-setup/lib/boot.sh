# shellcheck shell=bash
# Boot parameters, for settings that can't be changed later. `shakedown host boot` knows which ones,
# and how to write them for the boot loader. Never reboots. Sourced.

# host_boot ARGUMENT...: calls the installed command, or the one that will be installed.
host_boot() {
    local with=/usr/local/lib/shakedown/bin/shakedown
    [ "$dry_run" = no ] || with=${command:-$with}
    [ -x "$with" ] || return 2
    "$with" host boot "$@"
}

# Prints the parameters that the running kernel lacks, one per line.
boot_missing() {
    host_boot --show 2>/dev/null | sed -n 's/^\([^ ]*\)  *not in this boot .*/\1/p'
}

# Adds the parameters for the next boot.
set_boot_parameters() {
    local shown
    if ! shown=$(host_boot --show 2>&1); then
        say "no boot parameters: ${shown:-the command that knows them is not built yet}"
        return
    fi
    case $shown in *'nothing to change'*) return 0 ;; esac
    announce "add boot parameters, for the next boot"
    [ "$dry_run" = no ] || sed 's/^/    /' <<<"$shown"
    note boot parameters
    if [ "$dry_run" = no ]; then
        host_boot --write >/dev/null || die 2 "shakedown host boot --write failed, see above"
    fi
}

# Removes the parameters and updates the boot loader.
back_boot() {
    announce "take the boot parameters back"
    [ "$dry_run" = no ] || return 0
    host_boot --remove >/dev/null || say "left: the boot parameters: call \`shakedown host boot --remove\` to see why"
}
