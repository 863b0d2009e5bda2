/* The shard that the environment asks for, as Bazel sets it for a test with shard_count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_SHARDS_H
#define CONFORMANCE_CLI_SHARDS_H

#include <assay/status.h>

#include "conformance/support/context.h"

/* Reads TEST_TOTAL_SHARDS and TEST_SHARD_INDEX, which counts from 0: *total 0 if the first is not set or
 * empty, else 1 <= *index <= *total. Then creates the file TEST_SHARD_STATUS_FILE, if it is set, which tells
 * Bazel that shards are supported. Fails with ASSAY_EINVAL for a value that is not as expected, ASSAY_EIO if
 * the file cannot be written. */
assay_status conf_shards_read(const conf_context *context, size_t *index, size_t *total, assay_error *err);

#endif
