#!/bin/bash
# Stands in for GitHub's runner: notes with what user, limits and environment it runs, waits for
# a job in /srv/job, runs it between the hooks as the real one does, and ends after one.
set -u
record=/run/lock/stand-in/record
here=$(cd "$(dirname "$0")" && pwd)
{
    printf 'run user=%s groups=%s cwd=%s\n' "$(id -un)" "$(id -Gn | tr ' ' ,)" "$PWD"
    printf 'run arguments=%s jit=%s\n' "$*" "${ACTIONS_RUNNER_INPUT_JITCONFIG:-none}"
    printf 'run registration=%s work=%s\n' "$(cat "$here/.credentials" 2>/dev/null)" "$(find "$here/_work" 2>/dev/null | wc -l)"
    printf 'run no-new-privileges=%s capabilities=%s\n' "$(sed -n 's/^NoNewPrivs:\t//p' /proc/self/status)" "$(sed -n 's/^CapBnd:\t//p' /proc/self/status)"
    printf 'run files=%s core=%s umask=%s\n' "$(ulimit -n)" "$(ulimit -c)" "$(umask)"
    printf 'run token-readable=%s etc-writable=%s sys-writable=%s\n' \
        "$(head -c 99 /etc/shakedown/token /etc/shakedown/app-key.pem /etc/shakedown/jit-url 2>/dev/null | wc -c)" \
        "$(touch /etc/shakedown/x /usr/x 2>/dev/null && echo yes || echo no)" \
        "$([ -w /sys/devices/system/cpu/smt/control ] && echo yes || echo no)"
    env | sort | sed 's/^/env /'
} >>"$record"

until mv /srv/job/next "$here/job" 2>/dev/null || cp -r /srv/job/next "$here/job" 2>/dev/null; do sleep 0.5; done

# A job sees what the runner was told, and the variables of its event.
unset ACTIONS_RUNNER_INPUT_TOKEN ACTIONS_RUNNER_INPUT_JITCONFIG
mkdir -p "$here/_work/_temp/_github_workflow" "$here/_work/rustls/rustls"
cp "$here/job/event.json" "$here/_work/_temp/_github_workflow/event.json"
mapfile -t variables <"$here/job/environment"
variables+=("GITHUB_EVENT_PATH=$here/_work/_temp/_github_workflow/event.json")
cd "$here/_work/rustls/rustls" || exit 1

worker() {
    if env "${variables[@]}" bash -e "$ACTIONS_RUNNER_HOOK_JOB_STARTED"; then
        env "${variables[@]}" bash -e "$here/job/step"
        printf 'job step=%s\n' "$?" >>"$record"
    else
        printf 'job refused=%s\n' "$?" >>"$record"
    fi
    env "${variables[@]}" bash -e "$ACTIONS_RUNNER_HOOK_JOB_COMPLETED"
    printf 'job completed=%s\n' "$?" >>"$record"
    printf 'job work=%s\n' "$(find "$here/_work" -type f | wc -l)" >>"$record"
}
# Into a file: a reader beside the hook would be a leftover, and be killed.
worker >>/run/lock/stand-in/log 2>&1
printf 'job end\n' >>"$record"
