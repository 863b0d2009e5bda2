/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/tests/oracle_rows.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "conformance/probe/truth/judge.h"

/* The values of one row: what is right, and the planted error. */
static void make_values(const asked *a, const double *logits, double *out)
{
    const size_t n = a->o->truth->n_vocab;
    json_object *temperature = json_object_object_get(a->request, "temperature");
    const double t = temperature ? json_object_get_double(temperature) : 0;
    probe_log_softmax(logits, n, out);
    for (size_t v = 0; v < n; v++) {
        if (a->o->bug == ORACLE_WARM) out[v] /= 0.5;
        if (a->o->bug == ORACLE_SAMPLED_VALUES && t > 0) out[v] /= t;
        if (a->o->bug == ORACLE_ZERO) out[v] = 0;
        if (a->o->bug == ORACLE_COARSE) out[v] += (v % 2 ? 1 : -1) * 0.8 * a->prompt->noise[PROBE_BF16].noise;
        if (a->o->bug == ORACLE_ALTERNATE && a->o->shared->n_answers % 2) out[v] -= 0.01 * (double)(v % 5);
    }
}

/* The text of a token alone; lives as long as the process, which answers one request. */
static assay_text text_of(const asked *a, int32_t id)
{
    buffer *text = calloc(1, sizeof *text);
    ck_assert(text && probe_vocab_decode(a->o->truth->vocab, &id, 1, false, text, NULL) == ASSAY_OK);
    return buffer_text(text);
}

/* A token with its logit. */
typedef struct ranked {
    double logit;
    int32_t id;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->logit != y->logit) return x->logit > y->logit ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* All tokens, the most likely first; the caller frees them. */
static ranked *rank(const double *logits, size_t n)
{
    ranked *all = calloc(n, sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (size_t v = 0; v < n; v++) all[v] = (ranked){logits[v], (int32_t)v};
    qsort(all, n, sizeof *all, compare_ranked);
    return all;
}

assay_logprobs oracle_row(const asked *a, size_t n_before, int32_t id)
{
    const size_t n = a->o->truth->n_vocab;
    const double *logits = probe_truth_row(a->prompt, n_before);
    if (!logits) return (assay_logprobs){.token = {.id = id, .text = text_of(a, id), .logprob = (double)NAN}};
    double *values = calloc(n, sizeof *values);
    assay_token_logprob *top = calloc(a->top ? a->top : 1, sizeof *top);
    ck_assert(values && top && logits);
    make_values(a, logits, values);
    if (a->o->bug == ORACLE_OTHER_TOKEN) id = (id + 1) % (int32_t)n;
    const assay_token_logprob token = {
        .id = id,
        .text = text_of(a, id),
        .logprob = values[a->o->bug == ORACLE_OTHER_VALUE ? (size_t)(id + 1) % n : (size_t)id]};
    ranked *order = rank(logits, n);
    for (size_t k = 0; k < a->top; k++)
        top[k] = (assay_token_logprob){.id = order[k].id,
                                       .text = text_of(a, order[k].id),
                                       .logprob = values[order[k].id],
                                       .rank = k + 1};
    if (a->o->bug == ORACLE_LAST_MISSING && a->top > 1 && a->top < n) {
        const int32_t least = order[n - 1].id;
        top[a->top - 1] =
            (assay_token_logprob){.id = least, .text = text_of(a, least), .logprob = values[least]};
    }
    free(order);
    free(values);
    return (assay_logprobs){.token = token, .top = top, .n_top = a->top};
}

assay_logprobs *oracle_prompt_rows(const asked *a)
{
    assay_logprobs *rows = calloc(a->n_before, sizeof *rows);
    ck_assert_ptr_nonnull(rows);
    rows[0] = (assay_logprobs){
        .token = {.id = a->prompt->ids[0], .text = text_of(a, a->prompt->ids[0]), .logprob = (double)NAN}};
    for (size_t i = 1; i < a->n_before; i++) {
        const size_t from = a->o->bug == ORACLE_SHIFTED_PROMPT && i > 1 ? i - 1 : i;
        rows[i] = oracle_row(a, from, a->prompt->ids[i]);
    }
    return rows;
}
