/* A plan with its weights packed: immutable once open, shared by any number of sessions and threads.
 * What is a number or a choice is read from the plan; what is a weight is here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_MODEL_H
#define FASTPATH_MODEL_H

#include "fastpath/cache.h"
#include "fastpath/kernels/kernels.h"
#include "fastpath/pack.h"
#include "fastpath/pool.h"

typedef struct fp_attention {
    fp_linear q, k, v, o;
    fp_norm q_norm, k_norm, v_norm;
} fp_attention;

typedef struct fp_mlp {
    fp_linear gate, up, down;
} fp_mlp;

typedef struct fp_experts {
    fp_matrix router;
    fp_norm router_norm;
    const float *router_scale, *expert_scale; /* [D], [n_experts]; or NULL */
    fp_matrix *gate, *up, *down;              /* [n_experts] each */
} fp_experts;

typedef struct fp_layer_input {
    fp_linear gate, projection;
    fp_norm out_norm;
} fp_layer_input;

typedef struct fp_laurel {
    fp_linear left, right;
    fp_norm norm;
} fp_laurel;

typedef struct fp_altup {
    fp_norm router_norm;
    fp_matrix router, prediction, correction;
    const float *output_scale; /* [D], or NULL */
} fp_altup;

typedef struct fp_layer {
    fp_attention attention;
    fp_norm mixer_in, mixer_out, mlp_in, mlp_out, mlp_dense_out, experts_in, experts_out;
    fp_mlp mlp;
    fp_experts experts;
    fp_layer_input layer_input;
    fp_laurel laurel;
    fp_altup altup;
    const float *scalar; /* [1], or NULL */
} fp_layer;

typedef struct fp_model {
    plan *plan; /* its weights are given back: numbers only */
    fp_kernels kernels;
    fp_pool *pool;
    fp_packer packer; /* owns what follows; packed weights are among the plan's arrays */
    fp_matrix embedding, own_head;
    const fp_matrix *head; /* own_head; the embedding where tied */
    fp_matrix table;       /* of the inputs per layer */
    fp_linear input_projection;
    fp_norm input_norm, norm;
    fp_matrix *projection, *unprojection; /* [streams - 1] */
    fp_layer *layers;
    fp_cache_spec *caches; /* [n_layers] */
} fp_model;

typedef struct fp_options {
    assay_dtype compute; /* of activations in products: ASSAY_F32 (or none), ASSAY_BF16 or ASSAY_I8 */
    const char *isa;     /* as ASSAY_ISA says it; NULL: the best that runs here */
    const assay_kernels *kernels;     /* from outside, in the place of our own; or NULL */
    const char *const *allow_unknown; /* as plan_open_allowing says; or NULL */
    size_t n_workers;                 /* 0: one for each processor that this process may use */
    size_t grain;                     /* multiplications below which work is not shared; SIZE_MAX: FP_GRAIN */
} fp_options;

#define FP_GRAIN ((size_t)1 << 17)

/* Reads the checkpoint, packs its weights and gives the mapping back; at the peak there is little more than
 * the packed weights, since what has been packed is forgotten at once. Fails as plan_open, fp_isa_choose
 * and fp_kernels_replace do, with EUNSUPPORTED where kernels from outside lack a product that is needed, with
 * EINVAL for more than FP_WORKERS_MAX workers, or with ENOMEM. The caller frees *out with fp_model_free,
 * after its sessions. */
assay_status fp_model_open(const char *dir, const fp_options *options, fp_model **out, assay_error *err);
void fp_model_free(fp_model *m);

/* Whether sequences of these two lengths are rotated by the same frequencies. Where not, everything that was
 * cached at one length is worthless at the other: not only the keys, but every state that attention has
 * touched. */
bool fp_model_rotates_alike(const fp_model *m, size_t length, size_t other);

#endif
