/* Faults of log-probabilities in answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/serve/fault.h"

void served_reversed(assay_logprobs *row, assay_token_logprob *top)
{
    for (size_t i = 0; i < row->n_top / 2; i++) {
        const assay_token_logprob kept = top[i];
        top[i] = top[row->n_top - 1 - i];
        top[row->n_top - 1 - i] = kept;
    }
}

void served_fewer(assay_logprobs *row, assay_token_logprob *top)
{
    (void)top;
    if (row->n_top > 1) row->n_top--;
}

void served_other_text(assay_logprobs *row, assay_token_logprob *top)
{
    if (row->n_top > 1) row->token.text = top[0].id == row->token.id ? top[1].text : top[0].text;
}

void served_no_first(const server_request *q, assay_response_chunk *chunk)
{
    if (q->endpoint == SERVE_CHAT && !q->streams && chunk->completion_tokens == 1) chunk->n_logprobs = 0;
}

void served_no_third(const server_request *q, assay_response_chunk *chunk)
{
    if (q->endpoint == SERVE_COMPLETIONS && chunk->completion_tokens == 3) chunk->n_logprobs = 0;
}

void served_no_streamed(const server_request *q, assay_response_chunk *chunk)
{
    if (q->endpoint == SERVE_RESPONSES && q->streams) chunk->n_logprobs = 0;
}

/* A row with alternatives of its own. */
static void copy_row(assay_logprobs *to, const assay_logprobs *from)
{
    assay_token_logprob *top = malloc((from->n_top ? from->n_top : 1) * sizeof *top);
    if (!top) abort();
    memcpy(top, from->top, from->n_top * sizeof *top);
    free((void *)to->top);
    *to = *from;
    to->top = top;
}

/* One answer at a time, as the probe asks for log-probabilities: there is one held row. Texts of tokens live
 * as long as the server. */
void served_late(const server_request *q, assay_response_chunk *chunk)
{
    static assay_logprobs held, sent;
    static bool has;
    if (q->endpoint != SERVE_CHAT || !q->streams || chunk->n_logprobs == 0) return;
    const bool had = has && chunk->completion_tokens > 1;
    if (had) copy_row(&sent, &held);
    copy_row(&held, &chunk->logprobs[0]);
    has = true;
    chunk->logprobs = &sent;
    chunk->n_logprobs = had;
}
