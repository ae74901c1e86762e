# shellcheck shell=bash
# Sourced: runs a script with the modules that history/dashboard/test pins.
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
