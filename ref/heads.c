/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/heads.h"

assay_status ref_heads_finish(ref_real *heads, size_t n_tokens, size_t n_heads, size_t head_dim,
                              const plan_norm *norm, ref_rotation rotation)
{
    assay_status rc = ASSAY_OK;
    if (rotation.rope && rotation.is_before_norm)
        ref_rope(heads, n_tokens, n_heads, rotation.rope, rotation.cosine, rotation.sine);
    if (norm->present)
        rc = ref_norm(heads, heads, n_tokens * n_heads * head_dim / norm->width, norm->width, norm);
    if (rc == ASSAY_OK && rotation.rope && !rotation.is_before_norm)
        ref_rope(heads, n_tokens, n_heads, rotation.rope, rotation.cosine, rotation.sine);
    return rc;
}

assay_status ref_heads_project(ref_real *heads, const ref_real *x, size_t n_tokens, size_t n_heads,
                               size_t head_dim, const plan_linear *linear, const plan_norm *norm,
                               ref_rotation rotation)
{
    assay_status rc = ref_linear(heads, x, n_tokens, linear);
    return rc == ASSAY_OK ? ref_heads_finish(heads, n_tokens, n_heads, head_dim, norm, rotation) : rc;
}
