# shellcheck shell=bash
# Sourced: what drives the browser, installed as history/dashboard/test/package-lock.json pins it.

# drive SCRIPT [ARGUMENT...]: calls a script of history/dashboard/test.
drive() {
    local script=$1 modules
    shift
    modules=$(mktemp -d)
    cp history/dashboard/test/package.json history/dashboard/test/package-lock.json "$modules"
    npm ci --prefix "$modules" --no-audit --no-fund --ignore-scripts --silent
    local code=0
    NODE_PATH=$modules/node_modules node "history/dashboard/test/$script" "$@" || code=$?
    rm -rf "$modules"
    return "$code"
}
