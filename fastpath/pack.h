/* From the weights of a checkpoint to what kernels read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_H
#define FASTPATH_PACK_H

#include "fastpath/kernels/kernels.h"
#include "fastpath/pool.h"
#include "model/plan/plan.h"

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

/* What packing shares. Packed arrays are deferred in `arrays` and made when that is realised; what cannot be
 * made is told then. Memory that was taken for them lives until fp_pack_free. */
typedef struct fp_packer {
    fp_pool *pool;
    const fp_kernels *kernels; /* borrowed for as long as what was packed is used */
    array_list *arrays;        /* borrowed */
    assay_dtype compute;       /* ASSAY_F32, ASSAY_BF16 or ASSAY_I8: of activations in products */
    size_t widest;             /* the most inputs of any matrix so far */
    char *slab;                /* what is left of the memory that small matrices share */
    size_t slab_left;
    void **owned;
    size_t n_owned;
    bool is_short; /* of memory for what is not an array */
} fp_packer;

/* Zeroed memory for what holds the arrays; NULL once memory was short. */
void *fp_pack_alloc(fp_packer *p, size_t n, size_t element_bytes);

/* Each fills in *to, whose address stays: what is an array in it is NULL until p->arrays is realised, which
 * fails with ASSAY_ENOMEM, and with ASSAY_EUNSUPPORTED where kernels from outside lack a product that is
 * needed. *from is borrowed until then.
 * Plain weights keep their type, float64 apart, which becomes float32; with activations in bfloat16 they
 * become bfloat16 themselves. Affine groups stay codes, and they alone are multiplied by codes. Absent
 * weights (data NULL) give a matrix without panels, and NULL. The pages of a mapped file that only this
 * weight lies on are handed back to the system: a later reader fetches them again. */
void fp_pack_matrix(fp_packer *p, fp_matrix *to, const plan_weight *from);
void fp_pack_vector(fp_packer *p, const float **to, const plan_weight *from);
void fp_pack_linear(fp_packer *p, fp_linear *to, const plan_linear *from);
void fp_pack_norm(fp_packer *p, fp_norm *to, const plan_norm *from);

/* Frees all that the packer has made. */
void fp_pack_free(fp_packer *p);

#endif
