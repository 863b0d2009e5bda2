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

static array *defer_table(array_list *list, const rope *r, size_t index, const char *what, size_t length)
{
    char name[64];
    table *t = malloc(sizeof *t);
    if (!t) return NULL;
    *t = (table){r, length};
    (void)snprintf(name, sizeof name, "ropes.%zu.%s", index, what);
    return array_list_defer(list, name, true, r->dim / 2 * sizeof(double), (array_maker){make_table, t, free},
                            NULL, 0);
}

assay_status plan_derive(plan *p, assay_error *err)
{
    bool ok = true;
    p->frequencies = calloc(p->n_ropes + 1, sizeof *p->frequencies);
    for (size_t i = 0; p->frequencies && ok && i < p->n_ropes; i++) {
        const rope *r = &p->ropes[i];
        plan_frequency *f = &p->frequencies[i];
        const bool is_long = r->type == ROPE_LONGROPE;
        f->usual = defer_table(p->arrays, r, i, is_long ? "short_inverse_frequency" : "inverse_frequency", 1);
        if (is_long) f->extended = defer_table(p->arrays, r, i, "long_inverse_frequency", SIZE_MAX);
        ok = f->usual && (f->extended || !is_long);
    }
    return p->frequencies && ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", p->dir);
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
