# shellcheck shell=bash
# Remembers which tests this machine could not run, so that `scripts/test` names them at its end.
# Programs that it calls, the Rust tests among them, append lines to the file SHAKEDOWN_SKIPPED.
# Sourced, not run.

# skipped WHAT-AND-WHY
skipped() {
    printf 'SKIPPED: %s\n' "$1" >&2
    [ -z "${SHAKEDOWN_SKIPPED-}" ] || printf '%s\n' "$1" >>"$SHAKEDOWN_SKIPPED"
}

# Counts and names them.
name_skipped() {
    local count
    count=$(sort -u "$SHAKEDOWN_SKIPPED" | grep -c .) || true
    printf 'skipped: %s\n' "$count" >&2
    sort -u "$SHAKEDOWN_SKIPPED" | sed 's/^/  /' >&2
}
