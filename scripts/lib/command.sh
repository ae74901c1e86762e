# shellcheck shell=bash
# Builds the `shakedown` command. Sourced, not run, after scripts/lib/rust.sh.

# Seconds between two lines of progress.
progress_interval=10

# build_shakedown ARGUMENT...: builds the command with the profile `command` of Cargo.toml and these
# arguments of cargo's, and sets `command` to its path. Fails as cargo fails, whose messages are on
# standard error.
build_shakedown() {
    local target=${CARGO_TARGET_DIR:-$rust_root/target}
    with_progress cargo build --profile command --locked --bin shakedown \
        --manifest-path "$rust_root/Cargo.toml" --target-dir "$target" "$@" || return
    # shellcheck disable=SC2034 # callers use it
    command=$target/command/shakedown
}

# with_progress CARGO ARGUMENT...: on a terminal cargo draws its own progress bar; elsewhere a line
# now and then says how many crates are built.
with_progress() {
    if [ -t 2 ]; then
        "$@"
        return
    fi
    # The bar is the only place where cargo prints the number of crates.
    CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=80 CARGO_TERM_COLOR=never \
        "$@" 2>&1 | crates_built >&2
    return "${PIPESTATUS[0]}"
}

# Reads what cargo prints: counts from the bar, leaves out the names of crates, and passes the
# rest on, warnings and errors above all.
crates_built() {
    local chunk line began=$SECONDS told=$SECONDS
    local bar='^ *Building \[.*\] ([0-9]+)/([0-9]+)'
    local status='^ *(Building|Fetch|Compiling|Fresh|Finished|Updating|Locking|Downloading|Downloaded) '
    # The bar ends in a carriage return, and other lines come before the next one.
    while IFS= read -r -d $'\r' chunk || [ -n "$chunk" ]; do
        while IFS= read -r line; do
            line=${line//$'\e[K'/}
            if [[ $line =~ $bar ]]; then
                [ $((SECONDS - told)) -ge "$progress_interval" ] || continue
                told=$SECONDS
                crates_line "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $((SECONDS - began))
            elif [[ ! $line =~ $status && -n ${line// /} ]]; then
                printf '%s\n' "$line"
            fi
        done <<<"$chunk"
    done
}

crates_line() { # DONE ALL SECONDS
    local left=''
    [ "$1" -lt 10 ] || left=", about $((($2 - $1) * $3 / $1)) s left"
    printf '  %s of %s crates after %s s%s\n' "$1" "$2" "$3" "$left"
}
