# SPDX-License-Identifier: Apache-2.0
OBSERVED_TESTS = observatory/tests/adapters.test observatory/tests/dumps.test observatory/tests/findings.test observatory/tests/format.test observatory/tests/observations.test \
	observatory/tests/packs.test observatory/tests/peers.test observatory/tests/scoreboard.test observatory/tests/servers.test
EXTRA_DIST += observatory/FINDINGS.md observatory/README.md observatory/SCOREBOARD.md observatory/SERVERS.md observatory/__init__.py observatory/board \
	observatory/dumps observatory/findings observatory/observations observatory/observations.md observatory/observations.tsv observatory/observe \
	observatory/peers observatory/scoreboard.html observatory/servers observatory/texts observatory/vlm
# File by file: of a folder, the tarball would have what a build leaves there, too.
EXTRA_DIST += $(OBSERVED_TESTS) observatory/tests/board.py observatory/tests/board_cases.py observatory/tests/board_systems.py \
	observatory/tests/dumps.py observatory/tests/packs.py observatory/tests/peers.py observatory/tests/scoreboard.py observatory/tests/servers.py
noinst_PROGRAMS += observatory/tests/unpack
observatory_tests_unpack_CFLAGS = $(AM_CFLAGS) $(HDF5_CFLAGS)
observatory_tests_unpack_LDADD = $(HDF5_LIBS)
