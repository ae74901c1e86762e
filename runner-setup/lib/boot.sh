# shellcheck shell=bash
# Boot parameters: what can't be changed while the system runs, or is better from the start.
# Sourced. The reboot is left to the operator.

# Quiet from the first instruction on; mitigations and address space layout are left alone.
boot_parameters=(nosmt transparent_hugepage=never nmi_watchdog=0)

# Those that the command line of this boot lacks.
boot_missing() {
    local parameter
    for parameter in "${boot_parameters[@]}"; do
        grep -qwF -- "$parameter" /proc/cmdline || printf '%s\n' "$parameter"
    done
}

# Adds them for the next boot, by the boot loader that is there.
set_boot_parameters() {
    if [ -d /etc/default/grub.d ] || [ -f /etc/default/grub ]; then
        set_grub
    elif [ -f /etc/kernel/cmdline ] && command -v kernel-install >/dev/null; then
        set_systemd_boot
    else
        say "no GRUB and no systemd-boot here: add to the kernel's command line by hand: ${boot_parameters[*]}"
    fi
}

set_grub() {
    local before=$changes
    make_folder /etc/default/grub.d 755
    put_text /etc/default/grub.d/90-shakedown.cfg 644 <<TEXT
# Written by Shakedown's install.sh, removed by its uninstall.sh.
GRUB_CMDLINE_LINUX="\$GRUB_CMDLINE_LINUX ${boot_parameters[*]}"
TEXT
    [ "$changes" = "$before" ] || run_boot_loader update-grub
}

set_systemd_boot() {
    local line parameter
    line=$(cat /etc/kernel/cmdline)
    for parameter in "${boot_parameters[@]}"; do
        case " $line " in
        *" $parameter "*) ;;
        *) line="$line $parameter" ;;
        esac
    done
    [ "$line" != "$(cat /etc/kernel/cmdline)" ] || return 0
    put_text /etc/kernel/cmdline 644 <<<"$line"
    run_boot_loader refresh_entries
}

# run_boot_loader COMMAND: uninstall has to run it too, last, when the files are as they were.
run_boot_loader() {
    announce "tell the boot loader ($1)"
    note boot "$1"
    if [ "$dry_run" = no ]; then "$1" >/dev/null 2>&1 || die 2 "$1 failed: run it by hand to see why"; fi
}

# The entries of systemd-boot, written anew for every kernel.
refresh_entries() {
    local kernel
    for kernel in /lib/modules/*/; do
        kernel=$(basename "$kernel")
        [ ! -f "/boot/vmlinuz-$kernel" ] || kernel-install add "$kernel" "/boot/vmlinuz-$kernel"
    done
}
