#!/usr/bin/env bash
# Checks the workflows with actionlint and zizmor.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=scripts/lib/tools.sh
. scripts/lib/tools.sh
need_linters
install_missing

"$actionlint"
"$zizmor" --offline --quiet --persona auditor .
