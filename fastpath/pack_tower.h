/* The packed weights of a tower. Dimensions and options are in the plan. Their memory is that of the
 * decoder's matrices: the bytes of the checkpoint's type, two for each number in bfloat16, and padding to
 * whole panels; the table of positions is packed as well, and unpacked row by row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_TOWER_H
#define FASTPATH_PACK_TOWER_H

#include "fastpath/pack.h"
#include "fastpath/pack_conv.h"

typedef struct fp_tower_layer {
    fp_norm mixer_in, mixer_out, mlp_in, mlp_out, q_norm, k_norm, v_norm;
    fp_linear q, k, v, o;
    fp_mlp mlp;
    const float *mixer_gate, *mlp_gate; /* [1], or NULL */
} fp_tower_layer;

/* See plan_tiles. */
typedef struct fp_tiles {
    fp_matrix before, positions, tile_positions, after;
    const float *class_row, *before_gate, *positions_gate, *after_gate;
    fp_norm middle;
} fp_tiles;

/* The weights of a step of a merger, as its kind says. */
typedef union fp_merger_step {
    fp_norm norm;
    fp_linear linear;
    fp_mlp mlp;
    const float *vector[2]; /* row_end; or begin and end */
} fp_merger_step;

typedef struct fp_merger {
    fp_merger_step steps[PLAN_MERGER_STEPS_MAX];
} fp_merger;

typedef struct fp_tower {
    fp_linear convolutions[PLAN_AUDIO_CONVOLUTIONS]; /* of audio clips */
    fp_linear embed;
    fp_conv_tower conv;
    fp_norm in_norm, out_norm;
    fp_matrix table; /* of positions */
    fp_tiles tiles;
    fp_tower_layer *layers;              /* [n_layers] */
    const float *pool_bias, *pool_scale; /* [D], or NULL */
    fp_merger merger;
    fp_merger *deepstack; /* [n_deepstack] */
} fp_tower;

/* The table of ids with an embedding of their own (plan_id_table). Zero if there are no such ids. */
typedef struct fp_id_table {
    fp_matrix table;
    fp_merger_step steps[PLAN_MERGER_STEPS_MAX]; /* norms and linears */
} fp_id_table;

/* Packs the weights of a tower; nothing if it is not present. Failures are those of the packer. *to must not
 * move. */
void fp_tower_pack(fp_packer *p, fp_tower *to, const plan_tower *from);

/* At least as many as any activation without a gate has elements, in the plan; NULL if an
 * allocation failed. */
const float *fp_tower_ones(fp_packer *p, const plan *of);

/* Packs the table and its merger; nothing if there is none. Failures are those of the packer. *to must not
 * move. */
void fp_id_table_pack(fp_packer *p, fp_id_table *to, const plan_id_table *from);

#endif
