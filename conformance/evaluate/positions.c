/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/positions.h"

#include <inttypes.h>
#include <stdio.h>

#include "conformance/case/positions.h"
#include "conformance/case/prompt.h"
#include "conformance/evaluate/fail.h"

/* The numbers that were compared, those that differ, and the first of these: by sample, token and axis, the
 * delta of a sample last. */
typedef struct comparison {
    size_t n, n_different;
    char *where;
    size_t size; /* of where */
} comparison;

static void compare(comparison *c, const char *place, int32_t expected, int32_t found)
{
    c->n++;
    if (expected == found || c->n_different++ > 0) return;
    if (found == CONF_POSITION_UNWRITTEN)
        (void)snprintf(c->where, c->size, "%s: expected %" PRId32 ", found nothing: it was not written",
                       place, expected);
    else
        (void)snprintf(c->where, c->size, "%s: expected %" PRId32 ", found %" PRId32, place, expected, found);
}

static void compare_sample(comparison *c, const conf_case *of, const conf_positions_answer *answer, size_t b)
{
    const conf_decoder *d = &of->decoder;
    char place[96];
    for (size_t t = 0; t < conf_prompt_length(d, b); t++)
        for (size_t a = 0; a < of->positions.n_axes; a++) {
            const size_t row = (a * d->n_samples + b) * d->n_tokens;
            (void)snprintf(place, sizeof place, "sample %zu, axis %zu, token %zu", b, a, t);
            compare(c, place, conf_positions_at(of, a, b, t),
                    answer->position[row + conf_prompt_padding(d, b) + t]);
        }
    (void)snprintf(place, sizeof place, "sample %zu, delta", b);
    compare(c, place, ((const int32_t *)of->positions.delta.data)[b], answer->delta[b]);
}

void conf_evaluate_positions(const conf_replay *r, const conf_positions_answer *answer)
{
    conf_verdict *v = r->verdict;
    comparison c = {.where = v->where, .size = sizeof v->where};
    for (size_t b = 0; b < r->c->decoder.n_samples; b++) compare_sample(&c, r->c, answer, b);
    if (c.n_different > 0)
        (void)conf_evaluate_fail(v, CONF_CLASS_ROPE, "%zu of %zu positions and deltas are wrong",
                                 c.n_different, c.n);
}
