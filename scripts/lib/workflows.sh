#!/usr/bin/env bash
# Checks the workflows with actionlint and zizmor, which are installed when they are missing.
# Versions stand here so that a new check of theirs comes with a change of ours.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/go.sh
. scripts/lib/go.sh
tools=${XDG_CACHE_HOME:-$HOME/.cache}/shakedown-tools

# build FOLDER PACKAGE: a program of a Go module, unless it is there.
build() {
    [ ! -x "$tools/$1/${1%%-*}" ] || return 0
    use_go 1.25
    GOBIN=$tools/$1 go install "$2"
}

# `workflows.sh act`: installs act and prints where it is.
act=v0.2.89
if [ "${1-}" = act ]; then
    build "act-$act" "github.com/nektos/act@$act" >&2
    printf '%s\n' "$tools/act-$act/act"
    exit 0
fi

actionlint=v1.7.12
build "actionlint-$actionlint" "github.com/rhysd/actionlint/cmd/actionlint@$actionlint"
"$tools/actionlint-$actionlint/actionlint"

zizmor=1.32.0
if [ ! -x "$tools/zizmor-$zizmor/bin/zizmor" ]; then
    python3 -m venv "$tools/zizmor-$zizmor"
    "$tools/zizmor-$zizmor/bin/pip" install --quiet "zizmor==$zizmor"
fi
"$tools/zizmor-$zizmor/bin/zizmor" --offline --quiet --persona auditor .
