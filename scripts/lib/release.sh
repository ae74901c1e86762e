# shellcheck shell=bash
# The command as a release has it. Sourced, not run, after scripts/lib/install.sh.
#
# A release has one program for each architecture, named by the commit that it was built from, and
# SHA256SUMS. Both come from the same place, so that the sums show only a damaged download. What makes a
# program trustworthy is its attestation: that release.yml of this repository built it from this very
# commit. Where that can't be verified, nothing is taken.

# project_version ROOT
project_version() { sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"/\1/p' "$1/Cargo.toml"; }

# release_file COMMIT: the name of the program for this machine.
release_file() { printf 'shakedown-%s-%s' "$1" "$(uname -m)"; }

# clean_commit ROOT: the commit of a checkout without changes; fails where there is none.
clean_commit() {
    git -C "$1" diff --quiet HEAD -- 2>/dev/null || return 1
    git -C "$1" rev-parse --quiet --verify HEAD
}

# released_command ROOT FILE: fetches the released command of the checkout ROOT to FILE. Fails where there is
# none for this commit and machine, or no `gh` that could verify it, and says why; then it must be built. Ends
# the script where there is one that is not what it should be, or that `gh` does not vouch for.
released_command() {
    local root=$1 file=$2 commit repository place name wanted found sums
    commit=$(clean_commit "$root") || return 1
    repository=$(git -C "$root" config remote.origin.url | sed -nE 's|^https://github\.com/([^/]+/[^/]+)/?$|\1|p')
    repository=${repository%.git}
    [ -n "$repository" ] || return 1
    command -v gh >/dev/null || {
        say "there is no gh, which verifies releases"
        return 1
    }
    [ -n "${GH_TOKEN-}" ] || gh auth token >/dev/null 2>&1 || {
        say "gh is not logged in, so that it can't verify releases"
        return 1
    }
    place=${SHAKEDOWN_RELEASES:-https://github.com/$repository/releases/download}/v$(project_version "$root")
    name=$(release_file "$commit")
    sums=$(mktemp)
    ask "$place/SHA256SUMS" "$sums" || return 1
    wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$sums")
    rm -f "$sums"
    [ -n "$wanted" ] || {
        say "release v$(project_version "$root") has no $name"
        return 1
    }
    [[ $wanted =~ ^[0-9a-f]{64}$ ]] || die 2 "SHA256SUMS in $place has no SHA-256 of $name, but $wanted"
    ask "$place/$name" "$file" || return 1
    found=$(sha256sum <"$file" | cut -d' ' -f1)
    [ "$found" = "$wanted" ] || {
        rm -f "$file"
        die 2 "$place/$name has SHA-256 $found, but SHA256SUMS says $wanted"
    }
    attested "$repository" "$commit" "$file"
    chmod +x "$file"
    "$file" --version >/dev/null 2>&1 || {
        rm -f "$file"
        die 2 "$name of release v$(project_version "$root") does not run on this machine"
    }
}

# attested REPOSITORY COMMIT FILE: ends the script unless release.yml built it, from that commit.
attested() {
    local words
    words=$(gh attestation verify "$3" --repo "$1" --signer-workflow "$1/.github/workflows/release.yml" \
        --source-digest "$2" --deny-self-hosted-runners 2>&1) && return
    rm -f "$3"
    die 2 "the released command is not attested as built from $2 by release.yml of $1: $words"
}

# ask URL FILE: fails, and says why, where there is no whole answer.
ask() {
    local code=0
    curl -fsSL --retry 2 --connect-timeout 20 --max-time 300 --max-filesize 268435456 -o "$2" "$1" || code=$?
    case $code in
    0) return 0 ;;
    22) say "there is no $1" ;;
    *) say "$1 could not be fetched whole (curl ended with $code)" ;;
    esac
    rm -f "$2"
    return 1
}
