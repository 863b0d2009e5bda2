/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/positions.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/case/prompt.h"
#include "conformance/replay/session.h"

/* n elements, CONF_POSITION_UNWRITTEN; NULL if out of memory. */
static int32_t *alloc_unwritten(size_t n)
{
    int32_t *a = calloc(n + 1, sizeof *a);
    for (size_t i = 0; a && i < n; i++) a[i] = CONF_POSITION_UNWRITTEN;
    return a;
}

static bool open_model(conf_replay *r)
{
    assay_error err = {0};
    if (conf_items_divide(r->c->path, &r->c->decoder, &r->items, &err) != ASSAY_OK) {
        conf_verdict_set(r->verdict, CONF_BROKEN, "%s", err.text);
        return false;
    }
    r->verdict->stage = CONF_STAGE_MODEL_OPEN;
    const assay_model_options options = {.size = sizeof options, .allow_unknown = r->c->allow_unknown};
    assay_status rc = r->engine->model_open(r->c->model, &options, &r->model, &err);
    return rc == ASSAY_OK || conf_replay_refused(r, rc, &err);
}

/* out: [n_axes, n_tokens of the prompt] */
static bool ask_sample(conf_replay *r, size_t sample, int32_t *out, int32_t *delta)
{
    const conf_decoder *d = &r->c->decoder;
    assay_error err = {0};
    assay_step step = {.sample = sample,
                       .tokens = conf_prompt(d, sample),
                       .n_tokens = conf_prompt_length(d, sample),
                       .n_axes = r->c->positions.n_axes};
    step.items = conf_items_of(&r->items, sample, &step.n_items);
    assay_status rc = r->engine->positions(r->model, &step, out, delta, &err);
    return rc == ASSAY_OK || conf_replay_refused(r, rc, &err);
}

/* Stores a sample's answer [n_axes, n_tokens of the prompt] among those of all. */
static void store_sample(const conf_case *c, size_t sample, const int32_t *one, int32_t *all)
{
    const conf_decoder *d = &c->decoder;
    const size_t n = conf_prompt_length(d, sample);
    for (size_t a = 0; a < c->positions.n_axes; a++)
        memcpy(all + (a * d->n_samples + sample) * d->n_tokens + conf_prompt_padding(d, sample), one + a * n,
               n * sizeof *all);
}

static bool ask_samples(conf_replay *r, conf_positions_answer *answer)
{
    const conf_decoder *d = &r->c->decoder;
    bool ok = open_model(r);
    r->verdict->stage = ok ? CONF_STAGE_POSITIONS : r->verdict->stage;
    for (size_t b = 0; ok && b < d->n_samples; b++) {
        int32_t *one = alloc_unwritten(r->c->positions.n_axes * conf_prompt_length(d, b));
        ok = one ? ask_sample(r, b, one, &answer->delta[b]) : conf_replay_no_memory(r);
        if (ok) store_sample(r->c, b, one, answer->position);
        free(one);
    }
    return ok;
}

bool conf_replay_positions(conf_replay *r, conf_positions_answer *out)
{
    const conf_decoder *d = &r->c->decoder;
    r->verdict->stage = CONF_STAGE_POSITIONS;
    if (!r->engine->positions) {
        conf_verdict_set(r->verdict, CONF_SKIPPED, "the engine gives no positions");
        return false;
    }
    const size_t n = r->c->positions.n_axes * d->n_samples * d->n_tokens;
    conf_positions_answer a = {.position = alloc_unwritten(n), .delta = alloc_unwritten(d->n_samples)};
    const bool ok = a.position && a.delta ? ask_samples(r, &a) : conf_replay_no_memory(r);
    if (ok) *out = a;
    else conf_positions_answer_free(&a);
    return ok;
}

void conf_positions_answer_free(conf_positions_answer *a)
{
    free(a->position);
    free(a->delta);
    *a = (conf_positions_answer){0};
}
