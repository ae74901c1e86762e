#!/usr/bin/env bash
# Reverts what install.sh did, the last change first, and leaves files that were changed since. The
# host's knobs are restored first.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=runner-setup/lib/change.sh
. "$here/lib/change.sh"
# shellcheck source=runner-setup/lib/boot.sh
. "$here/lib/boot.sh"
# shellcheck source=runner-setup/lib/undo.sh
. "$here/lib/undo.sh"

usage() {
    cat <<'TEXT'
Usage: sudo runner-setup/uninstall.sh [--dry-run] [--keep-packages]

  --dry-run         show every change, make none
  --keep-packages   keep the packages that install.sh installed
TEXT
}

keep_packages=no
for argument in "$@"; do
    case $argument in
    --dry-run) dry_run=yes ;;
    --keep-packages) keep_packages=yes ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) die 2 "unknown argument $argument (see --help)" ;;
    esac
done
[ "$(id -u)" = 0 ] || die 2 "this needs root: sudo $0"

if [ ! -f "$ledger/undo" ]; then
    printf 'nothing to revert: install.sh recorded nothing in %s\n' "$ledger"
    exit 0
fi
exec 9>/run/shakedown-install.lock
flock -n 9 || die 2 "another install.sh or uninstall.sh is running"
refuse_while_busy
stop_services
restore_knobs
take_back
forget
rm -f /run/shakedown-install.lock
printf '%s changes %s\n' "$changes" "$(if [ "$dry_run" = yes ]; then printf 'would be made'; else printf 'made'; fi)"
