/* AltUp: alternating updates of several residual streams (Gemma 3n).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_ALTUP_H
#define FASTPATH_ALTUP_H

#include "fastpath/pass.h"

/* Alternating updates; streams, predicted: [S, R, D], activated: [R, D] (see model/plan/plan.h). */
assay_status fp_altup_predict(fp_pass *pass, size_t i, float *predicted, const float *streams);
assay_status fp_altup_correct(fp_pass *pass, size_t i, float *predicted, const float *activated);

/* Expand the embedding (stream 0) to all streams, and reduce the streams to one. x: [R, D], streams:
 * [S, R, D]. */
void fp_altup_open(fp_pass *pass, float *streams, const float *x);
assay_status fp_altup_close(fp_pass *pass, float *x, const float *streams);

#endif
