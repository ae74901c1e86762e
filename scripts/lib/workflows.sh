#!/usr/bin/env bash
# Checks the workflows with actionlint and zizmor, which are installed when they are missing.
# Versions stand here so that a new check of theirs comes with a change of ours.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=${XDG_CACHE_HOME:-$HOME/.cache}/shakedown-tools

# `workflows.sh act`: installs act and prints where it is.
act=v0.2.89
if [ "${1-}" = act ]; then
    [ -x "$tools/act-$act/act" ] ||
        GOBIN=$tools/act-$act go install "github.com/nektos/act@$act" >&2
    printf '%s\n' "$tools/act-$act/act"
    exit 0
fi

actionlint=v1.7.12
if [ ! -x "$tools/actionlint-$actionlint/actionlint" ]; then
    command -v go >/dev/null || {
        printf 'error: actionlint is built with Go: apt-get install golang-go\n' >&2
        exit 2
    }
    GOBIN=$tools/actionlint-$actionlint go install "github.com/rhysd/actionlint/cmd/actionlint@$actionlint"
fi
"$tools/actionlint-$actionlint/actionlint"

zizmor=1.32.0
if [ ! -x "$tools/zizmor-$zizmor/bin/zizmor" ]; then
    python3 -m venv "$tools/zizmor-$zizmor"
    "$tools/zizmor-$zizmor/bin/pip" install --quiet "zizmor==$zizmor"
fi
"$tools/zizmor-$zizmor/bin/zizmor" --offline --quiet --persona auditor .
