# shellcheck shell=bash
# Boot parameters: what can't be changed while the system runs, or is better from the start.
# Which ones, and how the boot loader takes them, is known to `shakedown host boot`. Sourced.
# The reboot is left to the operator.

# host_boot ARGUMENT...: by the command that is installed, or that will be.
host_boot() {
    local with=/usr/local/lib/shakedown/bin/shakedown
    [ "$dry_run" = no ] || with=${command:-$with}
    [ -x "$with" ] || return 2
    "$with" host boot "$@"
}

# Those that this boot lacks, one a line.
boot_missing() {
    host_boot --show 2>/dev/null | sed -n 's/^\([^ ]*\)  *not in this boot .*/\1/p'
}

# Adds them for the next boot.
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

# Takes them back; the boot loader is told.
back_boot() {
    announce "take the boot parameters back"
    [ "$dry_run" = no ] || return 0
    host_boot --remove >/dev/null || say "left: the boot parameters: call \`shakedown host boot --remove\` to see why"
}
