/* A completion in progress: token ids in, text out, up to a stop id, a stop text or the limit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_COMPLETION_H
#define DIALOGUE_COMPLETION_H

#include <assay/serving.h>

/* The members completion_open, completion_push and completion_free of assay_serving. */
assay_status serve_completion_open(const assay_completion_options *options, assay_completion **out,
                                   assay_error *err);
assay_status serve_completion_push(assay_completion *completion, int32_t id, const assay_sink *sink,
                                   assay_completion_state *state, assay_error *err);
void serve_completion_free(assay_completion *completion);

#endif
