/* Arrays derived from a plan: RoPE frequency tables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/arrays.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

/* A frequency table for sequences of `length`. */
typedef struct table {
    const rope *rope;
    size_t length;
} table;

static assay_status make_table(void *context, array *self, array *const *inputs, assay_error *err)
{
    const table *t = context;
    double *frequency = array_allocate(self);
    (void)inputs;
    if (!frequency) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    rope_frequencies(t->rope, t->length, frequency);
    return ASSAY_OK;
}

static array *defer_table(array_list *list, const rope *r, const char *name, size_t length)
{
    table *t = malloc(sizeof *t);
    if (!t) return NULL;
    *t = (table){r, length};
    return array_list_defer(list, name, true, r->dim / 2 * sizeof(double), (array_maker){make_table, t, free},
                            NULL, 0);
}

/* Defers the tables of rope i. Returns false if out of memory. */
static bool derive_rope(plan *p, size_t i)
{
    char name[64];
    const rope *r = &p->ropes[i];
    plan_frequency *f = &p->frequencies[i];
    const bool is_long = r->type == ROPE_LONGROPE;
    (void)snprintf(name, sizeof name, "ropes.%zu.%s", i,
                   is_long ? "short_inverse_frequency" : "inverse_frequency");
    f->usual = defer_table(p->arrays, r, name, 1);
    if (!is_long) return f->usual;
    (void)snprintf(name, sizeof name, "ropes.%zu.long_inverse_frequency", i);
    f->extended = defer_table(p->arrays, r, name, SIZE_MAX);
    return f->usual && f->extended;
}

assay_status plan_derive(plan *p, assay_error *err)
{
    p->frequencies = calloc(p->n_ropes + 1, sizeof *p->frequencies);
    bool ok = p->frequencies;
    for (size_t i = 0; ok && i < p->n_ropes; i++) ok = derive_rope(p, i);
    if (ok && p->vision.has_rope) {
        plan_tower *tower = &p->vision;
        tower->frequency.usual = defer_table(p->arrays, &tower->rope, "tower.inverse_frequency", 1);
        ok = tower->frequency.usual;
    }
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", p->dir);
}

const double *plan_frequencies(const plan *p, size_t r, size_t length, double *scratch)
{
    const rope *is = &p->ropes[r];
    const plan_frequency *f = &p->frequencies[r];
    if (is->type == ROPE_DYNAMIC && (double)length > is->max_length) {
        rope_frequencies(is, length, scratch);
        return scratch;
    }
    return array_data(f->extended && (double)length > is->original_length ? f->extended : f->usual);
}
