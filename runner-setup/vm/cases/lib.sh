# shellcheck shell=bash
# Shared by the cases that run in the guest. Sourced.

fails=0
checks=0
# An emulated systemd on a busy machine may take longer to answer than its clients wait.
export SYSTEMD_BUS_TIMEOUT=300s
# The folder shared with the host.
shared=/run/vm
# The installation of the guest.
installer=$shared/runner-setup/install.sh
arguments=(--repo rustls/rustls --command "$shared/shakedown" --token-file "$shared/token" --name guest
    --runner-archive "$shared/stand-in.tar.gz" --runner-sha256 "$(sha256sum <"$shared/stand-in.tar.gz" | cut -d' ' -f1)"
    --api-url http://127.0.0.1:8099
    --registry-host registry.example --rust "$shared/rust")

# check NAME COMMAND...: passes if the command succeeds.
check() {
    local name=$1
    shift
    checks=$((checks + 1))
    if "$@" >/run/case.out 2>&1; then
        printf 'ok    %s\n' "$name"
    else
        printf 'FAIL  %s\n' "$name"
        sed 's/^/      /' /run/case.out | cut -c1-300 | sed '12,${/./!d}' | { head -n 12 && printf '      ...\n' && tail -n 8; }
        fails=$((fails + 1))
    fi
}

# is FOUND WANTED
is() {
    [ "$1" = "$2" ] || {
        printf 'found %s\nwanted %s\n' "$1" "$2"
        return 1
    }
}

# has TEXT PART / lacks TEXT PART
has() { grep -qF -- "$2" <<<"$1" || { printf 'no %s in:\n%s\n' "$2" "$1" && return 1; }; }
lacks() { ! has "$1" "$2" >/dev/null || { printf '%s in:\n%s\n' "$2" "$1" && return 1; }; }

# ends_with CODE COMMAND...
ends_with() {
    local wanted=$1 code=0
    shift
    "$@" || code=$?
    is "$code" "$wanted"
}

# eventually COMMAND...: retries for two minutes, because an emulated machine is slow.
eventually() {
    local end=$((SECONDS + 120 * ${patience:-1}))
    while [ "$SECONDS" -lt "$end" ]; do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    "$@"
}

# The kernel command line of the next boot, and the file with our parameters.
next_boot() { sed -n 's/^[[:space:]]*\(linux\|options\)[[:space:]]//p' /boot/grub/grub.cfg /boot/efi/loader/entries/*.conf 2>/dev/null; }
if [ -d /boot/grub ]; then
    boot_file=/etc/default/grub.d/shakedown.cfg boot_text='GRUB_CMDLINE_LINUX_DEFAULT="$GRUB_CMDLINE_LINUX_DEFAULT nosmt'
else
    boot_file=/etc/kernel/cmdline boot_text='root=/dev/vda2 console=ttyS0 net.ifnames=0 systemd.machine_id=b08dfa6083e7567a1921a715000001fb nosmt'
fi

# The end of each case.
finish() {
    printf '%s of %s checks failed\n' "$fails" "$checks"
    [ "$fails" = 0 ]
}

# Every file of the disk: kind, owner, mode and target of each, size and time of what packages
# bring to /usr, and the content of everything else. Hashing all of it takes minutes emulated.
listing() { # TARGET
    {
        find / -xdev \( "${volatile[@]}" \) -prune -o -printf '%y %u:%g %m %p %l\n' | LC_ALL=C sort
        find /usr -xdev \( -path /usr/local -o -path '/usr/lib/modules/*/modules.*' \) -prune -o -type f -printf 'usr %s %T@ %p\n' | LC_ALL=C sort
        find / -xdev \( "${volatile[@]}" -o -path /usr -o -path '/var/lib/dpkg/info' \) -prune -o -type f -print0 |
            xargs -0 -P 4 -n 200 cksum | LC_ALL=C sort -k 3
        # The index of the kernel's modules is written anew, the same, with each entry of the loader.
        find /usr/local /usr/lib/modules/*/modules.* -xdev -type f -exec cksum {} + | LC_ALL=C sort -k 3
        # The EFI system partition; the seed for the next boot is new each time.
        [ ! -d /boot/efi/loader ] || find /boot/efi -type f ! -name random-seed -exec cksum {} + | LC_ALL=C sort -k 3
        # dpkg writes its file anew with each package, not byte for byte: what it says is compared.
        dpkg-query -W -f 'package ${binary:Package} ${Version} ${Status}\n' | LC_ALL=C sort
    } >"$1"
}

# What changes by itself, or is the package manager's own memory; docs/operating.md lists it.
volatile=(
    -path /run -o -path /proc -o -path /sys -o -path /dev -o -path /tmp
    -o -path /var/log -o -path /var/cache -o -path /var/tmp -o -path /var/backups
    -o -path /var/lib/apt/periodic -o -path /var/lib/apt/daily_lock
    -o -path /var/lib/systemd -o -path /var/lib/logrotate -o -path /var/lib/apt/extended_states
    -o -path /var/lib/apt/lists -o -path /var/lib/dpkg/status -o -path /var/lib/dpkg/status-old -o -path /var/lib/dpkg/available
    -o -path /var/lib/dpkg/lock -o -path /var/lib/dpkg/lock-frontend -o -path /var/lib/dpkg/triggers
    -o -path /var/lib/private -o -path /var/lib/man-db
    -o -path /etc/passwd- -o -path /etc/group- -o -path /etc/shadow- -o -path /etc/gshadow-
    -o -path /etc/.pwd.lock -o -path /etc/ld.so.cache -o -path /boot/grub/grubenv
    -o -path /root -o -path /srv
)

# Takes most timers out of the guest before anything is installed: each that is masked and brought
# back makes systemd read all of its units, which takes seconds, emulated; and what has missed much
# starts at once, in a guest that is made anew each time. cron and a timer are left to be tested with.
calm() {
    systemctl mask --quiet --now apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
        logrotate.timer man-db.timer e2scrub_reap.service 2>/dev/null
}

# The knobs of the machine: settings, not counters.
knobs() { # TARGET
    {
        grep -rs . /sys/devices/system/cpu/{smt/control,online} /sys/kernel/mm/transparent_hugepage/{enabled,defrag,shmem_enabled} \
            /sys/kernel/mm/ksm/run /sys/devices/virtual/workqueue/cpumask /proc/irq/default_smp_affinity \
            /sys/fs/cgroup/cgroup.subtree_control
        grep -s . /proc/irq/*/smp_affinity_list /sys/devices/virtual/workqueue/*/cpumask
        grep -s . /proc/sys/kernel/{nmi_watchdog,soft_watchdog,watchdog,timer_migration,numa_balancing,perf_event_paranoid,randomize_va_space,sched_*} \
            /proc/sys/vm/{stat_interval,swappiness,dirty_*,compaction*}
        grep -s . /sys/devices/system/cpu/cpufreq/*/scaling_{governor,min_freq,max_freq} /sys/devices/system/cpu/cpu*/online
        # Slices are systemd's, and come and go with the services in them.
        find /sys/fs/cgroup -mindepth 1 -maxdepth 1 -type d ! -name '*.slice'
        swapon --show=NAME --noheadings
        # Asking systemd for all of its units takes it long, emulated.
        find /run/systemd/system /etc/systemd/system -maxdepth 1 -lname /dev/null -printf 'masked %p\n'
        systemctl is-active irqbalance.service cron.service | sed 's/^/active /'
    } 2>/dev/null | LC_ALL=C sort >"$1"
}
