/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/arrange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/find.h"
#include "conformance/case/prompt.h"
#include "conformance/support/draw.h"

static void arrange_as_recorded(const conf_decoder *d, conf_arrangement *a)
{
    for (size_t b = 0; b < d->n_samples; b++) {
        a->rows[b] = (conf_batch_row){.sample = b, .n_tokens = conf_prompt_length(d, b), .judged = true};
        a->row[b] = b;
    }
}

/* A random permutation of all rows (Fisher-Yates): batch neighbours may get any row. */
static void draw_order(const conf_arrangement *a, size_t *order, uint64_t *state)
{
    for (size_t i = 0; i < a->n_rows; i++) order[i] = i;
    for (size_t i = a->n_rows; i > 1; i--) {
        size_t k = conf_draw_below(state, i), last = order[i - 1];
        order[i - 1] = order[k];
        order[k] = last;
    }
}

static void arrange_drawn(const conf_decoder *d, conf_arrangement *a, size_t *order, uint64_t *state)
{
    draw_order(a, order, state);
    for (size_t i = 0; i < a->n_rows; i++) {
        const bool judged = i < d->n_samples;
        const size_t sample = judged ? i : conf_draw_below(state, d->n_samples);
        size_t n = conf_prompt_length(d, sample);
        if (judged) a->row[i] = order[i];
        else if (d->n_inputs == 0) n = 1 + conf_draw_below(state, n);
        a->rows[order[i]] = (conf_batch_row){.sample = sample, .n_tokens = n, .judged = judged};
    }
}

/* The state depends on the case's file name, but not on its directory: cases of one recording get different
 * arrangements, and the same ones wherever they are. */
uint64_t conf_arrangement_state(const conf_case *c, uint64_t seed)
{
    const char *slash = strrchr(c->path, '/');
    return seed ^ conf_find_hash(slash ? slash + 1 : c->path);
}

assay_status conf_arrange(const conf_case *c, const uint64_t *seed, conf_arrangement *out, assay_error *err)
{
    const conf_decoder *d = &c->decoder;
    conf_arrangement a = {.n_rows = d->n_samples, .n_tokens = d->n_tokens};
    uint64_t state = seed ? conf_arrangement_state(c, *seed) : 0;
    if (seed) {
        a.n_tokens += conf_draw_below(&state, CONF_PADDING_DRAWN_MAX + 1);
        a.n_rows += conf_draw_below(&state, CONF_NEIGHBOURS_MAX + 1);
    }
    a.rows = calloc(a.n_rows, sizeof *a.rows);
    a.row = calloc(d->n_samples, sizeof *a.row);
    size_t *order = calloc(a.n_rows, sizeof *order);
    if (!a.rows || !a.row || !order) {
        free(order);
        conf_arrangement_free(&a);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->path);
    }
    if (seed) arrange_drawn(d, &a, order, &state);
    else arrange_as_recorded(d, &a);
    free(order);
    *out = a;
    return ASSAY_OK;
}

void conf_arrangement_free(conf_arrangement *a)
{
    free(a->rows);
    free(a->row);
    *a = (conf_arrangement){0};
}

void conf_arrangement_print(const conf_arrangement *a, const conf_decoder *d, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "rows ");
    for (size_t b = 0; b < d->n_samples && n < size; b++)
        n += (size_t)snprintf(text + n, size - n, "%s%zu", b ? "," : "", a->row[b]);
    if (n < size)
        (void)snprintf(text + n, size - n, " of %zu, %zu more columns of padding", a->n_rows,
                       a->n_tokens - d->n_tokens);
}
