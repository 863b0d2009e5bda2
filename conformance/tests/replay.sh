# shellcheck shell=sh
# For tests that judge bundled cases: prints the TAP of several commands as one.
#
# SPDX-License-Identifier: Apache-2.0
assay=${top_builddir:?}/conformance/assay
fixtures=${top_srcdir:?}/fixtures
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# list_short: lists the fixtures without the directories `lengths`, one path per line. A reference engine evaluates the
# whole sequence for each step, so those cases would be nine tenths of its work.
list_short() {
    find "$fixtures" -mindepth 2 -maxdepth 2 ! -name lengths \( -type d -o -name '*.h5' -o -name '*.json.gz' \) | LC_ALL=C sort
}

# one_each: lists one case of every checkpoint below the fixtures, without the directories `lengths`: the one with a batch if it has one.
one_each() {
    find "$fixtures" -mindepth 3 -maxdepth 3 -name '*.h5' ! -path '*/lengths/*' | LC_ALL=C sort |
        awk '{ place = $0; sub(/\/[^\/]*$/, "", place) }
            !(place in first) { first[place] = $0; places[++n] = place }
            /\/batch\.h5$/ { first[place] = $0 }
            END { for (i = 1; i <= n; i++) print first[places[i]] }'
}

# judge COMMAND ARGUMENT...: runs a command of assay, and numbers its test points after those that were printed before. A
# divergence is a failed test point; any other exit status ends the test.
n=0
judge() {
    "$assay" "$@" --tap "$work/tap" >"$work/out"
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
