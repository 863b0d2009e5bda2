/* Attention and routers whose softmax is computed in other ways: shared by the faults of engines and those of
 * kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_SOFTMAX_H
#define CONFORMANCE_FAULTS_SOFTMAX_H

#include <assay/kernel.h>

/* A float16 that is too large is infinite. */
float fault_float16_overflow(float x);

/* How attention differs from that of include/assay/kernel.h. */
typedef struct fault_attention {
    bool without_maximum; /* exponentials are those of the scores as they are, in float32 */
    bool sink_is_maximum; /* they are relative to the score beside those of the keys, if there is one */
    bool caps_overflow;   /* tanh is made of exponentials in float32 */
    bool sums_float16;    /* a sum of values beyond the largest float16, before its division, is infinite */
} fault_attention;

/* Attention over pages of float32. Aborts if out of memory. */
void fault_attend(const assay_attention_call *c, const fault_attention *how);

/* Chooses as `correct` does; the shares are made of exponentials of the scores as they are, in float32. Other
 * parameters: as of assay_router_fn. Aborts if out of memory. */
void fault_route(assay_router_fn *correct, int32_t *chosen, float *share, float *scores, size_t n_rows,
                 size_t n_experts, size_t n_active, bool renormalize);

#endif
