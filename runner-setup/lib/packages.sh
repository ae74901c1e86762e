# shellcheck shell=bash
# The packages that a runner's host needs. Sourced by `install.sh` and by `vm/image`, which puts
# them into the guest's apt cache.

# packages_of ID VERSION: the package names for a distribution, as in /etc/os-release, one a line.
packages_of() {
    # To build the libraries and the drivers.
    printf '%s\n' build-essential ca-certificates cmake git perl pkg-config valgrind
    # For install.sh, the service and the workflows.
    printf '%s\n' curl jq procps sudo tar
    # The proxy through which the sandbox reaches the registries.
    printf '%s\n' tinyproxy-bin
    # Libraries of GitHub's runner, a .NET program.
    printf '%s\n' libkrb5-3 zlib1g
    case "$1 $2" in
    "debian 12") printf '%s\n' libicu72 libssl3 ;;
    "debian 13") printf '%s\n' libicu76 libssl3t64 ;;
    "ubuntu 22.04") printf '%s\n' libicu70 libssl3 ;;
    "ubuntu 24.04") printf '%s\n' libicu74 libssl3t64 ;;
    *) return 1 ;;
    esac
}
