/* Changes every plan that an engine opens, as the environment variable ASSAY_TEST_PLAN says, and takes the
 * features that ASSAY_TEST_LACKS names from the engine: the digit of each plan_feature is 1 if the engine
 * lacks it, else 0. Linked into modules of our engines, where calls of plan_derive and plan_check_features
 * come here first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/plan/arrays.h"
#include "model/plan/feature.h"

__typeof__(plan_derive) __real_plan_derive, __wrap_plan_derive;
__typeof__(plan_check_features) __real_plan_check_features, __wrap_plan_check_features;

/* Divides the frequencies of every rope among three axes. */
static void set_sections(plan *p, rope_sections sections)
{
    for (size_t i = 0; i < p->n_ropes; i++) {
        const size_t third = p->ropes[i].dim / 6;
        p->ropes[i].sections = sections;
        p->ropes[i].section[0] = p->ropes[i].dim / 2 - 2 * third;
        p->ropes[i].section[1] = p->ropes[i].section[2] = third;
    }
}

static void remove_ropes(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.rope = PLAN_NONE;
}

/* Makes every norm a LayerNorm; those of the hidden size get the weights of the final norm as their bias. */
static void set_layer_norms(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        plan_layer *l = &p->layers[i];
        plan_attention *a = &l->mixer.attention;
        plan_norm *norms[] = {&l->mixer_in, &l->mixer_out, &l->mlp_in, &l->mlp_out,
                              &a->q_norm,   &a->k_norm,    &a->v_norm};
        for (size_t n = 0; n < sizeof norms / sizeof *norms; n++) {
            norms[n]->kind = PLAN_LAYER_NORM;
            if (n < 4 && i % 2 == 0) norms[n]->bias = p->norm.weight;
        }
    }
    p->norm.kind = PLAN_LAYER_NORM;
    p->norm.bias = p->norm.weight;
}

/* In every layer: tokens 2 to 5 and 20 to 23 of TEXT (engines.h) are blocks. */
static void set_blocks(plan *p)
{
    p->blocks = (plan_blocks){.n = 8, .id = {17, 88, 9, 60, 54, 23, 77, 14}};
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.mask = PLAN_MASK_BLOCKS;
}

assay_status __wrap_plan_derive(plan *p, assay_error *err)
{
    const char *change = getenv("ASSAY_TEST_PLAN");
    if (!change) change = "";
    if (strcmp(change, "chunked-sections") == 0) set_sections(p, ROPE_SECTIONS_CHUNKED);
    if (strcmp(change, "interleaved-sections") == 0) set_sections(p, ROPE_SECTIONS_INTERLEAVED);
    if (strcmp(change, "no-ropes") == 0) remove_ropes(p);
    if (strcmp(change, "layer-norms") == 0) set_layer_norms(p);
    if (strcmp(change, "blocks") == 0) set_blocks(p);
    return __real_plan_derive(p, err);
}

assay_status __wrap_plan_check_features(const plan *p, const plan_feature_set *lacked, const char *engine,
                                        assay_error *err)
{
    const char *also = getenv("ASSAY_TEST_LACKS");
    plan_feature_set all = *lacked;
    for (size_t i = 0; also && i < PLAN_N_FEATURES && also[i]; i++) all.has[i] = all.has[i] || also[i] == '1';
    return __real_plan_check_features(p, &all, engine, err);
}
