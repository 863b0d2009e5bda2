/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/logprobs.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

typedef struct entry {
    double logit;
    int32_t id;
} entry;

struct server_logprobs {
    const server_model *model;
    server_token_texts *texts;
    double *row;   /* [vocab] */
    entry *chosen; /* [vocab], a heap whose root is the least of the chosen entries */
};

assay_status server_logprobs_open(const server_model *model, server_token_texts *texts, server_logprobs **out,
                                  assay_error *err)
{
    server_logprobs *l = calloc(1, sizeof *l);
    if (!l) return assay_fail(err, ASSAY_ENOMEM, "logprobs: out of memory");
    l->model = model;
    l->texts = texts;
    l->row = calloc(model->vocab, sizeof *l->row);
    l->chosen = calloc(model->vocab, sizeof *l->chosen);
    if (!l->row || !l->chosen) {
        server_logprobs_free(l);
        return assay_fail(err, ASSAY_ENOMEM, "logprobs: out of memory");
    }
    *out = l;
    return ASSAY_OK;
}

void server_logprobs_free(server_logprobs *l)
{
    if (!l) return;
    free(l->row);
    free(l->chosen);
    free(l);
}

/* Copies a row as doubles, and returns the logarithm of the sum of its exponentials. */
static double read_row(server_logprobs *l, const void *logits, assay_dtype dtype)
{
    const size_t n = l->model->vocab;
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = dtype == ASSAY_F64 ? ((const double *)logits)[i] : ((const float *)logits)[i];
        l->row[i] = isnan(x) ? -INFINITY : x;
        if (l->row[i] > most) most = l->row[i];
    }
    if (!isfinite(most)) return NAN;
    for (size_t i = 0; i < n; i++) sum += exp(l->row[i] - most);
    return most + log(sum);
}

/* Whether a is less probable than b; of equal ones the larger id counts as less. */
static bool is_less(const entry *a, const entry *b)
{
    return a->logit < b->logit || (a->logit == b->logit && a->id > b->id);
}

static void sift_down(entry *heap, size_t n, size_t at)
{
    const entry moved = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_less(&heap[child + 1], &heap[child])) child++;
        if (!is_less(&heap[child], &moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

/* Leaves the n most probable entries in l->chosen, the most probable first. */
static void choose_top(server_logprobs *l, size_t n)
{
    entry *heap = l->chosen;
    for (size_t i = 0; i < n; i++) heap[i] = (entry){l->row[i], (int32_t)i};
    for (size_t i = n / 2; i-- > 0;) sift_down(heap, n, i);
    for (size_t i = n; n > 0 && i < l->model->vocab; i++) {
        const entry e = {l->row[i], (int32_t)i};
        if (!is_less(&heap[0], &e)) continue;
        heap[0] = e;
        sift_down(heap, n, 0);
    }
    for (size_t left = n; left > 1;) {
        const entry least = heap[0];
        heap[0] = heap[--left];
        sift_down(heap, left, 0);
        heap[left] = least;
    }
}

static size_t rank_of(const server_logprobs *l, int32_t token)
{
    size_t rank = 1;
    for (size_t i = 0; i < l->model->vocab; i++) rank += l->row[i] > l->row[token];
    return rank;
}

assay_status server_logprobs_of(server_logprobs *l, const void *logits, assay_dtype dtype, int32_t token,
                                size_t n_top, assay_token_logprob *top, assay_logprobs *out, assay_error *err)
{
    const double log_sum = read_row(l, logits, dtype);
    const size_t n = n_top < l->model->vocab ? n_top : l->model->vocab;
    assay_status rc = ASSAY_OK;
    out->top = top;
    out->n_top = n;
    if (token >= 0) {
        const bool has_logit = (size_t)token < l->model->vocab;
        out->token = (assay_token_logprob){.id = token,
                                           .logprob = has_logit ? l->row[token] - log_sum : -INFINITY,
                                           .rank = has_logit ? rank_of(l, token) : l->model->vocab + 1};
        rc = server_token_text(l->texts, token, &out->token.text, err);
    }
    choose_top(l, n);
    size_t rank = 1;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        const entry *e = &l->chosen[i];
        if (i > 0 && e->logit < l->chosen[i - 1].logit) rank = i + 1;
        top[i] = (assay_token_logprob){.id = e->id, .logprob = e->logit - log_sum, .rank = rank};
        rc = server_token_text(l->texts, e->id, &top[i].text, err);
    }
    return rc;
}

assay_status server_logprobs_text(server_logprobs *l, int32_t id, assay_text *out, assay_error *err)
{
    return server_token_text(l->texts, id, out, err);
}
