/* From the weights of a checkpoint to what kernels read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_H
#define FASTPATH_PACK_H

#include "fastpath/kernels/matmul.h"
#include "fastpath/pool.h"
#include "model/plan.h"

/* y = x / sqrt(mean(x²) + epsilon) * weight. */
typedef struct fp_norm {
    bool present;
    double epsilon;
    const float *weight; /* NULL: not scaled */
} fp_norm;

typedef struct fp_linear {
    fp_matrix weight;
    const float *bias; /* [n_out], or NULL */
} fp_linear;

/* Errors stick: after the first every further call returns something absent. What is made is listed in
 * owned and lives until fp_pack_free. */
typedef struct fp_packer {
    fp_pool *pool;
    void **owned;
    size_t n_owned, capacity;
    assay_status status; /* ASSAY_OK or ASSAY_ENOMEM */
} fp_packer;

/* zeroed; NULL once memory was short. */
void *fp_pack_alloc(fp_packer *p, size_t n, size_t element_bytes);

/* Absent weights (data NULL) give a matrix without panels, and NULL. The pages of a mapped file that only
 * this weight lies on are handed back to the system: a later reader fetches them again. */
fp_matrix fp_pack_matrix(fp_packer *p, const plan_weight *w);
const float *fp_pack_vector(fp_packer *p, const plan_weight *w);
fp_linear fp_pack_linear(fp_packer *p, const plan_linear *linear);
fp_norm fp_pack_norm(fp_packer *p, const plan_norm *norm);

/* Frees all that the packer has made. */
void fp_pack_free(fp_packer *p);

/* Output o of a matrix as n_in floats: a row of what was packed. */
void fp_matrix_row(const fp_matrix *m, size_t o, float *out);

#endif
