/* Evaluating calls of an engine whose functions are requests to a program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_STEP_H
#define CONFORMANCE_EXEC_STEP_H

#include <assay/engine.h>

/* Members of assay_engine. They fail as assay/engine.h says, and as exec_link_call does. */
assay_status exec_step(assay_session *session, const assay_step *steps, size_t n,
                       const assay_step_options *options, assay_error *err);
assay_status exec_positions(const assay_model *model, const assay_step *step, int32_t *out, int32_t *delta,
                            assay_error *err);
assay_status exec_rope(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                       assay_error *err);

#endif
