#!/usr/bin/env bash
# Measures revisions of a real rustls repository and prints a table: what was measured, and how.
# Called by `scripts/test --upstream`.
#
#   upstream.sh REPOSITORY [COUNT | REVISION...]
#
# COUNT revisions (5 unless given) are spread evenly over the last year of the default branch,
# the newest among them. SINCE, a date that git understands, takes instead what was committed
# since then, at most COUNT. VARIANT is a build variant: `ring` unless given. Fails if a revision
# was neither measured nor covered by its own benchmark.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
repository=${1:?a URL or a path}
shift
count=5
if [ $# -eq 1 ] && [[ "$1" =~ ^[0-9]{1,3}$ ]]; then
    count=$1
    shift
fi
shakedown=${SHAKEDOWN:-${CARGO_TARGET_DIR:-$root/target}/debug/shakedown}
variant=${VARIANT:-ring}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

history() {
    git -C "$work/history" log --first-parent --format=%H "$@"
}

# Revisions of the repository, the newest first.
revisions() {
    git clone --quiet --bare --filter=blob:none "$repository" "$work/history"
    if [ -n "${SINCE:-}" ]; then
        history "--since=$SINCE" | head -n "$count"
        return
    fi
    history --since='1 year ago' >"$work/year"
    # A repository that rests has its last commits only.
    [ -s "$work/year" ] || history -n "$count" >"$work/year"
    awk -v n="$count" '{ line[NR] = $0 } END {
        if (n > NR) n = NR
        for (i = 0; i < n; i++) print line[1 + int(i * (NR - 1) / (n > 1 ? n - 1 : 1))]
    }' "$work/year"
}

# How a revision was measured, as a line of the table.
line() {
    local revision=$1 started=$SECONDS out=$work/$1
    local subject="rustls@git:$repository#$revision+$variant"
    if ! "$shakedown" run --suite upstream --out "$out" --json "$subject" \
        >"$out.json" 2>"$out.log"; then
        local why
        why=$(grep -m 1 '^error' "$out.log" || tail -n 1 "$out.log")
        printf '%s | not measured | %s | %s s\n' "${revision:0:12}" "$why" $((SECONDS - started))
        return 1
    fi
    local measured lost how
    measured=$(jq '[.[] | select(.state == "measured") | .scenario] | unique | length' "$out.json")
    lost=$(jq -r '[.[] | select(.state != "measured") | .scenario] | unique | join(" ")' "$out.json")
    how=$(jq -r '[.subjects[0].artifact.surfaces // {} | to_entries[] | "\(.key)=\(.value)"]
        | if length > 0 then join(" ") else "in-tree benchmark" end' "$out/record.json")
    printf '%s | %s scenarios | %s | %s s\n' "${revision:0:12}" "$measured" "$how" \
        $((SECONDS - started))
    if [ -n "$lost" ] || [ "$measured" -eq 0 ]; then
        printf '    not measured: %s\n' "${lost:-nothing at all}"
        return 1
    fi
}

if [ $# -gt 0 ]; then
    printf '%s\n' "$@" >"$work/revisions"
else
    revisions >"$work/revisions"
fi
failed=0
while read -r revision; do
    line "$revision" </dev/null || failed=1
done <"$work/revisions"
exit $failed
