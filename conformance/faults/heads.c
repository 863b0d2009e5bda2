/* Faults of what stands beside queries, keys and values: scores without keys, the rope in the plane of
 * images, the positions of its tokens; and of the square of a gate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/faults/fault.h"

void fault_sink_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.sinks.data = NULL;
}

void fault_square_missing(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mlp.squares = false;
}

void fault_plane_missing(plan *p)
{
    p->plane_rope.present = false;
}

void fault_plane_other_half(plan *p)
{
    p->plane_rope.first = 0;
}

void fault_positions_of_index(plan *p)
{
    p->positions = PLAN_POSITIONS_INDEX;
}

/* As if keys were repeated after the ropes: all heads that are made of one have the angles of the first. */
void fault_plane_of_group(fp_pass *pass, size_t i)
{
    const plan_attention *a = plan_layer_attention(&pass->plan->layers[i]);
    const size_t n = pass->plan->plane_rope.dim / 2, n_heads = pass->n_rows * a->n_heads;
    if (!pass->plane_cosine || a->kv_repeats < 2) return;
    for (size_t h = 0; h < n_heads; h++) {
        const size_t first = h / a->kv_repeats * a->kv_repeats;
        memmove(pass->plane_cosine + h * n, pass->plane_cosine + first * n, n * sizeof *pass->plane_cosine);
        memmove(pass->plane_sine + h * n, pass->plane_sine + first * n, n * sizeof *pass->plane_sine);
    }
}
