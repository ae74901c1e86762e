# shellcheck shell=bash
# How the jobs on hosts have foreign code built and measured: inside of the sandbox that
# SHAKEDOWN_SANDBOX names (runner-setup installs `shakedown-sandbox` and sets it in the environment of the
# runner's service). Without one they refuse, but where the operator has written SHAKEDOWN_SANDBOX=none: a
# machine that is thrown away after the job. Sourced, not run, after lib.sh.

# open_room: finds the sandbox and makes `room`, the folder that the sandbox gets a copy of, with the tool
# and the command in it.
open_room() {
    need_set SHAKEDOWN_ROOT
    sandbox=${SHAKEDOWN_SANDBOX-$(command -v shakedown-sandbox || true)}
    [ -n "$sandbox" ] ||
        fail 2 "this host has no sandbox: its operator installs it or sets SHAKEDOWN_SANDBOX, see docs/security.md"
    [ "$sandbox" != none ] ||
        warn "SHAKEDOWN_SANDBOX=none: foreign code runs on this host without a sandbox"
    room=$PWD/room
    rm -rf "$room"
    mkdir -p "$room"
    copy "$SHAKEDOWN_ROOT" "$room/tool"
    cp "$(command -v shakedown)" "$room/shakedown"
    : >"$room/wanted"
}

# copy FROM TO: without the repository, as its history is nobody's business in the sandbox.
copy() {
    mkdir -p "$2"
    tar -c --exclude=./.git -C "$1" . | tar -x -C "$2"
}

# want NAME VALUE: tells in-sandbox.
want() {
    case "$2" in *$'\n'*) fail 2 "$1 has more than one line" ;; esac
    printf '%s=%s\n' "$1" "$2" >>"$room/wanted"
}

# in_sandbox TASK: carries the task of in-sandbox out; its results are in measured/. Fails as the sandbox
# does.
in_sandbox() {
    local code=0
    want task "$1"
    rm -rf measured
    mkdir -p measured
    hold_host
    if [ "$sandbox" = none ]; then
        muted env SOURCE="$room" OUT="$PWD/measured" "$room/tool/scripts/workflow/in-sandbox" measure || code=$?
    else
        # shellcheck disable=SC2016 # they are variables of the sandbox
        muted "$sandbox" --source "$room" --out measured --limit 512 \
            --fetch 'SHAKEDOWN_CACHE=$SOURCE/cache "$SOURCE/tool/scripts/workflow/in-sandbox" fetch' \
            --build 'SHAKEDOWN_CACHE=$SOURCE/cache "$SOURCE/tool/scripts/workflow/in-sandbox" measure' || code=$?
    fi
    rm -rf "$room"
    return "$code"
}

# plain FILE BYTES: whether it is a regular file of at most BYTES, reached over no link. A link could lead to
# what only this job may read, a pipe would wait for ever.
plain() {
    local part=$1
    while [ "$part" != . ]; do
        [ ! -L "$part" ] || return 1
        part=$(dirname "$part")
    done
    [ -f "$1" ] && [ "$(stat -c %s -- "$1")" -le "$2" ]
}

# take FROM TO [BYTES]: takes a record of measured/, or a file of at most BYTES, where there is one that can be
# taken.
take() {
    plain "measured/$1" "${3:-$((64 << 20))}" || return
    mkdir -p "$(dirname "$2")"
    cat "measured/$1" >"$2" && [ -s "$2" ]
}

# taken FROM TO BYTES: takes the record in folder FROM of measured/ into TO, with its report. The report is what of
# the record is shown, at most so long, in the summary.
taken() {
    take "$1/record.json" "$2/record.json" || return
    muted shakedown report "$2" --format md --out "$2/report.md" || return
    head -c "$3" "$2/report.md" | summary
}

is_finished() { [ -s "$1" ] && jq -e .finish "$1" >/dev/null; }

# left_code: why there is no whole record: the exit code that the sandbox tells, if it is one of ours.
left_code() {
    local code=
    ! plain measured/code 8 || code=$(tr -cd 0-9 <measured/code)
    case $code in 2 | 3 | 4 | 70) printf '%s' "$code" ;; esac
}

# take_or_end FROM TO BYTES UNFIT MISSING: takes the file that the job is for, as `take` does. Where it is missing
# the script ends: with a warning if the host was not fit, or else with an error.
take_or_end() {
    local code
    ! take "$1" "$2" "$3" || return 0
    code=$(left_code)
    if [ "$code" = 4 ]; then
        warn "the host is not fit: $4"
        exit 0
    fi
    fail "${code:-3}" "$5; the lines above tell why"
}
