/* Faults that change a plan, which the engine then evaluates correctly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/faults/fault.h"

static plan_attention *layer_attention(plan *p, size_t layer)
{
    assert(p->layers[layer].mixer.kind == PLAN_MIXER_ATTENTION);
    return &p->layers[layer].mixer.attention;
}

void fault_window_wide(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (layer_attention(p, i)->window) layer_attention(p, i)->window++;
}

void fault_window_narrow(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (layer_attention(p, i)->window > 1) layer_attention(p, i)->window--;
}

/* Layers with equal windows are of one kind, with equal head sizes. */
void fault_shared_first(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_attention *a = layer_attention(p, i);
        size_t first = 0;
        while (layer_attention(p, first)->window != a->window) first++;
        if (a->cache_layer != i) a->cache_layer = first;
    }
}

void fault_cap_missing(plan *p)
{
    p->soft_cap = 0;
}

/* Leaves the attention factor, which some scalings set. */
void fault_rope_plain(plan *p)
{
    for (size_t i = 0; i < p->n_ropes; i++) p->ropes[i].type = ROPE_DEFAULT;
}

/* Group 1 of row 0 of the first layer's down projection. */
void fault_scale_shifted(plan *p)
{
    static void *scales; /* of the latest plan */
    plan_weight *w = &p->layers[0].mlp.down.weight;
    if (!w->affine.bits || w->cols == w->affine.group) return;
    size_t each = dtype_size(w->affine.scale_dtype), n = w->rows * (w->cols / w->affine.group);
    free(scales);
    scales = malloc(n * each);
    if (!scales) abort();
    memcpy(scales, w->affine.scales, n * each);
    memcpy((char *)scales + each, scales, each);
    w->affine.scales = scales;
}
