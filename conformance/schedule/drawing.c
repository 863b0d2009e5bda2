/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/drawing.h"

#include <assert.h>

#include "conformance/support/draw.h"

enum { SAMPLES_MOST = 4, CHUNK_MOST = 4 };

size_t drawing_below(drawing *d, size_t n)
{
    return conf_draw_below(&d->state, n);
}

size_t drawing_few(drawing *d)
{
    return 1 + drawing_below(d, 2);
}

static void add_step(drawing *d, conf_step step)
{
    drawing_part *p = d->part;
    assert(p->n < DRAWING_PART_STEPS);
    p->steps[p->n++] = step;
}

size_t drawing_open(drawing *d, size_t thread)
{
    add_step(d, (conf_step){.op = CONF_OP_OPEN, .thread = thread, .model = d->n_models});
    return d->n_models++;
}

size_t drawing_load(drawing *d, size_t thread)
{
    add_step(d, (conf_step){.op = CONF_OP_LOAD, .thread = thread, .model = d->n_models});
    return d->n_models++;
}

void drawing_wait(drawing *d, size_t thread, size_t model)
{
    add_step(d, (conf_step){.op = CONF_OP_WAIT, .thread = thread, .model = model});
}

void drawing_close(drawing *d, size_t thread, size_t model)
{
    add_step(d, (conf_step){.op = CONF_OP_CLOSE, .thread = thread, .model = model});
}

size_t drawing_session(drawing *d, size_t thread, size_t model, size_t n)
{
    const size_t session = d->n_sessions++;
    if (n == 0 && !d->of->offer.join && !d->of->offer.fork) n = 1;
    assert(session < CONF_SCHEDULE_SESSIONS_MAX && n <= CONF_SCHEDULE_SAMPLES_MAX);
    conf_schedule_session *s = &d->to->sessions[session];
    s->n_samples = n;
    for (size_t k = 0; k < n; k++) s->prompts[k] = drawing_below(d, d->of->n_samples);
    d->samples[session] = (UINT32_C(1) << n) - 1;
    add_step(d, (conf_step){.op = CONF_OP_SESSION, .thread = thread, .model = model, .session = session});
    return session;
}

void drawing_row(drawing *d, size_t thread, size_t session, size_t sample)
{
    add_step(d, (conf_step){.op = CONF_OP_ROW, .thread = thread, .session = session, .sample = sample});
}

void drawing_free(drawing *d, size_t thread, size_t session)
{
    add_step(d, (conf_step){.op = CONF_OP_FREE, .thread = thread, .session = session});
    d->samples[session] = 0;
}

static void add_call(drawing *d, size_t thread, size_t session, uint32_t samples, size_t n_tokens)
{
    if (!samples) return;
    add_step(d, (conf_step){.op = CONF_OP_STEP,
                            .thread = thread,
                            .session = session,
                            .samples = samples,
                            .n_tokens = n_tokens,
                            .all_rows = n_tokens != 1 && drawing_below(d, 2)});
}

void drawing_prompts(drawing *d, size_t thread, size_t session)
{
    add_call(d, thread, session, d->samples[session], 0);
}

void drawing_tokens(drawing *d, size_t thread, size_t session)
{
    add_call(d, thread, session, d->samples[session], 1);
}

void drawing_chunk(drawing *d, size_t thread, size_t session)
{
    const uint32_t all = d->samples[session];
    const uint32_t some = all & (uint32_t)drawing_below(d, (size_t)1 << CONF_SCHEDULE_SAMPLES_MAX);
    add_call(d, thread, session, some ? some : all, 1 + drawing_below(d, CHUNK_MOST));
}

static size_t count_samples(uint32_t samples)
{
    size_t n = 0;
    for (; samples; samples &= samples - 1) n++;
    return n;
}

/* One of the samples of a session that has some. */
static size_t any_sample(drawing *d, size_t session)
{
    const uint32_t samples = d->samples[session];
    size_t skip = drawing_below(d, count_samples(samples)), k = 0;
    for (;; k++)
        if ((samples >> k & 1) && skip-- == 0) return k;
}

/* Gives a session another sample: its lowest number that is not in use. */
static size_t add_sample(drawing *d, size_t session)
{
    size_t k = 0;
    while (d->samples[session] >> k & 1) k++;
    d->samples[session] |= UINT32_C(1) << k;
    return k;
}

void drawing_join(drawing *d, size_t thread, size_t session)
{
    if (!d->of->offer.join || count_samples(d->samples[session]) >= SAMPLES_MOST) return;
    add_step(d, (conf_step){.op = CONF_OP_JOIN,
                            .thread = thread,
                            .session = session,
                            .sample = add_sample(d, session),
                            .prompt = drawing_below(d, d->of->n_samples)});
}

void drawing_fork(drawing *d, size_t thread, size_t from, size_t into)
{
    if (!d->of->offer.fork || !d->samples[from] || count_samples(d->samples[into]) >= SAMPLES_MOST) return;
    const size_t origin = any_sample(d, from);
    add_step(d, (conf_step){.op = CONF_OP_FORK,
                            .thread = thread,
                            .session = into,
                            .sample = add_sample(d, into),
                            .from = from,
                            .origin = origin});
}

static void add_leave(drawing *d, size_t thread, size_t session)
{
    if (!d->of->offer.leave || count_samples(d->samples[session]) < 2) return;
    const size_t sample = any_sample(d, session);
    add_step(d, (conf_step){.op = CONF_OP_LEAVE, .thread = thread, .session = session, .sample = sample});
    d->samples[session] &= ~(UINT32_C(1) << sample);
}

/* To any length up to a little more than the shortest prompt. */
static void add_rewind(drawing *d, size_t thread, size_t session)
{
    if (!d->of->offer.rewind || !d->samples[session]) return;
    const size_t sample = any_sample(d, session);
    add_step(d, (conf_step){.op = CONF_OP_REWIND,
                            .thread = thread,
                            .session = session,
                            .sample = sample,
                            .n_tokens = drawing_below(d, d->of->n_prompt + 3)});
}

void drawing_change(drawing *d, size_t thread, size_t session)
{
    switch (drawing_below(d, 5)) {
    case 0: drawing_join(d, thread, session); return;
    case 1: add_leave(d, thread, session); return;
    case 2: add_rewind(d, thread, session); return;
    case 3: drawing_fork(d, thread, session, session); return;
    default: drawing_chunk(d, thread, session); return;
    }
}
