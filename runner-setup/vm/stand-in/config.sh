#!/bin/bash
# Stands in for the registration of GitHub's runner: notes how it was called, and registers.
set -eu
record=/run/lock/stand-in/record
{
    printf 'config %s\n' "$*"
    printf 'config-user %s\n' "$(id -un)"
    printf 'config-token %s\n' "${ACTIONS_RUNNER_INPUT_TOKEN:-none}"
} >>"$record"
cd "$(dirname "$0")"
printf 'secret of %s\n' "$ACTIONS_RUNNER_INPUT_TOKEN" >.credentials
printf '{}\n' >.runner
