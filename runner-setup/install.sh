#!/usr/bin/env bash
# Sets this host up as a benchmark runner: packages, users, tuning at every boot, the GitHub Actions
# runner as a service, its hooks and the sandbox. Running it again changes only what differs.
# uninstall.sh reverts everything.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=runner-setup/lib/change.sh
. "$here/lib/change.sh"
# shellcheck source=runner-setup/lib/packages.sh
. "$here/lib/packages.sh"
# shellcheck source=runner-setup/lib/boot.sh
. "$here/lib/boot.sh"
# shellcheck source=runner-setup/lib/archive.sh
. "$here/lib/archive.sh"
# shellcheck source=runner-setup/lib/parts.sh
. "$here/lib/parts.sh"

usage() {
    cat <<'TEXT'
Usage: sudo runner-setup/install.sh --repo OWNER/NAME [OPTION...]

  --repo OWNER/NAME      repository whose jobs run here; may be repeated with --org
  --org NAME             register with this organization instead of the repository
  --runner-group GROUP   group of the organization's runners [default: Default]
  --app-id ID, --app-key FILE
                         GitHub App with one permission, and its private key: "Administration: write"
                         of the repository, or "Self-hosted runners: write" of the organization
  --jit-url URL          broker that has the credential and answers with a configuration for each job
  --token-file FILE      token with the same permission, instead of an App; with --jit-url, the
                         token that the broker asks for
  --jit-config FILE      just-in-time configuration for one job, instead of all these
  --labels A,B           labels in addition to self-hosted, linux and the architecture
                         [default: bench, as in the workflows]
  --name NAME            name of the runner [default: the hostname]
  --command FILE         the `shakedown` command [default: the released one of this clone's
                         commit, or else one that is built from this clone]
  --runner-archive FILE  the runner's archive, if this machine can't download it
  --runner-sha256 HEX    its SHA-256, if it is not the version in runner.version
  --api-url URL          address of the API of a GitHub Enterprise Server
  --registry-host HOST   package registry that fetch scripts in the sandbox can reach; may be
                         repeated. Registries that cargo has used here are added automatically
  --rust DIR             Rust toolchain for jobs, as printed by `rustc --print sysroot`
                         [default: that of this clone's owner, installed if missing];
                         `none` installs no toolchain
  --metrics-dir DIR      folder that node_exporter's textfile collector reads
                         [default: /var/lib/prometheus/node-exporter]
  --no-boot-parameters   don't add boot parameters
  --dry-run              show every change, make none
  --help

Without any of these credentials, everything is installed, but the service does not start until there
is a token in /etc/shakedown/token (one line, readable by root only).
TEXT
}

repositories=() organization='' runner_group=Default
app_id='' app_key='' jit_url='' token_file='' jit_config='' labels=bench name=$(hostname) command=''
archive='' archive_sha256='' boot=yes rust='' registries=()
metrics_dir=/var/lib/prometheus/node-exporter
api_url=https://api.github.com

parse() {
    while [ "$#" -gt 0 ]; do
        case $1 in
        --dry-run) dry_run=yes ;;
        --no-boot-parameters) boot=no ;;
        --help | -h)
            usage
            exit 0
            ;;
        --repo | --org | --runner-group | --app-id | --app-key | --jit-url | --token-file | --jit-config | --labels | --name | --command | --runner-archive | --runner-sha256 | --api-url | \
            --registry-host | --rust | --metrics-dir)
            [ "$#" -gt 1 ] || die 2 "$1 needs a value (see --help)"
            case $1 in
            --repo) repositories+=("$2") ;;
            --org) organization=$2 ;;
            --runner-group) runner_group=$2 ;;
            --app-id) app_id=$2 ;;
            --app-key) app_key=$2 ;;
            --jit-url) jit_url=$2 ;;
            --token-file) token_file=$2 ;;
            --jit-config) jit_config=$2 ;;
            --labels) labels=$2 ;;
            --name) name=$2 ;;
            --command) command=$2 ;;
            --runner-archive) archive=$2 ;;
            --runner-sha256) archive_sha256=$2 ;;
            --api-url) api_url=$2 ;;
            --registry-host) registries+=("$2") ;;
            --rust) rust=$2 ;;
            --metrics-dir) metrics_dir=$2 ;;
            esac
            shift
            ;;
        *) die 2 "unknown argument $1 (see --help)" ;;
        esac
        shift
    done
}

# Checks everything that ends up in files that are read as shell or TOML.
validate() {
    [ "${#repositories[@]}" -gt 0 ] || die 2 "--repo OWNER/NAME is required (see --help)"
    local repository
    for repository in "${repositories[@]}"; do
        [[ $repository =~ ^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$ ]] || die 2 "--repo: write OWNER/NAME"
        [ -z "$organization" ] || [ "${repository%/*}" = "$organization" ] || die 2 "--repo: $repository is not of $organization"
    done
    [ "${#repositories[@]}" = 1 ] || [ -n "$organization" ] || die 2 "more than one --repo needs --org"
    [ -z "$organization" ] || [[ $organization =~ ^[A-Za-z0-9-]+$ ]] || die 2 "--org: the name of an organization"
    [[ $runner_group =~ ^[A-Za-z0-9._-][A-Za-z0-9\ ._-]{0,63}$ ]] || die 2 "--runner-group: letters, digits, spaces and - _ ."
    [ -n "$organization" ] || [ "$runner_group" = Default ] || die 2 "--runner-group needs --org"
    validate_credential
    [[ $labels =~ ^[A-Za-z0-9_.-]+(,[A-Za-z0-9_.-]+)*$ ]] || die 2 "--labels: letters, digits, - _ . and commas"
    [[ $name =~ ^[A-Za-z0-9_.-]{1,64}$ ]] || die 2 "--name: up to 64 letters, digits, - _ ."
    [[ $api_url =~ ^https?://[A-Za-z0-9.:/-]+$ ]] || die 2 "--api-url: a URL without spaces and quotes"
    [ -z "$archive_sha256" ] || [[ $archive_sha256 =~ ^[0-9a-f]{64}$ ]] || die 2 "--runner-sha256: 64 hexadecimal digits in lower case"
    [[ $metrics_dir =~ ^(/[A-Za-z0-9._-]+){2,}$ ]] || die 2 "--metrics-dir: a folder from the root on, two deep or more"
    [ -z "$rust" ] || [ "$rust" = none ] || [ -x "$rust/bin/rustc" ] || die 2 "--rust: there is no $rust/bin/rustc"
    local file host
    for host in "${registries[@]}"; do
        [[ $host =~ ^[A-Za-z0-9.-]+$ ]] || die 2 "--registry-host: the name of a host, without scheme, port and path"
    done
    for file in "$token_file" "$jit_config" "$app_key" "$command" "$archive"; do
        [ -z "$file" ] || [ -r "$file" ] || die 2 "can't read $file"
    done
    [ "$(id -u)" = 0 ] || die 2 "this needs root: sudo $0 ..."
    [ -d /run/systemd/system ] || die 2 "systemd does not run here"
    # shellcheck source=/dev/null
    . /etc/os-release
    packages_of "$ID" "${VERSION_ID:-}" >/dev/null ||
        die 2 "${PRETTY_NAME:-this system} is not one of Debian 12 and 13, Ubuntu 22.04 and 24.04"
    runner_architecture >/dev/null
}

# One credential, or a broker with a token.
validate_credential() {
    local given=0 one
    for one in "$app_key" "$jit_url" "$jit_config"; do [ -z "$one" ] || given=$((given + 1)); done
    [ -z "$token_file" ] || [ -n "$jit_url" ] || given=$((given + 1))
    [ "$given" -le 1 ] || die 2 "one of --app-key, --jit-url, --token-file and --jit-config"
    [ -z "$app_id$app_key" ] || [[ -n $app_key && $app_id =~ ^[A-Za-z0-9._-]+$ ]] || die 2 "--app-id ID and --app-key FILE belong together"
    [ -z "$jit_url" ] || [[ $jit_url =~ ^https://[][A-Za-z0-9.:/?=\&_-]+$ ]] || die 2 "--jit-url: https://HOST/PATH"
}

main() {
    parse "$@"
    validate
    exec 9>/run/shakedown-install.lock
    flock -n 9 || die 2 "another install.sh or uninstall.sh is running"
    install_packages
    install_users
    install_command
    install_rust_toolchain
    install_runner "$archive" "$archive_sha256"
    install_configuration
    install_service_files
    [ "$boot" = no ] || set_boot_parameters
    install_credential
    activate
    finish
}

finish() {
    local missing
    rm -f /run/shakedown-install.lock
    if [ "$changes" = 0 ]; then
        printf 'nothing to change: this host is installed as asked\n'
        return
    fi
    if [ "$dry_run" = yes ]; then
        printf '%s changes would be made\n' "$changes"
        return
    fi
    printf '%s changes made; uninstall.sh reverts them\n' "$changes"
    missing=$(boot_missing | tr '\n' ' ')
    if [ "$boot" = yes ] && [ -n "$missing" ]; then
        printf 'reboot this host: the running kernel lacks %s\n' "$missing"
    fi
    printf 'then run: shakedown host check\n'
}

main "$@"
