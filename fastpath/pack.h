/* From the weights of a checkpoint to what kernels read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_H
#define FASTPATH_PACK_H

#include "fastpath/kernels/kernels.h"
#include "fastpath/pool.h"
#include "model/plan.h"

/* y = x / sqrt(mean(x²) + epsilon) * weight. */
typedef struct fp_norm {
    bool present;
    double epsilon;
    const float *weight; /* NULL: not scaled */
} fp_norm;

/* A matrix and the kernels that it was packed for. */
typedef struct fp_matrix {
    assay_matrix packed;        /* panels: NULL where the model has no such weight */
    const assay_matmul *kernel; /* knows the layout */
    assay_product_fn *run;
    assay_dtype x; /* type of the rows that run takes: ASSAY_F32, ASSAY_BF16 or ASSAY_I8 */
} fp_matrix;

typedef struct fp_linear {
    fp_matrix weight;
    const float *bias; /* [n_out], or NULL */
} fp_linear;

/* Errors stick: after the first every further call returns something absent. What is made is listed in
 * owned and lives until fp_pack_free. */
typedef struct fp_packer {
    fp_pool *pool;
    const fp_kernels *kernels; /* borrowed for as long as what was packed is used */
    assay_dtype compute;       /* ASSAY_F32, ASSAY_BF16 or ASSAY_I8: of activations in products */
    size_t widest;             /* the most inputs of any matrix so far */
    char *slab;                /* what is left of the memory that small matrices share */
    size_t slab_left;
    void **owned;
    size_t n_owned, capacity;
    assay_status status; /* ASSAY_OK, ASSAY_ENOMEM, or ASSAY_EUNSUPPORTED: */
    char why[128];       /* which product kernels from outside lack */
} fp_packer;

/* zeroed; NULL once memory was short. */
void *fp_pack_alloc(fp_packer *p, size_t n, size_t element_bytes);

/* Plain weights keep their type, float64 apart, which becomes float32; with activations in bfloat16 they
 * become bfloat16 themselves. Affine groups stay codes, and they alone are multiplied by codes. Absent
 * weights (data NULL) give a matrix without panels, and NULL. The pages of a mapped file that only this
 * weight lies on are handed back to the system: a later reader fetches them again. */
fp_matrix fp_pack_matrix(fp_packer *p, const plan_weight *w);
const float *fp_pack_vector(fp_packer *p, const plan_weight *w);
fp_linear fp_pack_linear(fp_packer *p, const plan_linear *linear);
fp_norm fp_pack_norm(fp_packer *p, const plan_norm *norm);

/* Frees all that the packer has made. */
void fp_pack_free(fp_packer *p);

#endif
