/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/prefix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static size_t logit_bytes(const server_model *model)
{
    return model->engine->logits_dtype == ASSAY_F64 ? sizeof(double) : sizeof(float);
}

assay_status server_prefix_open(const server_model *model, const server_request *request, size_t prompt,
                                server_prefix *out, assay_error *err)
{
    server_prefix p = {.prompt = &request->prompts[prompt], .wants = request->prompt_logprobs};
    const size_t n = p.prompt->n_tokens;
    if (p.wants) {
        p.n_top = request->n_prompt_top < model->vocab ? request->n_prompt_top : model->vocab;
        p.logprobs = calloc(n, sizeof *p.logprobs);
        if (p.n_top == 0 || n <= SIZE_MAX / sizeof *p.tops / p.n_top)
            p.tops = calloc(n * p.n_top + 1, sizeof *p.tops);
        if (!p.logprobs || !p.tops) {
            free(p.logprobs);
            free(p.tops);
            return assay_fail(err, ASSAY_ENOMEM, "logprobs of a prompt: out of memory");
        }
    }
    *out = p;
    return ASSAY_OK;
}

void server_prefix_free(server_prefix *p, server_seats *seats)
{
    server_seats_give_up(seats, &p->parked);
    free(p->logprobs);
    free(p->tops);
    free(p->logits);
    *p = (server_prefix){0};
}

assay_status server_prefix_take(server_prefix *p, server_logprobs *l, size_t n_done, size_t n,
                                const void *logits, const server_model *model, assay_error *err)
{
    const assay_dtype dtype = model->engine->logits_dtype;
    const size_t row = model->vocab * logit_bytes(model);
    if (p->n_known == 0) {
        assay_token_logprob *first = &p->logprobs[0].token;
        *first = (assay_token_logprob){.id = p->prompt->tokens[0], .logprob = NAN};
        const assay_status rc = server_logprobs_text(l, first->id, &first->text, err);
        if (rc != ASSAY_OK) return rc;
        p->n_known = 1;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t next = n_done + i + 1;
        if (next < p->n_known || next >= p->prompt->n_tokens) continue;
        const assay_status rc =
            server_logprobs_of(l, (const char *)logits + i * row, dtype, p->prompt->tokens[next], p->n_top,
                               p->tops + next * p->n_top, &p->logprobs[next], err);
        if (rc != ASSAY_OK) return rc;
        p->n_known = next + 1;
    }
    return ASSAY_OK;
}

void server_prefix_park(server_prefix *p, server_seats *seats, const server_seat *from, const void *logits,
                        const server_model *model)
{
    const size_t row = model->vocab * logit_bytes(model);
    if (p->parked.session || server_seats_copy(seats, from, &p->parked, NULL) != ASSAY_OK) return;
    if (!p->logits) p->logits = malloc(row); /* else they are of an earlier copy, which was given up */
    if (p->logits) memcpy(p->logits, logits, row);
    else server_seats_give_up(seats, &p->parked);
}

server_prompt_report server_prefix_report(const server_prefix *p)
{
    return p->wants ? (server_prompt_report){p->logprobs, p->n_known} : (server_prompt_report){0};
}
