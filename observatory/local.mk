# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += observatory/board observatory/dumps observatory/findings observatory/observe observatory/peers observatory/servers observatory/tests \
	observatory/texts observatory/vlm observatory/__init__.py
TESTS += observatory/tests/dumps.test observatory/tests/peers.test observatory/tests/scoreboard.test observatory/tests/servers.test
