/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/positions.h"

#include <inttypes.h>
#include <math.h>
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

/* Infinite if it was not written. */
static double difference(int32_t expected, int32_t found)
{
    return found == CONF_POSITION_UNWRITTEN ? INFINITY : fabs((double)expected - (double)found);
}

void conf_profile_positions(const conf_replay *r, const conf_positions_answer *answer, conf_profile *p)
{
    const conf_case *c = r->c;
    const conf_decoder *d = &c->decoder;
    const size_t n_axes = c->positions.n_axes;
    char name[CONF_PROFILE_NAME_MAX];
    p->of = CONF_PROFILE_POSITIONS;
    for (size_t a = 0; a <= n_axes; a++) {
        (void)snprintf(name, sizeof name, "axis %zu", a);
        conf_profile_add(p->tensors, &p->n_tensors, CONF_PROFILE_TENSORS_MAX, a < n_axes ? name : "delta", 0);
    }
    for (size_t b = 0; b < d->n_samples; b++) {
        for (size_t t = 0; t < conf_prompt_length(d, b); t++) {
            double largest = 0;
            for (size_t a = 0; a < n_axes; a++) {
                const size_t at = (a * d->n_samples + b) * d->n_tokens + conf_prompt_padding(d, b) + t;
                const double error = difference(conf_positions_at(c, a, b, t), answer->position[at]);
                largest = fmax(largest, error);
                p->tensors[a].multiple = fmax(p->tensors[a].multiple, error);
            }
            conf_profile_add_row(p, (uint32_t)b, (uint32_t)t, largest);
        }
        const double error = difference(((const int32_t *)c->positions.delta.data)[b], answer->delta[b]);
        p->tensors[n_axes].multiple = fmax(p->tensors[n_axes].multiple, error);
    }
}
