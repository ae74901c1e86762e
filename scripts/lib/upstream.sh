#!/usr/bin/env bash
# Measures revisions of a real rustls repository and prints a table: what was measured, and how.
# Called by `scripts/test --upstream`.
#
#   upstream.sh REPOSITORY [COUNT | REVISION...]
#
# COUNT revisions (5 unless given) are spread evenly over the last year of the default branch,
# the newest among them. SINCE, a date that git understands, takes instead what was committed
# since then, at most COUNT. VARIANTS are the build variants that each is measured in: `ring`
# unless given. Fails if a revision was neither measured nor covered by its own benchmark. In a
# workflow, the table is part of the job's summary, and a revision that the driver does not fit is a
# warning.
#
# The last column has the forms of the API that the driver found: all of them in the first line of
# a variant, later what is new.
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
read -ra variants <<<"${VARIANTS:-ring}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -d "$repository" ]; then
    repository=$(cd "$repository" && pwd)
    history=$repository
else
    history=$work/history
    git clone --quiet --bare --filter=blob:none "$repository" "$history"
fi

log() {
    git -C "$history" log --first-parent --format=%H "$@"
}

# Revisions of the repository, the newest first.
revisions() {
    if [ -n "${SINCE:-}" ]; then
        log "--since=$SINCE" "--max-count=$count"
        return
    fi
    log --since='1 year ago' >"$work/year"
    # A repository that rests has its last commits only.
    [ -s "$work/year" ] || log "--max-count=$count" >"$work/year"
    awk -v n="$count" '{ line[NR] = $0 } END {
        if (n > NR) n = NR
        for (i = 0; i < n; i++) print line[1 + int(i * (NR - 1) / (n > 1 ? n - 1 : 1))]
    }' "$work/year"
}

# The tree of a commit, without what this copy of the repository lacks: some have no large files.
tree() {
    local commit=$1 into=$work/trees/$1
    mkdir -p "$into"
    export GIT_INDEX_FILE=$work/index
    local git=(git -C "$history" "--work-tree=$into")
    "${git[@]}" read-tree "$commit"
    "${git[@]}" rev-list --objects --no-walk --missing=print "$commit^{tree}" |
        sed -n 's/^?//p' >"$work/lacking"
    # grep reads nothing where it has no pattern, and git would die of that.
    if [ -s "$work/lacking" ]; then
        "${git[@]}" ls-files --stage | { grep -F -f "$work/lacking" || true; } | cut -f 2- |
            "${git[@]}" update-index --force-remove --stdin
    fi
    "${git[@]}" checkout-index --all --quiet
    unset GIT_INDEX_FILE
}

# The forms of the API in a record; `in-tree benchmark` where the driver did not fit.
forms() {
    jq -r '[.subjects[0].artifact.surfaces // {} | to_entries[] | "\(.key)=\(.value)"]
        | if length > 0 then .[] else "in-tree benchmark" end' "$1"
}

# What does not fit, where in-tree benchmarks were measured instead.
misfit() {
    jq -r '.plan.fallback.subjects[0] // empty | "\(.misfit | if type == "object"
        then to_entries[0] | "\(.key) \(.value)" else . end), \(.error)"' "$1" | tr '|' '/'
}

# How a commit was measured, as a line of the table.
line() {
    local name=$1 commit=$2 variant=$3 started=$SECONDS out=$work/runs/$2-$3
    local source="git:$repository#$commit"
    [ ! -d "$work/trees/$commit" ] || source="path:$work/trees/$commit"
    local date
    date=$(git -C "$history" log --max-count=1 --format=%cs "$commit")
    printf '| %s | %s | %s ' "$name" "$date" "$variant"
    mkdir -p "$work/runs"
    if ! "$shakedown" run --suite upstream --out "$out" --json "rustls@$source+$variant" \
        >"$out.json" 2>"$out.log"; then
        local why
        why=$(grep -m 1 '^error' "$out.log" || tail -n 1 "$out.log")
        printf '| nothing | %s s | %s |\n' $((SECONDS - started)) "$why"
        return 1
    fi
    local measured lost how
    measured=$(jq '[.[] | select(.state == "measured") | .scenario] | unique | length' "$out.json")
    lost=$(jq -r '[.[] | select(.state != "measured") | .scenario] | unique | join(" ")' "$out.json")
    forms "$out/record.json" >"$work/forms"
    local why
    why=$(misfit "$out/record.json")
    if [ -n "${GITHUB_ACTIONS:-}" ] && [ -n "$why" ]; then
        printf '::warning::the driver does not fit %s: %s\n' "$name" "$why" >&2
    fi
    how=$({ grep -vxF -f "$work/seen-$variant" "$work/forms" || true; } | paste -sd ' ')
    [ "$(cat "$work/forms")" = "in-tree benchmark" ] || cp "$work/forms" "$work/seen-$variant"
    printf '| %s | %s s | %s |\n' "$measured${lost:+, not $lost}" $((SECONDS - started)) "$how${why:+: $why}"
    rm -rf "$out"
    [ -z "$lost" ] && [ "$measured" -gt 0 ]
}

if [ $# -gt 0 ]; then
    printf '%s\n' "$@" >"$work/revisions"
else
    revisions >"$work/revisions"
fi
for variant in "${variants[@]}"; do
    # A pattern that no line is.
    echo '#' >"$work/seen-$variant"
done
# Shows standard input, in the summary of a job as well.
tell() { tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"; }

failed=0
[ -s "$work/revisions" ] || echo 'no new revisions'
{
    printf '| revision | committed | variant | scenarios measured | time | forms of the API |\n'
    printf '|---|---|---|---|--:|---|\n'
} | tell
while read -r revision; do
    commit=$(git -C "$history" rev-parse --verify --quiet "$revision^{commit}") || {
        echo "$repository has no commit, tag or branch $revision" >&2
        exit 2
    }
    name=$revision
    [ "$name" != "$commit" ] || name=${commit:0:9}
    [ "$history" != "$repository" ] || tree "$commit"
    for variant in "${variants[@]}"; do
        line "$name" "$commit" "$variant" </dev/null >"$work/line" || failed=1
        tell <"$work/line"
    done
    rm -rf "$work/trees"
done <"$work/revisions"
exit $failed
