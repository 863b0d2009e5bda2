/* A completion under way: ids that a model chose in, text out, until something ends it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_COMPLETION_H
#define SERVING_COMPLETION_H

#include <assay/serving.h>

/* The members completion_open, completion_push and completion_free of assay_serving. */
assay_status serve_completion_open(const assay_completion_options *options, assay_completion **out,
                                   assay_error *err);
assay_status serve_completion_push(assay_completion *completion, int32_t id, const assay_sink *sink,
                                   assay_completion_state *state, assay_error *err);
void serve_completion_free(assay_completion *completion);

#endif
