# shellcheck shell=bash
# What the scripts of the workflows share. Sourced, not run.

# output NAME VALUE: hands one line on to later steps.
output() {
    case "$2" in *$'\n'*) fail 2 "output $1 has more than one line" ;; esac
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Adds standard input to the summary of the job.
summary() { cat >>"$GITHUB_STEP_SUMMARY"; }

# What follows is shown on the page of the run. A line break would end the command, so there is none.
notice() { printf '::notice::%s\n' "${*//$'\n'/ }"; }
warn() { printf '::warning::%s\n' "${*//$'\n'/ }"; }

fail() { # CODE TEXT
    printf '::error::%s\n' "${2//$'\n'/ }" >&2
    exit "$1"
}

# need NAME...: the variables that a workflow must have set.
need() {
    local name
    for name in "$@"; do
        [ -n "${!name-}" ] || fail 2 "the workflow did not set $name"
    done
}

# Where the hook before a job holds the host for it, measuring must not wait for the hook.
hold_host() {
    if [ -n "${ACTIONS_RUNNER_HOOK_JOB_STARTED-}" ]; then
        export SHAKEDOWN_LOCK=${RUNNER_TEMP:?}/shakedown.lock
    fi
}
