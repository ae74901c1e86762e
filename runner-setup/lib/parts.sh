# shellcheck shell=bash
# What install.sh installs, part by part. Sourced; the variables are those of install.sh.

prefix=/usr/local/lib/shakedown

install_packages() {
    local wanted
    # shellcheck source=/dev/null
    mapfile -t wanted < <(. /etc/os-release && packages_of "$ID" "$VERSION_ID")
    add_packages "${wanted[@]}"
}

# The runner and what it builds are different users: a build reads neither the registration of
# the runner nor the history. People who measure by hand are in group `shakedown`.
install_users() {
    make_group shakedown
    make_user shakedown-runner /var/lib/shakedown/home "Runs jobs of GitHub Actions" shakedown
    make_user shakedown-build /nonexistent "Builds code that nobody has read"
    make_user shakedown-proxy /nonexistent "Lets builds reach the registries"
}

install_command() {
    local folder
    [ -n "$command" ] || build_command
    for folder in "$prefix" "$prefix/bin" "$prefix/libexec" "$prefix/hooks"; do make_folder "$folder" 755; done
    if [ -n "$command" ]; then
        put_file "$command" "$prefix/bin/shakedown" 755
    fi
    put_link "$prefix/bin/shakedown" /usr/local/bin/shakedown
}

# The command of this clone, built by whoever owns the clone.
build_command() {
    local root owner
    root=$(cd "$here/.." && pwd)
    command=$root/target/release/shakedown
    [ ! -x "$command" ] || return 0
    owner=$(stat -c %U "$root")
    announce "build target/release/shakedown as $owner"
    if [ "$dry_run" = yes ]; then
        command=
        return
    fi
    runuser -u "$owner" -- bash -lc "cd '$root' && . scripts/lib/install.sh && install_rust && cargo build --release --locked --quiet" ||
        die 3 "can't build the command: hand in --command FILE"
}

install_configuration() {
    make_folder /etc/shakedown 755
    put_text /etc/shakedown/runner.env 644 <<TEXT
# Written by install.sh: what the runner registers itself as.
REPOSITORY=$repository
NAME=$name
LABELS=$labels
API_URL=$api_url
SERVER_URL=$server_url
TEXT
    # The operator's own file once it is there: only its absence is a difference.
    if [ ! -e /etc/shakedown/runner.toml ]; then
        put_text /etc/shakedown/runner.toml 644 < <(sed "s|@REPOSITORY@|$repository|" "$here/runner.toml")
    fi
    put_file "$here/sandbox.hosts" /etc/shakedown/sandbox.hosts 644
    put_file "$here/sandbox.proxy" /etc/shakedown/sandbox.proxy 644
}

install_service_files() {
    local file before=$changes
    for file in "$here"/libexec/*; do put_file "$file" "$prefix/libexec/$(basename "$file")" 755; done
    for file in "$here"/hooks/*.sh; do put_file "$file" "$prefix/hooks/$(basename "$file")" 755; done
    put_file "$here/sandbox" "$prefix/libexec/sandbox" 755
    put_link "$prefix/libexec/sandbox" /usr/local/bin/shakedown-sandbox
    put_text /etc/sudoers.d/shakedown 440 <<'TEXT'
# Written by Shakedown's install.sh. A verb as it stands here allows no further argument.
%shakedown ALL=(root) NOPASSWD: /usr/local/lib/shakedown/libexec/helper tune
%shakedown ALL=(root) NOPASSWD: /usr/local/lib/shakedown/libexec/helper restore
%shakedown ALL=(root) NOPASSWD: /usr/local/lib/shakedown/libexec/helper check
TEXT
    # Holding the processor awake is for root; for those who measure too.
    put_text /etc/udev/rules.d/90-shakedown.rules 644 <<'TEXT'
KERNEL=="cpu_dma_latency", GROUP="shakedown", MODE="0660"
TEXT
    [ "$changes" = "$before" ] || do_it udevadm control --reload
    if [ -e /dev/cpu_dma_latency ] && [ "$(stat -c %G /dev/cpu_dma_latency)" != shakedown ]; then
        announce "let group shakedown hold the processor awake (/dev/cpu_dma_latency)"
        do_it udevadm trigger --settle --action=change /dev/cpu_dma_latency
    fi
    before=$changes
    for file in "$here"/units/*; do put_file "$file" "/etc/systemd/system/$(basename "$file")" 644; done
    [ "$changes" = "$before" ] || do_it systemctl daemon-reload
}

# Secrets are copied where only root reads them, and never shown.
install_credential() {
    if [ -n "$token_file" ]; then
        put_file "$token_file" /etc/shakedown/token 600
    fi
    # Used up by the first job, so an installed one is not there to be compared with.
    if [ -n "$jit_config" ] && ! cmp -s <(sha256sum <"$jit_config") /etc/shakedown/jit-config.used; then
        put_file "$jit_config" /etc/shakedown/jit-config 600
        put_text /etc/shakedown/jit-config.used 600 < <(sha256sum <"$jit_config")
    fi
}

activate() {
    local unit
    for unit in shakedown-tune.service shakedown-helper.socket shakedown-sandbox.socket shakedown-runner.service; do
        enable_unit "$unit"
    done
    start_unit shakedown-helper.socket
    start_unit shakedown-sandbox.socket
    # Tuning and the runner start with the reboot; without one that is needed, now.
    if [ "$boot" = no ] || [ -z "$(boot_missing)" ]; then
        start_unit shakedown-tune.service
        [ ! -s /etc/shakedown/token ] && [ ! -s /etc/shakedown/jit-config ] || start_unit shakedown-runner.service
    fi
}
