/* Runs the left-padded batches of the ABI as samples of a session. Padding only affects from where
 * tokens are read and to where logits are written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_BATCH_H
#define FASTPATH_BATCH_H

#include "fastpath/session.h"

typedef struct fp_batch fp_batch;

/* Fails with ASSAY_ENOMEM. The model is borrowed and must outlive the batch. */
assay_status fp_batch_open(const fp_model *m, fp_batch **out, assay_error *err);
void fp_batch_free(fp_batch *s);

/* The session of the batch's samples; owned by the batch. */
fp_session *fp_batch_session(fp_batch *s);

/* The tokens of a prompt whose logits are wanted. */
typedef enum fp_wanted {
    FP_WANTED_ALL, /* logits: [n_samples, n_tokens, vocab] */
    FP_WANTED_LAST /* logits: [n_samples, vocab] */
} fp_wanted;

/* assay_engine.prefill, .prefill_last and .decode (see assay/engine.h). All fail with ASSAY_EINVAL or
 * ASSAY_EUNSUPPORTED before anything is changed, or with ASSAY_ENOMEM: the batch is empty after a
 * failed prefill, unchanged after a failed decode. tracer: receives intermediate tensors; may be NULL. */
assay_status fp_batch_prefill(fp_batch *s, const assay_batch *batch, const fp_tracer *tracer,
                              fp_wanted wanted, float *logits, assay_error *err);
assay_status fp_batch_decode(fp_batch *s, const int32_t *tokens, float *logits, assay_error *err);

#endif
