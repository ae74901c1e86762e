# shellcheck shell=bash
# A guest under QEMU, driven through a shared folder. Sourced.

say() { printf '%s\n' "$*" >&2; }
die() { # CODE TEXT
    say "error: $2"
    exit "$1"
}

# The guests. The last one has UEFI instead of a BIOS.
vm_systems=(debian-12 debian-13 debian-13-systemd-boot)

# has_esp SYSTEM: whether the system boots from an EFI system partition.
has_esp() {
    case $1 in *-systemd-boot) ;; *) false ;; esac
}

# Factor for every time limit.
patience=${SHAKEDOWN_VM_PATIENCE:-1}
vm_pid=
vm_share=
vm_log=
vm_firmware=()

# Prints kvm if this machine's KVM can run a kernel, else tcg: under some hypervisors /dev/kvm opens,
# but a guest hangs at its first 64-bit instructions.
vm_accelerator() { # IMAGE
    local log
    if ! { [ -r /dev/kvm ] && [ -w /dev/kvm ]; }; then
        printf 'tcg\n'
        return
    fi
    log=$(mktemp)
    timeout 25 qemu-system-x86_64 -machine q35 -accel kvm -cpu host -m 512 -display none -monitor none \
        -serial "file:$log" -no-reboot -snapshot -nic none -drive "file=$1,format=raw,if=virtio" \
        </dev/null >/dev/null 2>&1 || true
    if grep -q 'Linux version' "$log"; then printf 'kvm\n'; else printf 'tcg\n'; fi
    rm -f "$log"
}

# Starts a guest with two cores of two threads from a disk, with `vm_accel` and `vm_firmware`.
vm_start() { # DISK ARGUMENT...
    # A processor without AVX: QEMU emulates AVX only since 7.2, and journald hung with it.
    local disk=$1 format=raw cpu=Nehalem accel=tcg,thread=multi
    shift
    case $disk in *.qcow2) format=qcow2 ;; esac
    if [ "${vm_accel:-tcg}" = kvm ]; then
        cpu=host
        accel=kvm
    fi
    [ -n "$vm_share" ] || vm_share=$(mktemp -d)
    vm_log=${vm_log:-$vm_share.log}
    rm -f "$vm_share/booted"
    date +%s >"$vm_share/now"
    # Unused devices cost an emulated boot half a minute.
    qemu-system-x86_64 -machine q35,smbus=off,i8042=off,sata=off -nodefaults -accel "$accel" -cpu "$cpu" "${vm_firmware[@]}" \
        -smp 4,cores=2,threads=2 -m 1536 -display none -monitor none -serial "file:$vm_log" -nic none \
        -drive "file=$disk,format=$format,if=virtio,cache=unsafe" \
        -virtfs "local,path=$vm_share,mount_tag=shared,security_model=none" \
        "$@" </dev/null >"$vm_share.qemu" 2>&1 &
    vm_pid=$!
}

# Waits until the guest takes commands.
vm_wait() {
    local deadline=$((SECONDS + 600 * patience))
    until [ -s "$vm_share/booted" ]; do
        kill -0 "$vm_pid" 2>/dev/null || die 70 "the guest died: $(tail -n 3 "$vm_share.qemu" "$vm_log")"
        [ "$SECONDS" -lt "$deadline" ] || die 70 "the guest does not answer: $(tail -n 5 "$vm_log")"
        sleep 1
    done
}

# Runs a script in the guest; prints its output and returns its exit code.
vm_run() { # SCRIPT
    local deadline=$((SECONDS + ${2:-900} * patience))
    rm -f "$vm_share/code" "$vm_share/out"
    printf '%s\n' "$1" >"$vm_share/script"
    : >"$vm_share/go"
    until [ -f "$vm_share/code" ]; do
        kill -0 "$vm_pid" 2>/dev/null || die 70 "the guest died: $(tail -n 3 "$vm_log")"
        [ "$SECONDS" -lt "$deadline" ] || die 70 "the guest does not finish: $1"
        sleep 0.3
    done
    cat "$vm_share/out"
    return "$(cat "$vm_share/code")"
}

# Reboots the guest as an operator does, and waits for it.
vm_reboot() {
    rm -f "$vm_share/booted" "$vm_share/code"
    date +%s >"$vm_share/now"
    printf 'systemctl reboot\n' >"$vm_share/script"
    : >"$vm_share/go"
    vm_wait
}

# Shuts the guest down, and keeps the shared folder so that it can be started again.
vm_off() {
    local deadline=$((SECONDS + 180 * patience))
    rm -f "$vm_share/booted" "$vm_share/code"
    printf 'sync; systemctl poweroff\n' >"$vm_share/script"
    : >"$vm_share/go"
    while kill -0 "$vm_pid" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.5; done
    kill -9 "$vm_pid" 2>/dev/null || true
    wait "$vm_pid" 2>/dev/null || true
    vm_pid=
}

# Kills the guest and removes the shared folder.
vm_kill() {
    if [ -n "$vm_pid" ]; then kill -9 "$vm_pid" 2>/dev/null || true; fi
    wait "$vm_pid" 2>/dev/null || true
    vm_pid=
    if [ -n "$vm_share" ]; then rm -rf "$vm_share" "$vm_share.log" "$vm_share.qemu"; fi
    vm_share=
    vm_log=
}
