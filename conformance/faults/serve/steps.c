/* Faults of requests, of steps and of their logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance/faults/serve/fault.h"

void served_stop_tokenizer(server_model *m)
{
    static int32_t kept[64];
    size_t n, n_kept = 0;
    if (!m->stops && stop_set_read(m->dir, &m->stops, NULL) != ASSAY_OK) abort();
    const int32_t *ids = stop_set_ids(m->stops, &n);
    for (size_t i = 0; i < n && n_kept < sizeof kept / sizeof *kept; i++)
        if (stop_set_origin(m->stops, i) & ASSAY_STOP_TOKENIZER) kept[n_kept++] = ids[i];
    m->stop_ids = kept;
    m->n_stop_ids = n_kept;
}

void served_no_seed(server_request *q)
{
    q->has_seed = false;
}

void served_other_id(assay_logprobs *row, assay_token_logprob *top)
{
    const double other = row->n_top > 1 ? top[row->n_top - 1].logprob : row->token.logprob - 1;
    row->token.logprob = other == row->token.logprob ? top[0].logprob : other;
}

void served_all_zero(assay_logprobs *row, assay_token_logprob *top)
{
    row->token.logprob = 0;
    for (size_t i = 0; i < row->n_top; i++) top[i].logprob = 0;
}

void served_warm(const server_run *run, float *logits, size_t n)
{
    const double temperature = run->task->job->request->sampling.temperature;
    for (size_t i = 0; i < n && temperature > 0; i++) logits[i] /= (float)temperature;
}

enum { PROMPT_MAX = 4096 };

/* The prompt before, as if its keys and values were found in a cache: of a prompt that begins with the same
 * tokens, the first other token is taken from it, too. */
void served_cache_off(server_turn *turns, size_t n)
{
    static int32_t before[PROMPT_MAX], changed[PROMPT_MAX];
    static size_t n_before;
    bool used = false; /* one prompt of a step: there is one buffer */
    for (size_t i = 0; i < n && !used; i++) {
        server_turn *t = &turns[i];
        size_t same = 0;
        if (t->n_tokens < 2 || t->n_tokens > PROMPT_MAX) continue;
        used = true;
        const int32_t *tokens = t->tokens;
        while (same < n_before && same < t->n_tokens && before[same] == tokens[same]) same++;
        const bool differs = same > 0 && same < n_before && same + 1 < t->n_tokens;
        memcpy(changed, tokens, t->n_tokens * sizeof *changed);
        if (differs) changed[same] = before[same];
        memcpy(before, tokens, t->n_tokens * sizeof *before);
        n_before = t->n_tokens;
        t->tokens = changed;
    }
}

/* Steps take their time, so that a client can leave within an answer. */
void served_slowly(server_turn *turns, size_t n)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    (void)turns;
    (void)n;
    (void)nanosleep(&pause, NULL);
}

/* Takes its time, so that requests meet. */
void served_neighbours(server_turn *turns, size_t n, size_t vocab)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)nanosleep(&pause, NULL);
    for (size_t i = 1; i < n; i++) {
        float *row = turns[i].logits;
        for (size_t v = 0; row && v < turns[i].n_last * vocab; v++) row[v] *= 1.01F;
    }
}
