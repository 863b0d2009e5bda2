# Test points in TAP; sourced by tests, which set work to a directory of their own.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
n=0

# point STATUS NAME...: one test point; if it fails, with the output of the last program in $work/out and $work/err.
point() {
    n=$((n + 1))
    status=$1
    shift
    if [ "$status" -eq 0 ]; then
        echo "ok $n - $*"
    else
        echo "not ok $n - $*"
        cat "${work:?}/out" "$work/err" 2>/dev/null | sed 's/^/# /'
    fi
}
