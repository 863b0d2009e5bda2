/* Checks that prefill_last gives logits bit-identical to prefill, and leaves the same state.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/last.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/replay/session.h"
#include "conformance/replay/state.h"

/* Compares two rows [V] of sample b bit for bit and describes the first difference of the replay in
 * r->contradiction. Both rows were widened to double, which keeps different numbers different. */
static void compare_rows(conf_replay *r, size_t b, const char *what, const double *expected,
                         const double *found)
{
    if (r->contradiction[0] || memcmp(expected, found, r->vocab * sizeof *found) == 0) return;
    size_t v = 0;
    while (memcmp(&expected[v], &found[v], sizeof *found) == 0) v++;
    (void)snprintf(r->contradiction, sizeof r->contradiction,
                   "sample %zu, %s, id %zu: prefill leads to %.*g, prefill_last to %.*g", b, what, v,
                   CONF_DIGITS(r->verdict), expected[v], CONF_DIGITS(r->verdict), found[v]);
}

/* Compares the first forced step after prefill_last with the one after prefill. row: scratch, [V]. */
static bool compare_step(conf_replay *r, assay_session *session, void *step, int32_t *tokens, double *row)
{
    const conf_decoder *d = &r->c->decoder;
    if (!r->rows || d->n_decode == 0) return true;
    conf_replay_force(r, 0, tokens);
    if (!conf_replay_step(r, session, tokens, step)) return false;
    const double *expected = r->rows;
    for (size_t i = 0; i < d->rows.n_rows && !d->rows.place[i].decode; i++) expected += r->vocab;
    for (size_t b = 0; b < d->n_samples; b++, expected += d->n_decode * r->vocab) {
        conf_replay_row(r, row, step, r->batch.row[b]);
        compare_rows(r, b, "the step after the prompt", expected, row);
    }
    return true;
}

bool conf_replay_last(conf_replay *r, assay_session *session, const void *prefill, void *step,
                      int32_t *tokens)
{
    bool prefilled = r->rows || r->c->decoder.n_greedy;
    if (!r->engine->prefill_last || !prefilled) return true;
    const conf_arrangement *batch = &r->batch;
    void *last = conf_nan_alloc(r->engine, batch->n_rows * r->vocab);
    double *row = calloc(2 * r->vocab, sizeof *row);
    bool ok = last && row ? true : conf_replay_no_memory(r);
    r->verdict->stage = CONF_STAGE_PREFILL_LAST;
    if (ok) ok = conf_replay_prefill(r, session, r->engine->prefill_last, last);
    for (size_t b = 0; ok && b < r->c->decoder.n_samples; b++) {
        conf_replay_row(r, row, prefill, (batch->row[b] + 1) * batch->n_tokens - 1);
        conf_replay_row(r, row + r->vocab, last, batch->row[b]);
        compare_rows(r, b, "the last token of the prompt", row, row + r->vocab);
    }
    if (ok) ok = compare_step(r, session, step, tokens, row);
    free(last);
    free(row);
    return ok;
}
