/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/tests/facts.h"

#include "base/tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FREQUENCIES_MAX = 64 };

static const double ACCURACY = 3e-6; /* of the published class's float32, in which it computes powers */

static json_object *member(json_object *facts, const char *name)
{
    json_object *value = NULL;
    (void)json_object_object_get_ex(facts, name, &value);
    return value;
}

static size_t size_of(json_object *facts, const char *name)
{
    return (size_t)json_object_get_int64(member(facts, name));
}

static void expect_number(double found, double wanted, const char *what, const char *label)
{
    ck_assert_msg(fabs(found - wanted) <= ACCURACY * fabs(wanted), "%s: %s: found %.9g, expected %.9g", label,
                  what, found, wanted);
}

/* Larger numbers first: of two orders of frequencies that the sections of a rope assign, either may be
 * stored. */
static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The first n of the plan's frequencies that are the published ones. */
static void expect_frequencies(const rope *r, size_t n, json_object *published, const char *label)
{
    double found[FREQUENCIES_MAX] = {0}, wanted[FREQUENCIES_MAX] = {0};
    ck_assert_uint_le(r->dim / 2, FREQUENCIES_MAX);
    ck_assert_msg(json_object_array_length(published) == n, "%s: found %zu frequencies, expected %zu", label,
                  n, json_object_array_length(published));
    rope_frequencies(r, 1, found);
    for (size_t i = 0; i < n; i++)
        wanted[i] = json_object_get_double(json_object_array_get_idx(published, i));
    qsort(found, n, sizeof *found, compare);
    qsort(wanted, n, sizeof *wanted, compare);
    for (size_t i = 0; i < n; i++) expect_number(found[i], wanted[i], "a frequency", label);
}

static void expect_rope(const rope *r, json_object *facts, const char *label)
{
    expect_frequencies(r, r->dim / 2, member(facts, "frequencies"), label);
    expect_number(r->attention_factor, json_object_get_double(member(facts, "factor")),
                  "the factor of cos and sin", label);
}

static const char *kind_of(const plan_layer *layer)
{
    static const char *const NAMES[] = {
        [PLAN_MIXER_ATTENTION] = "attention", [PLAN_MIXER_DELTA] = "delta", [PLAN_MIXER_CROSS] = "cross"};
    return NAMES[layer->mixer.kind];
}

static void expect_layer(const plan *p, size_t i, json_object *facts, json_object *ropes, const char *label)
{
    const plan_layer *layer = &p->layers[i];
    const char *kind = json_object_get_string(member(facts, "kind"));
    ck_assert_msg(strcmp(kind_of(layer), kind) == 0, "%s: layer %zu: found %s, expected %s", label, i,
                  kind_of(layer), kind);
    if (layer->mixer.kind == PLAN_MIXER_DELTA) return;
    ck_assert_msg(layer->experts.n_experts == size_of(facts, "experts"),
                  "%s: layer %zu: found %zu experts, expected %zu", label, i, layer->experts.n_experts,
                  size_of(facts, "experts"));
    const plan_attention *a = &layer->mixer.attention;
    ck_assert_msg(a->n_heads == size_of(facts, "heads") && a->head_dim == size_of(facts, "head_dim"),
                  "%s: layer %zu: found %zu heads of %zu", label, i, a->n_heads, a->head_dim);
    ck_assert_msg(a->window == size_of(facts, "window"), "%s: layer %zu: found a window of %zu, expected %zu",
                  label, i, a->window, size_of(facts, "window"));
    const int index = json_object_get_int(member(facts, "rope"));
    ck_assert_msg((a->rope == PLAN_NONE) == (index < 0), "%s: layer %zu: found rope %zu, expected %d", label,
                  i, a->rope, index);
    if (index >= 0) expect_rope(&p->ropes[a->rope], json_object_array_get_idx(ropes, (size_t)index), label);
}

static void expect_activation(assay_activation found, json_object *published, const char *label)
{
    if (!published) return;
    const char *wanted = json_object_get_string(published);
    ck_assert_msg(strcmp(plan_activation_name(found), wanted) == 0, "%s: found %s, expected %s", label,
                  plan_activation_name(found), wanted);
}

/* A rope of a tower has each frequency twice, by row and by column; the published class has it once. */
static void expect_tower(const plan_tower *t, json_object *facts, const char *label)
{
    if (!t->present || t->n_layers == 0) return;
    json_object *frequencies = member(facts, "frequencies");
    expect_number(t->layers[0].mixer_in.epsilon, json_object_get_double(member(facts, "epsilon")),
                  "the tower's epsilon", label);
    expect_activation(t->layers[0].mlp.activation, member(facts, "activation"), label);
    if (frequencies) expect_frequencies(&t->rope, t->rope.dim / 4, frequencies, label);
}

void facts_expect(const plan *p, json_object *facts, const char *label)
{
    json_object *layers = member(facts, "layers");
    const char *head = json_object_get_string(member(facts, "head"));
    ck_assert_msg(p->tied == (strcmp(head, "tied") == 0), "%s: found a head that is %s, expected \"%s\"",
                  label, p->tied ? "tied" : "not tied", head);
    expect_number(p->norm.epsilon, json_object_get_double(member(facts, "epsilon")), "the epsilon", label);
    const plan_layer *first = &p->layers[0];
    expect_activation(first->mlp.present ? first->mlp.activation : first->experts.activation,
                      member(facts, "activation"), label);
    ck_assert_uint_eq(p->n_layers, json_object_array_length(layers));
    for (size_t i = 0; i < p->n_layers; i++)
        expect_layer(p, i, json_object_array_get_idx(layers, i), member(facts, "ropes"), label);
    if (member(facts, "tower")) expect_tower(&p->vision, member(facts, "tower"), label);
}
