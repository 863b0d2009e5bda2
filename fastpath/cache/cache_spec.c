/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/cache/cache_spec.h"

#include <assert.h>

#include "base/error.h"

/* Derives what each cache holds from the views of all layers that read it. */
static void derive_capacities(const plan *p, fp_cache_spec *spec)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        fp_cache_spec *own = &spec[i];
        if (own->kind == FP_CACHE_RECURRENT || own->kind == FP_CACHE_NONE) continue;
        own->kind = own->source != i ? FP_CACHE_SHARED : own->view.window ? FP_CACHE_ROTATING : FP_CACHE_FULL;
        own->window = own->view.window;
        own->sink_tokens = own->view.sink_tokens;
        fp_cache_spec *source = &spec[own->source];
        if (own->window == 0 && own->source != i) source->kind = FP_CACHE_FULL;
        if (own->window > source->window) source->window = own->window;
        if (own->sink_tokens > source->sink_tokens) source->sink_tokens = own->sink_tokens;
    }
}

void fp_cache_specs(const plan *p, fp_narrow_bf16_fn *narrow, fp_cache_spec *spec)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_mixer *m = &p->layers[i].mixer;
        const plan_attention *a = &m->attention;
        const plan_delta *d = &m->delta;
        if (m->kind == PLAN_MIXER_DELTA)
            spec[i] = (fp_cache_spec){.kind = FP_CACHE_RECURRENT,
                                      .source = i,
                                      .n_floats = d->n_v_heads * d->k_dim * d->v_dim +
                                                  (d->kernel - 1) * d->conv.rows};
        if (m->kind == PLAN_MIXER_CROSS)
            spec[i] = (fp_cache_spec){.kind = FP_CACHE_NONE,
                                      .source = i,
                                      .n_kv_heads = a->n_kv_heads,
                                      .head_dim = a->head_dim,
                                      .narrow = narrow};
        if (m->kind != PLAN_MIXER_ATTENTION) continue;
        spec[i] = (fp_cache_spec){.source = a->cache_layer,
                                  .view.window = a->window,
                                  .n_kv_heads = a->n_kv_heads,
                                  .head_dim = a->head_dim,
                                  .narrow = narrow};
    }
    derive_capacities(p, spec);
}

assay_status fp_cache_narrow(const plan *p, const fp_cache_type *type, fp_cache_spec *spec, assay_error *err)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        if (p->layers[i].mixer.kind != PLAN_MIXER_ATTENTION) continue;
        if (spec[i].head_dim % type->block != 0)
            return assay_fail(
                err, ASSAY_EUNSUPPORTED,
                "cache: found %s, whose blocks of %zu do not divide the heads of %zu of layer %zu",
                type->name, type->block, spec[i].head_dim, i);
        spec[i].type = type;
        spec[i].narrow = NULL;
    }
    return ASSAY_OK;
}

void fp_cache_limit(const plan *p, size_t limit, size_t sink_tokens, fp_cache_spec *spec)
{
    assert(sink_tokens < limit);
    for (size_t i = 0; i < p->n_layers; i++)
        if (p->layers[i].mixer.kind == PLAN_MIXER_ATTENTION &&
            plan_layer_attention(&p->layers[i])->window == 0)
            spec[i].view = (fp_view){limit - sink_tokens, sink_tokens};
    derive_capacities(p, spec);
}

fp_key_range fp_view_key_range(fp_view view, size_t position)
{
    if (view.window == 0 || position < view.window) return (fp_key_range){0};
    size_t first = position - view.window + 1;
    return (fp_key_range){.sink_tokens = view.sink_tokens < first ? view.sink_tokens : first, .first = first};
}

fp_key_range fp_cache_key_range(const fp_cache_spec *spec, size_t position)
{
    if (spec->kind != FP_CACHE_ROTATING) return (fp_key_range){0};
    return fp_view_key_range((fp_view){spec->window, spec->sink_tokens}, position);
}
