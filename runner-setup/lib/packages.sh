# shellcheck shell=bash
# The packages a runner's host needs. Sourced by `install.sh` and by the test that keeps them
# ready in its guest.

# packages_of ID VERSION: names for a distribution of /etc/os-release, one a line.
packages_of() {
    # What the libraries and the drivers are built with.
    printf '%s\n' build-essential ca-certificates cmake git perl pkg-config valgrind
    # What install.sh, the service and the workflows call.
    printf '%s\n' curl jq procps sudo tar
    # The sandbox's way to the registries.
    printf '%s\n' tinyproxy-bin
    # What GitHub's runner, a .NET program, loads.
    printf '%s\n' libkrb5-3 zlib1g
    case "$1 $2" in
    "debian 12") printf '%s\n' libicu72 libssl3 ;;
    "debian 13") printf '%s\n' libicu76 libssl3t64 ;;
    "ubuntu 22.04") printf '%s\n' libicu70 libssl3 ;;
    "ubuntu 24.04") printf '%s\n' libicu74 libssl3t64 ;;
    *) return 1 ;;
    esac
}
