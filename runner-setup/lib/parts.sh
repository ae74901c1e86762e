# shellcheck shell=bash
# The parts of install.sh. Sourced; uses the variables of install.sh.

prefix=/usr/local/lib/shakedown

install_packages() {
    local wanted
    # shellcheck source=/dev/null
    mapfile -t wanted < <(. /etc/os-release && packages_of "$ID" "$VERSION_ID")
    add_packages "${wanted[@]}"
}

# The runner and the sandbox have different users, so that a build can read neither the runner's
# registration nor the history. People who measure by hand are in group `shakedown`.
install_users() {
    make_group shakedown
    make_user shakedown-runner /var/lib/shakedown/home "Runs jobs of GitHub Actions" shakedown
    make_user shakedown-build /nonexistent "Builds code that nobody has read"
    make_user shakedown-proxy /nonexistent "Lets builds reach the registries"
}

install_command() {
    local folder commit=unknown
    [ -n "$command" ] || get_command
    for folder in "$prefix" "$prefix/bin" "$prefix/libexec" "$prefix/hooks"; do make_folder "$folder" 755; done
    if [ -n "$command" ]; then
        put_file "$command" "$prefix/bin/shakedown" 755
        # Jobs of the same commit of the tool take this command and build none.
        put_text "$prefix/bin/shakedown.commit" 644 <<<"$commit"
    fi
    put_link "$prefix/bin/shakedown" /usr/local/bin/shakedown
}

# as_owner SCRIPT: runs it in this clone as the owner of the clone, with the project's functions.
as_owner() {
    local root
    root=$(cd "$here/.." && pwd)
    runuser -u "$(stat -c %U "$root")" -- \
        bash -lc "cd '$root' && . scripts/lib/rust.sh && . scripts/lib/release.sh && $1"
}

# Fetches the released command of this clone's commit, or builds it. Sets `command`, and `commit` where the
# clone has no changes.
get_command() {
    local root code=0
    root=$(cd "$here/.." && pwd)
    commit=$(as_owner 'clean_commit .' 2>/dev/null) || commit=unknown
    command=$root/target/release/shakedown
    if [ "$commit" = unknown ] && [ -x "$command" ]; then return; fi
    if [ "$commit" != unknown ] && cmp -s <(printf '%s\n' "$commit") "$prefix/bin/shakedown.commit"; then
        command=$prefix/bin/shakedown
        return
    fi
    if [ "$dry_run" = yes ]; then
        command=
        announce "fetch the released command, or build it, as $(stat -c %U "$root")"
        return
    fi
    command=$root/target/released/shakedown
    as_owner 'mkdir -p target/released && released_command . target/released/shakedown' || code=$?
    case $code in
    0)
        announce "take the released command of $commit"
        return
        ;;
    2) die 2 "the released command is not used, see above: give --command FILE" ;;
    esac
    command=$root/target/release/shakedown
    announce "build target/release/shakedown as $(stat -c %U "$root")"
    as_owner 'install_rust && cargo build --release --locked --quiet' ||
        die 3 "can't build the command: give --command FILE"
}

# The Rust toolchain of the jobs, outside of any home folder because the sandbox sees none. The
# version is that of rust-toolchain.toml.
install_rust_toolchain() {
    local root owner target=$prefix/rust name
    [ "$rust" != none ] || return 0
    if [ -z "$rust" ]; then
        root=$(cd "$here/.." && pwd)
        owner=$(stat -c %U "$root")
        rust=$(runuser -u "$owner" -- bash -lc "cd '$root' && . scripts/lib/rust.sh && use_rust && has_rust && rustc --print sysroot" 2>/dev/null) || rust=
        if [ -z "$rust" ]; then
            announce "install a Rust toolchain for $owner"
            [ "$dry_run" = no ] || return 0
            rust=$(runuser -u "$owner" -- bash -lc "cd '$root' && . scripts/lib/rust.sh && install_rust && rustc --print sysroot") ||
                die 3 "can't install Rust: give --rust DIR, or --rust none"
        fi
    fi
    check_rust
    if ! cmp -s <("$rust/bin/rustc" -vV) "$prefix/rust.version"; then
        announce "copy the Rust toolchain $rust to $target"
        note tree "$target"
        if [ "$dry_run" = no ]; then
            rm -rf "$target"
            install -d -m 755 "$target"
            # Without the documentation.
            tar -c --exclude=./share -C "$rust" . | tar -x -C "$target" --no-same-owner
            chown -R root:root "$target"
            chmod -R u+rwX,go+rX,go-w "$target"
        fi
        put_text "$prefix/rust.version" 644 < <("$rust/bin/rustc" -vV)
    fi
    for name in cargo rustc; do
        [ ! -x "$rust/bin/$name" ] || put_link "$target/bin/$name" "/usr/local/bin/$name"
    done
}

# Builds refuse any other release than the project's, so the host must not get one.
check_rust() {
    local wanted found
    wanted=$(sed -n 's/^channel *= *"\(.*\)"/\1/p' "$here/../rust-toolchain.toml")
    found=$("$rust/bin/rustc" --version)
    [[ $found == "rustc $wanted "* ]] ||
        die 2 "--rust: $rust is $found, but rust-toolchain.toml names Rust $wanted"
}

# registry_hosts: the package registries that the sandbox may reach: those given as arguments, and
# those in cargo's folder of indexes on this host.
registry_hosts() {
    local home index
    [ "${#registries[@]}" = 0 ] || printf '%s\n' "${registries[@]}"
    for home in "${CARGO_HOME:-/root/.cargo}" "$(getent passwd "$(stat -c %U "$here")" | cut -d: -f6)/.cargo"; do
        for index in "$home"/registry/index/*/; do
            [ -d "$index" ] || continue
            index=${index%/}
            # NAME-DIGEST; its config.json names the host of the packages.
            basename "${index%-*}"
            sed -n 's|.*"dl": *"https://\([A-Za-z0-9.-]*\).*|\1|p' "$index/config.json" 2>/dev/null || true
            # The file may lack its last line break.
            printf '\n'
        done
    done
}

# sandbox_hosts: patterns for the proxy, one per line.
sandbox_hosts() {
    {
        cat "$here/sandbox.hosts"
        registry_hosts | grep -E '^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$' | sed 's/\./\\./g; s/^/^/; s/$/$/' || true
    } | LC_ALL=C sort -u
}

install_configuration() {
    make_folder /etc/shakedown 755
    put_text /etc/shakedown/runner.env 644 <<TEXT
# Written by install.sh: what the runner registers itself as.
REPOSITORY=${repositories[0]}
ORGANIZATION=$organization
RUNNER_GROUP='$runner_group'
APP_ID=$app_id
NAME=$name
LABELS=$labels
API_URL=$api_url
METRICS_DIR=$metrics_dir
TEXT
    # The file belongs to the operator once it exists: only its absence is a difference.
    if [ ! -e /etc/shakedown/runner.toml ]; then
        local list
        list=$(printf '"%s", ' "${repositories[@]}")
        put_text /etc/shakedown/runner.toml 644 < <(sed "s|\"@REPOSITORY@\"|${list%, }|" "$here/runner.toml")
    fi
    put_text /etc/shakedown/sandbox.hosts 644 < <(sandbox_hosts)
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
    # People who measure may hold /dev/cpu_dma_latency, which otherwise only root can open.
    put_text /etc/udev/rules.d/90-shakedown.rules 644 <<'TEXT'
KERNEL=="cpu_dma_latency", GROUP="shakedown", MODE="0660"
TEXT
    [ "$changes" = "$before" ] || do_it udevadm control --reload
    if [ -e /dev/cpu_dma_latency ] && [ "$(stat -c %G /dev/cpu_dma_latency)" != shakedown ]; then
        announce "let group shakedown hold the processor awake (/dev/cpu_dma_latency)"
        do_it udevadm trigger --settle --action=change /dev/cpu_dma_latency
    fi
    install_metrics_folder
    before=$changes
    for file in "$here"/units/*; do put_file "$file" "/etc/systemd/system/$(basename "$file")" 644; done
    [ "$changes" = "$before" ] || do_it systemctl daemon-reload
}

# The folder of the host's metrics; uninstall.sh removes what the timer wrote there.
install_metrics_folder() {
    # An existing folder, such as that of node_exporter, keeps its owner and mode.
    [ -d "$(dirname "$metrics_dir")" ] || make_folder "$(dirname "$metrics_dir")" 755
    [ -d "$metrics_dir" ] || make_folder "$metrics_dir" 755
    note file "$metrics_dir/shakedown.prom"
    make_folder /var/lib/shakedown/health 750 shakedown-runner:shakedown-runner
}

# Copies secrets to where only root can read them, and never prints them.
install_credential() {
    if [ -n "$token_file" ]; then
        put_file "$token_file" /etc/shakedown/token 600
    fi
    if [ -n "$app_key" ]; then
        put_file "$app_key" /etc/shakedown/app-key.pem 600
    fi
    if [ -n "$jit_url" ]; then
        put_text /etc/shakedown/jit-url 600 <<<"$jit_url"
    fi
    # The first job consumes it, so there is no installed copy to compare with.
    if [ -n "$jit_config" ] && ! cmp -s <(sha256sum <"$jit_config") /etc/shakedown/jit-config.used; then
        put_file "$jit_config" /etc/shakedown/jit-config 600
        put_text /etc/shakedown/jit-config.used 600 < <(sha256sum <"$jit_config")
    fi
}

activate() {
    local unit
    for unit in shakedown-tune.service shakedown-helper.socket shakedown-enter.socket shakedown-sandbox.socket \
        shakedown-metrics.timer shakedown-runner-update.timer shakedown-runner.service; do
        enable_unit "$unit"
    done
    for unit in shakedown-helper.socket shakedown-enter.socket shakedown-sandbox.socket shakedown-metrics.timer \
        shakedown-runner-update.timer; do
        start_unit "$unit"
    done
    # If a reboot is needed, tuning and the runner start then; otherwise they start now.
    if [ "$boot" = no ] || [ -z "$(boot_missing)" ]; then
        start_unit shakedown-tune.service
        [ -z "$(find /etc/shakedown -maxdepth 1 -size +0 \( -name token -o -name jit-config -o -name jit-url -o -name app-key.pem \))" ] ||
            start_unit shakedown-runner.service
    fi
}
