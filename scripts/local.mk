# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += scripts/check scripts/common.sh scripts/fuzz scripts/record scripts/run
