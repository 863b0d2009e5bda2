/* One forward pass over one sample, without cache, batch or padding.
 *
 * The mathematics of ref and fastpath is deliberately written twice: an error in shared code would be
 * in both engines, and comparing them would not show it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_FORWARD_H
#define REF_FORWARD_H

#include "ref/ops.h"
#include "ref/sample.h"
#include "ref/trace.h"

/* logits: [T - first_row, vocab], for the rows from first_row on; first_row == T: no logits are computed, and
 *         logits may be NULL.
 * sample: T tokens, each accepted by plan_embeds_as, positions, none negative, and media. Masks use
 * the index of a token, ropes its position. The tracer receives the tokens from tracer.first_row on,
 * and the media that begin there. Fails with ASSAY_ENOMEM, and with ASSAY_ESTOPPED if the tracer's tap ends
 * the pass. */
assay_status ref_forward(const plan *p, const ref_sample *sample, size_t first_row, ref_limit limit,
                         ref_tracer tracer, ref_real *logits, assay_error *err);

#endif
