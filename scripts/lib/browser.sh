# shellcheck shell=bash
# Sourced, from the root of the project: runs a script with the modules that history/dashboard/test pins.
# shellcheck source=scripts/lib/tools.sh
. scripts/lib/tools.sh
need_browser
install_missing

# drive SCRIPT [ARGUMENT...]: calls a script of history/dashboard/test.
drive() {
    local script=$1 found
    shift
    found=$(browser)
    CHROMIUM=$found NODE_PATH=$(modules_of history/dashboard/test)/node_modules \
        node "history/dashboard/test/$script" "$@"
}

# open_work [PICTURES]: makes the folder `work`, which ends with the script, and sets `pictures` to the folder
# for screenshots, where one is given. It is seen from where the script was called.
open_work() {
    use_rust
    pictures=()
    [ $# -eq 0 ] || pictures=("$(cd "$OLDPWD" && realpath -m "$1")")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
}
