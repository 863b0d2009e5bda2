/* Reading a rope request of the ABI, for all engines.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_ROPE_REQUEST_H
#define MODEL_CHECKPOINT_ROPE_REQUEST_H

#include <assay/engine.h>

#include "model/numerics/rope.h"

/* The rope that the request's config describes; the caller frees it with rope_free, also on failure. Fails
 * with ASSAY_EINVAL for an unsupported number of axes, and as json_parse and config_rope_standalone do. */
assay_status rope_request_read(const assay_rope_request *request, rope *out, assay_error *err);

/* The largest position decides the length of the sequence. */
size_t rope_request_length(const assay_rope_request *request);

#endif
