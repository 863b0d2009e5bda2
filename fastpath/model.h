/* A plan with its weights packed: immutable once open, shared by any number of sessions and threads.
 * Dimensions and options are in the plan, weights are here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_MODEL_H
#define FASTPATH_MODEL_H

#include "fastpath/cache/cache.h"
#include "fastpath/kernels/kernels.h"
#include "fastpath/pack.h"
#include "fastpath/pack_tower.h"
#include "fastpath/pool.h"

typedef struct fp_attention {
    fp_linear q, k, v, o;
    fp_norm q_norm, k_norm, v_norm;
    const float *sinks; /* [n_heads], or NULL */
    fp_matrix scale_q, scale_v;
    const float *scale_alpha; /* [n_heads]; the three without panels, or NULL, where heads are not scaled */
} fp_attention;

typedef struct fp_delta {
    fp_linear qkv, z, a, b, out;
    const float *conv; /* [kernel, channels] */
    const float *a_log, *dt_bias;
    fp_norm norm;
} fp_delta;

typedef struct fp_experts {
    fp_matrix router;
    fp_norm router_norm;
    const float *router_bias;                               /* [n_experts], or NULL */
    const float *router_scale, *choice_bias, *expert_scale; /* [D], [n_experts], [n_experts]; or NULL */
    fp_matrix *gate, *up, *down;                            /* [n_experts] each */
    const float *gate_bias, *up_bias, *down_bias;           /* [n_experts, rows of the matrix], or NULL */
    fp_mlp shared;
    fp_matrix shared_gate;
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
    fp_attention attention; /* one of the two has weights, as the mixer of the plan says */
    fp_delta delta;
    fp_norm mixer_in, mixer_out, mlp_in, mlp_out, mlp_dense_out, experts_in, experts_out;
    fp_mlp mlp;
    fp_experts experts, own_experts;
    fp_layer_input layer_input;
    fp_laurel laurel;
    fp_altup altup;
    const float *scalar;                /* [1], or NULL */
    const float *mixer_gate, *mlp_gate; /* [1], or NULL */
} fp_layer;

typedef struct fp_model {
    plan *plan; /* its weights have been released: dimensions and options only */
    fp_kernels kernels;
    fp_pool *pool;
    fp_packer packer; /* owns the members below; packed weights are arrays of the plan */
    fp_matrix embedding, own_head;
    const fp_matrix *head;  /* own_head, or the embedding if tied */
    const float *head_bias; /* [vocab], or NULL */
    fp_matrix table;        /* embedding table of the per-layer inputs */
    fp_linear input_projection;
    fp_norm input_norm, norm;
    fp_matrix *projection, *unprojection; /* [streams - 1] */
    fp_layer *layers;
    fp_cache_spec *caches;  /* [n_layers] */
    fp_tower vision, audio; /* zero without such a tower */
    const float *ones;      /* see fp_tower_ones */
    fp_id_table id_table;
    char note[256]; /* on weights that are widened; empty: none is */
} fp_model;

typedef struct fp_options {
    assay_dtype compute;      /* type of activations in products: ASSAY_F32 (or 0), ASSAY_BF16 or ASSAY_I8 */
    const char *compute_name; /* a type of FORMAT_COMPUTES instead; or NULL */
    const char *isa;          /* value of ASSAY_ISA; NULL: the best that this processor runs */
    const assay_kernels *kernels;     /* external kernels that replace fastpath's own; or NULL */
    const char *cache_name;           /* of FP_CACHE_TYPES; NULL: as compute says */
    const char *const *allow_unknown; /* see plan_open_allowing; or NULL */
    size_t n_workers;                 /* 0: one for each processor that this process may use */
    size_t grain; /* number of multiplications below which a call stays on one thread; SIZE_MAX: FP_GRAIN */
} fp_options;

#define FP_GRAIN ((size_t)1 << 17)

/* Reads the checkpoint, packs its weights and unmaps its files. Source pages are released as soon as
 * they are packed, so that peak memory is little more than the packed weights. Fails as plan_open,
 * fp_isa_choose and fp_kernels_replace do, with ASSAY_EUNSUPPORTED if external kernels lack a required
 * product, with ASSAY_EINVAL for more than FP_WORKERS_MAX workers, or with ASSAY_ENOMEM. The caller
 * frees *out with fp_model_free, after its sessions. */
assay_status fp_model_open(const char *dir, const fp_options *options, fp_model **out, assay_error *err);
void fp_model_free(fp_model *m);

/* Whether sequences of these two lengths have the same RoPE frequencies. If not, everything that was
 * cached at one length is invalid at the other: the keys, and every later layer's state, since it
 * depends on attention. */
bool fp_model_has_same_rope(const fp_model *m, size_t length, size_t other);

#endif
