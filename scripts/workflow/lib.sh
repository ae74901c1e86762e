# shellcheck shell=bash
# What the scripts of the workflows share. Sourced, not run.

# output NAME VALUE: hands one line on to later steps.
output() {
    case "$2" in *$'\n'*) fail 2 "output $1 has more than one line" ;; esac
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Adds standard input to the summary of the job.
summary() { cat >>"$GITHUB_STEP_SUMMARY"; }

# one_line TEXT...: in one line, and without `##[`, which the runner takes for a command anywhere in a line.
one_line() {
    local text="${*//[$'\n\r']/ }"
    printf '%s' "${text//'##['/'# #['}"
}

# What follows is shown on the page of the run. A line break would end the command, so there is none.
notice() { printf '::notice::%s\n' "$(one_line "$@")"; }
warn() { printf '::warning::%s\n' "$(one_line "$@")"; }

# muted COMMAND...: runs it, and has the runner take whatever it prints for text. Otherwise a line of
# foreign code could set this step's outputs, or hide lines from the log.
muted() {
    local word code=0
    word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '::stop-commands::%s\n' "$word"
    "$@" || code=$?
    printf '\n::%s::\n' "$word"
    return "$code"
}

fail() { # CODE TEXT
    printf '::error::%s\n' "$(one_line "$2")" >&2
    exit "$1"
}

# need_set NAME...: the variables that a workflow must have set.
need_set() {
    local name
    for name in "$@"; do
        [ -n "${!name-}" ] || fail 2 "the workflow did not set $name"
    done
}

# Makes git use GITHUB_TOKEN, if it is set. The token is in git's environment only: never in a URL, in a
# file or in a list of processes. Commits are shakedown's.
git_with_token() {
    local secret
    if [ -n "${GITHUB_TOKEN-}" ]; then
        secret=$(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 -w 0)
        printf '::add-mask::%s\n' "$secret"
        export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$GITHUB_SERVER_URL/.extraheader"
        export GIT_CONFIG_VALUE_0="Authorization: Basic $secret"
    fi
    export GIT_TERMINAL_PROMPT=0
    export GIT_AUTHOR_NAME=shakedown GIT_AUTHOR_EMAIL=shakedown@localhost
    export GIT_COMMITTER_NAME=shakedown GIT_COMMITTER_EMAIL=shakedown@localhost
}

# judge_by FOLDER: sets `policy` to the arguments that say by what is judged: $POLICY in FOLDER, and
# what is accepted beside it. Without $POLICY both are those of shakedown.
judge_by() {
    local accepted
    policy=()
    [ -n "${POLICY-}" ] || return 0
    policy=(--policy "$1/$POLICY")
    accepted=$(dirname "$1/$POLICY")/accepted.toml
    [ ! -f "$accepted" ] || policy+=(--accepted "$accepted")
}

# release_before FOLDER TAG: the nearest release tag in the past of TAG that is named like it. Tags that
# differ before the version (v/0.23.46, openssl-3.5.5) are something else; a pre-release is a
# baseline for pre-releases only.
release_before() {
    local name=${2%%[0-9]*} pre excluded=()
    if ! is_pre_release "$2"; then
        for pre in alpha beta rc pre dev; do excluded+=(--exclude "${name}*[-.0-9]$pre*"); done
    fi
    git -C "$1" describe --tags --abbrev=0 --match "${name}[0-9]*" "${excluded[@]}" \
        --end-of-options "$2^"
}

is_pre_release() { [[ $1 =~ [-.0-9](alpha|beta|rc|pre|dev) ]]; }

# Where the hook before a job holds the host for it, measuring must not wait for the hook.
hold_host() {
    if [ -n "${ACTIONS_RUNNER_HOOK_JOB_STARTED-}" ]; then
        export SHAKEDOWN_LOCK=${RUNNER_TEMP:?}/shakedown.lock
    fi
}

# fell_back FOLDER: whether the run in it, or the one beside it, has in-tree benchmarks because a driver does
# not fit.
fell_back() {
    local record
    for record in "$1/record.json" "$1/in-tree/record.json"; do
        ! jq -e .plan.fallback "$record" >/dev/null 2>&1 || return 0
    done
    return 1
}
