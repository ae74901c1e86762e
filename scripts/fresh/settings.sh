# shellcheck shell=bash
# What a fresh system inherits from this machine: how the registries are reached. Sourced, not run.

# collect_settings FOLDER: writes `environment` (NAME=VALUE lines), `apt.conf`, `certificates/` and
# `home/` to FOLDER.
collect_settings() {
    local folder=$1
    registry_variables >"$folder/environment"
    { apt-config dump 2>/dev/null || true; } | grep -iE '^Acquire::[a-z:]*proxy' >"$folder/apt.conf" || true
    mkdir "$folder/certificates" "$folder/home"
    extra_certificates "$folder/certificates"
    local file
    for file in .npmrc .cargo/config.toml .config/pip/pip.conf .config/go/env; do
        [ -f "$HOME/$file" ] || continue
        mkdir -p "$(dirname "$folder/home/$file")"
        cp "$HOME/$file" "$folder/home/$file"
    done
}

# Variables by which the clients of package registries find them. `rustup` only: not which toolchain.
registry_variables() {
    env | grep -E '^((https?|ftp|all|no)_proxy|(HTTPS?|ALL|NO)_PROXY|CARGO_(HTTP|NET|REGISTR|SOURCE)[A-Z_]*|PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|PROXY|DEFAULT_TIMEOUT)|npm_config_[a-z_]*|NODE_EXTRA_CA_CERTS|GO(PROXY|SUMDB|NOSUMDB|PRIVATE)|RUSTUP_(DIST_SERVER|UPDATE_ROOT)|(SSL_CERT|CURL_CA|REQUESTS_CA|GIT_SSL)[A-Z_]*)=' ||
        true
}

# extra_certificates FOLDER: certificates that this machine trusts and package ca-certificates lacks,
# as a company's proxy has them. One a file, as update-ca-certificates wants them.
extra_certificates() {
    local bundle=/etc/ssl/certs/ca-certificates.crt
    [ -f "$bundle" ] || return 0
    awk -v folder="$1" '
        /BEGIN CERTIFICATE/ { body = "" }
        { body = body $0 "\n" }
        /END CERTIFICATE/ {
            if (FILENAME != bundle) known[body] = 1
            else if (!(body in known)) printf "%s", body > (folder "/extra-" ++count ".crt")
        }' bundle="$bundle" /usr/share/ca-certificates/*/*.crt "$bundle"
}
