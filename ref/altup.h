/* AltUp: alternating updates of several residual streams (Baykal et al. 2023; Gemma3nTextAltUp).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_ALTUP_H
#define REF_ALTUP_H

#include "ref/ops.h"

/* Alternating updates (Baykal et al. 2023; Gemma3nTextAltUp): streams, predicted: [S, T, D].
 * predict: predicts each stream from all streams; correct: corrects the predictions with the layer's
 * output for the active stream. */
assay_status ref_altup_predict(ref_real *predicted, const ref_real *streams, size_t n_tokens, const plan *p,
                               const plan_altup *a);
assay_status ref_altup_correct(ref_real *predicted, const ref_real *activated, size_t n_tokens, const plan *p,
                               const plan_altup *a);

/* Expand the embedding (stream 0) to all streams, and reduce the streams to one. x: [T, D], streams:
 * [S, T, D]. */
assay_status ref_altup_open(ref_real *streams, const ref_real *x, size_t n_tokens, const plan *p);
assay_status ref_altup_close(ref_real *x, const ref_real *streams, size_t n_tokens, const plan *p);

#endif
