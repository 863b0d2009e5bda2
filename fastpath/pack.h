/* Packs the weights of a checkpoint into the layouts of the kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_H
#define FASTPATH_PACK_H

#include "fastpath/kernels/kernels.h"
#include "fastpath/pool.h"
#include "model/plan/plan.h"

/* RMSNorm or LayerNorm: see plan_norm. */
typedef struct fp_norm {
    bool present;
    plan_norm_kind kind;
    double epsilon;
    size_t width;
    double offset;       /* of the stored weights; weight includes it */
    size_t n_weights;    /* 0: one for all rows, or as plan_norm */
    const float *weight; /* [width], or [n_weights, width]; NULL: not scaled */
    const float *bias;   /* [width]; NULL: none */
} fp_norm;

/* A matrix and the kernels that it was packed for: those of a library's matmul_stored, or others. */
typedef struct fp_matrix {
    assay_matrix packed;        /* panels: NULL if the model has no such weight */
    const assay_matmul *kernel; /* defines the layout */
    assay_product_fn *run;
    const assay_matmul_stored *stored_kernel; /* or NULL; with it, kernel and run are NULL */
    assay_stored_product_fn *run_stored;
    assay_stored_matrix stored; /* of stored_kernel */
    const int32_t *order;       /* [n_in]: which element of x the packed column i takes; NULL: element i */
    assay_dtype x;          /* type of the rows that `run` multiplies: ASSAY_F32, ASSAY_BF16 or ASSAY_I8 */
    const fp_coded *inputs; /* the published type of its inputs; NULL: not rounded */
    const float *minimums;  /* [n_in / block of inputs, n_out], where inputs have sums; else NULL */
} fp_matrix;

typedef struct fp_linear {
    fp_matrix weight;
    const float *bias; /* [n_out], or NULL */
} fp_linear;

typedef struct fp_mlp {
    fp_linear gate, up, down;
} fp_mlp;

/* An order of columns that matrices share. */
typedef struct fp_order {
    struct fp_order *next;
    size_t n;
    int32_t column[];
} fp_order;

/* Matrices of codes that no panels of codes hold. */
typedef struct fp_widened {
    size_t n;
    const char *format, *name, *why; /* of the first; borrowed from the plan */
} fp_widened;

/* Shared state of packing. Packed arrays are deferred in `arrays` and made when it is realised;
 * failures are reported then. Their memory lives until fp_pack_free. */
typedef struct fp_packer {
    fp_pool *pool;
    const fp_kernels *kernels; /* borrowed for as long as the packed weights are used */
    array_list *arrays;        /* borrowed */
    assay_dtype compute;       /* ASSAY_F32, ASSAY_BF16 or ASSAY_I8: type of activations in products */
    const char *inputs;        /* with ASSAY_F32: a type of FORMAT_COMPUTES; or NULL */
    size_t widest;             /* largest n_in of any matrix so far */
    fp_widened widened;
    size_t widest_ordered; /* the same of those with an order */
    fp_order *orders;      /* all, in owned memory */
    char *slab;            /* unused rest of the memory that small matrices share */
    size_t slab_left;
    void **owned;
    size_t n_owned;
    bool is_short; /* an allocation failed, other than for an array */
} fp_packer;

/* Allocates zeroed memory for structs that hold the arrays, freed by fp_pack_free. NULL if this or an
 * earlier allocation failed. */
void *fp_pack_alloc(fp_packer *p, size_t n, size_t element_bytes);

/* Has fp_pack_free free the memory, which malloc or a relative has allocated. Returns it; NULL, and frees it,
 * if there is no memory to remember it. */
void *fp_pack_own(fp_packer *p, void *memory);

/* Each fills in *to, which must not move: its arrays are NULL until p->arrays is realised, which fails
 * with ASSAY_ENOMEM. *from is borrowed until then. An absent weight (data NULL) gives NULL. */
void fp_pack_vector(fp_packer *p, const float **to, const plan_weight *from);
/* A matrix as its numbers, [rows, cols], and as its columns, [cols, rows]. */
void fp_pack_rows(fp_packer *p, const float **to, const plan_weight *from);
void fp_pack_columns(fp_packer *p, const float **to, const plan_weight *from);
void fp_pack_norm(fp_packer *p, fp_norm *to, const plan_norm *from);

/* Has products of a matrix that was chosen for float32 take their inputs in the published type of p->inputs,
 * as codes where they can. Then, when it is packed, makes its minimums; false: out of memory. */
void fp_pack_inputs(const fp_packer *p, fp_matrix *m, const plan_weight *from);
bool fp_pack_minimums(fp_packer *p, fp_matrix *m, const plan_weight *from);

/* One line on matrices that are widened, of at most `size` bytes; empty if there are none. */
void fp_widened_print(const fp_widened *w, assay_dtype compute, char *text, size_t size);

/* Frees everything that the packer has allocated. */
void fp_pack_free(fp_packer *p);

#endif
