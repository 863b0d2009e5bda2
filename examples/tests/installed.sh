# For the tests of examples, which source it: installs Assay below $work/root, and puts it in the environment as a user has it.
# Sets work, removed at the end, and fixtures.
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
fixtures=${top_srcdir:?}/fixtures
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL ASSAY_INCLUDE
# shellcheck source=../../scripts/tests/tap.sh
. "$top_srcdir/scripts/tests/tap.sh"

# build DIRECTORY: builds a copy of the example.
build() {
    make -C "$1" CC="$CC" CFLAGS="${CFLAGS:--O2 -g}" >"$work/out" 2>&1
}

# says PATTERN: whether a line of the output matches.
says() {
    grep -qE -- "$1" "$work/out"
}

# copy_example NAME: copies the installed example NAME to $work/sound, and makes the empty directory $work/broken.
copy_example() {
    mkdir "$work/sound" "$work/broken"
    installed=$(find "$work/root" -type d -path "*/examples/$1")
    cp "$installed"/*.[ch] "$installed/Makefile" "$work/sound"
    chmod -R u+w "$work/sound"
}

make -C "${top_builddir:?}" install DESTDIR="$work/root" >"$work/out" 2>&1
point $? 'Assay is installed'
config=$(cd "$work/root" && find . -name assay.pc)
PKG_CONFIG_LIBDIR=$work/root/$(dirname "$config")
PKG_CONFIG_SYSROOT_DIR=$work/root
PATH=$(dirname "$(find "$work/root" -type f -name assay -perm -u+x)"):$PATH
export fixtures PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR PATH
