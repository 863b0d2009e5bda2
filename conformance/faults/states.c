/* Faults of recurrent states.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"

/* The last pages of a sample that has left, by layer, and where its state was. */
static struct {
    const fp_state *of;
    fp_page **page; /* [n_layers], NULL in layers without a recurrent cache */
    size_t n_layers;
} left;

void fault_state_left(fp_state *s)
{
    for (size_t i = 0; i < left.n_layers; i++) fp_page_release(left.page[i]);
    free(left.page);
    left.of = s;
    left.n_layers = s->has_recurrent && s->n_tokens ? s->n_layers : 0;
    left.page = calloc(s->n_layers + 1, sizeof *left.page);
    if (!left.page) abort();
    for (size_t i = 0; i < left.n_layers; i++) {
        const fp_cache *c = &s->caches[i];
        if (s->spec[i].kind == FP_CACHE_RECURRENT && c->n_pages)
            left.page[i] = fp_page_share(c->page[c->n_pages - 1]);
    }
}

void fault_state_kept(fp_state *s)
{
    if (s != left.of || s->n_tokens || !s->has_recurrent) return;
    for (size_t i = 0; i < left.n_layers && i < s->n_layers; i++) {
        if (!left.page[i]) continue;
        fp_page_release(s->caches[i].page[0]);
        s->caches[i].page[0] = fp_page_share(left.page[i]);
    }
}

/* The rows of the products of delta nets are taken in the order of all heads. */
void fault_heads_ungrouped(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++)
        if (p->layers[i].mixer.kind == PLAN_MIXER_DELTA) p->layers[i].mixer.delta.groups_heads = false;
}

/* Clears the first n_inputs rows that the convolution of layer i will see before the next token of a run. */
static void clear_inputs(const fp_pass *pass, const fp_run *run, size_t i, size_t n_inputs)
{
    const plan_delta *d = &pass->plan->layers[i].mixer.delta;
    const float *from;
    float *to;
    fp_state_recurrent(run->state, i, &from, &to);
    memset(to + d->n_v_heads * d->k_dim * d->v_dim, 0, n_inputs * d->conv.rows * sizeof *to);
}

void fault_inputs_short(fp_pass *pass, size_t i)
{
    const size_t kernel = pass->plan->layers[i].mixer.delta.kernel;
    for (size_t j = 0; j < pass->n_runs; j++) {
        const fp_run *run = &pass->runs[j];
        if (run->n_rows < 2 || run->n_rows + 1 >= kernel) continue;
        clear_inputs(pass, run, i, kernel - 1 - run->n_rows);
    }
}

void fault_inputs_lost(fp_pass *pass, size_t i)
{
    for (size_t j = 0; fault_in_late_chunk() && j < pass->n_runs; j++)
        if (pass->runs[j].n_rows > 1)
            clear_inputs(pass, &pass->runs[j], i, pass->plan->layers[i].mixer.delta.kernel - 1);
}

/* As if the published model had no gate. */
static void copy_rows(float *y, const float *x, const float *gate, size_t n)
{
    (void)gate;
    memmove(y, x, n * sizeof *y);
}

void fault_gate_missing(fp_kernels *k)
{
    k->sigmoid_gate = copy_rows;
}
