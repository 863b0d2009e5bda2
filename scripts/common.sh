# Functions that the scripts share; sourced, not run. Commands print their output only if they fail.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${ASSAY_BUILD:-$top/build}

build_packages=(gcc libc6-dev make autoconf automake pkg-config check libopenblas-dev libhdf5-dev libdeflate-dev
    libjson-c-dev libpcre2-dev libutf8proc-dev libgmp-dev zlib1g-dev libjpeg62-turbo-dev libwebp-dev libsndfile1-dev
    libmicrohttpd-dev libcurl4-openssl-dev)
# shellcheck disable=SC2034 # for scripts/bench-peers and scripts/scoreboard: venvs, and the tools with which pip builds llama.cpp
peer_packages=(python3-venv g++ cmake ninja-build)

# quietly LABEL COMMAND...: runs it; if it fails, or cannot run here (77), prints its output. Returns its status.
quietly() {
    local label=$1 log status=0
    shift
    log=$(mktemp)
    if [ -t 2 ]; then printf '%s…\r' "$label" >&2; fi
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ -t 2 ]; then printf '\033[K' >&2; fi
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
        if [ "$status" -ne 77 ]; then printf '%s failed: %s (status %d)\n' "$label" "$*" "$status" >&2; fi
    fi
    rm -f "$log"
    return "$status"
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

apt() {
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@"
}

# install_packages PACKAGE...: installs missing packages on Debian. On other systems it does nothing, and the configure script
# names the missing libraries.
install_packages() {
    local missing=() package
    command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then return 0; fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        printf 'these packages are missing, and there is neither root nor sudo to install them: %s\n' \
            "${missing[*]}" >&2
        return 1
    fi
    quietly 'reading package lists' apt update
    quietly "installing ${missing[*]}" apt install --no-install-recommends "${missing[@]}"
}

# make_jobs ARGUMENT...: make with one job more than there are processors, because some tests wait.
make_jobs() {
    make -C "$build" --no-print-directory -j"$(($(nproc) + 1))" "$@"
}

# configure_build [OPTION...]: makes the configure script if it is missing or outdated, and the build directory if it is missing.
# CONFIG_SHELL: Debian's /bin/sh runs configure in half the time that bash takes.
configure_build() {
    if [ ! -x "$top/configure" ] || [ "$top/configure.ac" -nt "$top/configure" ]; then
        quietly 'making configure' autoreconf --force --install "$top"
    fi
    mkdir -p "$build"
    if [ ! -f "$build/config.status" ]; then
        (cd "$build" && CONFIG_SHELL=/bin/sh quietly 'configuring' /bin/sh "$top/configure" --quiet "$@")
    fi
}

# build_all [OPTION...]: installs packages, configures, and builds the default target.
build_all() {
    install_packages "${build_packages[@]}"
    configure_build "$@"
    quietly 'building' make_jobs all
}

# check_format: fails if clang-format would change a source. Returns 77 if it is not installed, or this is no git checkout.
check_format() {
    local list status=0
    command -v clang-format >/dev/null || return 77
    list=$(mktemp)
    if git -C "$top" ls-files -z -- '*.c' '*.h' >"$list" 2>/dev/null && [ -s "$list" ]; then
        (cd "$top" && quietly 'clang-format' xargs -0 -a "$list" clang-format --dry-run --Werror) || status=$?
    else
        status=77
    fi
    rm -f "$list"
    return "$status"
}

# test_results PATTERN: prints how many test points of the build's last `make check` have that result.
test_results() {
    find "$build" -name '*.trs' -exec cat {} + | grep -cE "^:test-result: ($1)" || true
}
