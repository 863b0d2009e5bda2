# shellcheck shell=sh
# For tests that replay bundled cases: prints the TAP of two runs as one.
#
# SPDX-License-Identifier: Apache-2.0
assay=${top_builddir:?}/conformance/assay
fixtures=${top_srcdir:?}/fixtures
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# list_short: what the fixtures hold but for the directories `lengths`, one path to a line. To a reference engine each step
# is the whole sequence, which makes those cases nine tenths of all that it computes.
list_short() {
    find "$fixtures" -mindepth 2 -maxdepth 2 ! -name lengths \( -type d -o -name '*.h5' -o -name '*.json.gz' \) | LC_ALL=C sort
}

# replay ARGUMENT...: assay run, its points behind those that were printed before. A divergence stands in the output as a
# test point that failed; everything else ends the test.
n=0
replay() {
    "$assay" run --tap "$work/tap" "$@" >"$work/out"
    code=$?
    test "$code" -le 1 || exit "$code"
    awk -v before="$n" '/^1\.\.[0-9]+$/ { next }
        match($0, /^(not )?ok [0-9]+/) {
            split(substr($0, 1, RLENGTH), words, " ")
            number = words[length(words)]
            sub(/ok [0-9]+/, "ok " (number + before))
        }
        { print }' "$work/tap"
    n=$((n + $(sed -n 's/^1\.\.//p' "$work/tap")))
}
