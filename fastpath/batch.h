/* The left-padded batches of the ABI, as samples of a session: padding is nothing but where rows are copied
 * from and to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_BATCH_H
#define FASTPATH_BATCH_H

#include "fastpath/session.h"

typedef struct fp_batch fp_batch;

/* Fails with ASSAY_ENOMEM. The model is borrowed and must outlive the batch. */
assay_status fp_batch_open(const fp_model *m, fp_batch **out, assay_error *err);
void fp_batch_free(fp_batch *s);

/* The session that its samples live in; owned by the batch. */
fp_session *fp_batch_session(fp_batch *s);

/* Of which tokens of a prompt logits are wanted. */
typedef enum fp_wanted {
    FP_WANTED_ALL, /* logits: [n_samples, n_tokens, vocab] */
    FP_WANTED_LAST /* logits: [n_samples, vocab] */
} fp_wanted;

/* assay_engine.prefill, .prefill_last and .decode (see assay/engine.h). All fail with ASSAY_EINVAL or
 * ASSAY_EUNSUPPORTED before anything is changed, or with ASSAY_ENOMEM: after a prefill the batch then holds
 * nothing, after a decode what it held before. tracer: NULL, or who asks for tensors.
 */
assay_status fp_batch_prefill(fp_batch *s, const assay_batch *batch, const fp_tracer *tracer,
                              fp_wanted wanted, float *logits, assay_error *err);
assay_status fp_batch_decode(fp_batch *s, const int32_t *tokens, float *logits, assay_error *err);

#endif
