/* SPDX-License-Identifier: Apache-2.0 */
#include "server/tests/toy.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

#define SAMPLES_MOST 64

typedef struct toy_sample {
    bool present;
    int32_t *tokens; /* [n] */
    size_t n;
} toy_sample;

struct assay_session {
    toy_sample samples[SAMPLES_MOST];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    toy_counts counts;
    bool refuses_division, holds, is_held, is_broken;
    size_t n_allowed;
} toy = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static char the_model;

toy_counts toy_count(void)
{
    (void)pthread_mutex_lock(&toy.lock);
    const toy_counts counts = toy.counts;
    (void)pthread_mutex_unlock(&toy.lock);
    return counts;
}

void toy_reset(bool refuses_division)
{
    (void)pthread_mutex_lock(&toy.lock);
    toy.counts = (toy_counts){.n_samples = toy.counts.n_samples};
    toy.refuses_division = refuses_division;
    toy.holds = toy.is_held = toy.is_broken = false;
    (void)pthread_mutex_unlock(&toy.lock);
}

void toy_hold(void)
{
    (void)pthread_mutex_lock(&toy.lock);
    toy.holds = true;
    toy.n_allowed = 0;
    (void)pthread_mutex_unlock(&toy.lock);
}

void toy_allow(size_t n)
{
    (void)pthread_mutex_lock(&toy.lock);
    toy.n_allowed += n;
    toy.is_held = false;
    (void)pthread_cond_broadcast(&toy.changed);
    (void)pthread_mutex_unlock(&toy.lock);
}

void toy_break(void)
{
    (void)pthread_mutex_lock(&toy.lock);
    toy.is_broken = true;
    (void)pthread_mutex_unlock(&toy.lock);
}

void toy_run(void)
{
    (void)pthread_mutex_lock(&toy.lock);
    toy.holds = false;
    (void)pthread_cond_broadcast(&toy.changed);
    (void)pthread_mutex_unlock(&toy.lock);
}

bool toy_wait_held(void)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    (void)pthread_mutex_lock(&toy.lock);
    int rc = 0;
    while (!toy.is_held && rc == 0) rc = pthread_cond_timedwait(&toy.changed, &toy.lock, &until);
    const bool held = toy.is_held;
    (void)pthread_mutex_unlock(&toy.lock);
    return held;
}

static assay_status model_open(const char *dir, const assay_model_options *options, assay_model **out,
                               assay_error *err)
{
    (void)dir;
    (void)options;
    (void)err;
    *out = (assay_model *)(void *)&the_model;
    return ASSAY_OK;
}

static void model_free(assay_model *m)
{
    (void)m;
}

static size_t model_vocab(const assay_model *m)
{
    (void)m;
    return TOY_VOCAB;
}

static const int32_t *model_stop_ids(const assay_model *m, size_t *n)
{
    static const int32_t ids[] = {TOY_STOP};
    (void)m;
    *n = 1;
    return ids;
}

static void count_samples(size_t n_more, size_t n_fewer)
{
    (void)pthread_mutex_lock(&toy.lock);
    toy.counts.n_samples += n_more;
    toy.counts.n_samples -= n_fewer;
    (void)pthread_mutex_unlock(&toy.lock);
}

static assay_status session_open(assay_model *m, const assay_session_options *options, assay_session **out,
                                 assay_error *err)
{
    assay_session *s = calloc(1, sizeof *s);
    (void)m;
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "toy: out of memory");
    for (size_t i = 0; i < options->n_samples; i++) s->samples[i].present = true;
    count_samples(options->n_samples, 0);
    *out = s;
    return ASSAY_OK;
}

static void drop_sample(toy_sample *sample)
{
    free(sample->tokens);
    *sample = (toy_sample){0};
    count_samples(0, 1);
}

static void session_free(assay_session *s)
{
    for (size_t i = 0; s && i < SAMPLES_MOST; i++)
        if (s->samples[i].present) drop_sample(&s->samples[i]);
    free(s);
}

/* The number of a free sample; SAMPLES_MOST: none. */
static size_t find_free(const assay_session *s)
{
    size_t i = 0;
    while (i < SAMPLES_MOST && s->samples[i].present) i++;
    return i;
}

static assay_status join(assay_session *s, size_t *sample, assay_error *err)
{
    const size_t i = find_free(s);
    if (i == SAMPLES_MOST) return assay_fail(err, ASSAY_ENOMEM, "toy: too many samples");
    s->samples[i].present = true;
    count_samples(1, 0);
    *sample = i;
    return ASSAY_OK;
}

static assay_status leave(assay_session *s, size_t sample, assay_error *err)
{
    if (!s->samples[sample].present) return assay_fail(err, ASSAY_EINVAL, "toy: no such sample");
    drop_sample(&s->samples[sample]);
    return ASSAY_OK;
}

static assay_status fork_sample(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                                assay_error *err)
{
    const toy_sample *origin = &from->samples[sample];
    const size_t i = find_free(into);
    if (i == SAMPLES_MOST) return assay_fail(err, ASSAY_ENOMEM, "toy: too many samples");
    toy_sample *copy = &into->samples[i];
    *copy = (toy_sample){.present = true, .n = origin->n};
    copy->tokens = malloc((origin->n + 1) * sizeof *copy->tokens);
    memcpy(copy->tokens, origin->tokens, origin->n * sizeof *copy->tokens);
    count_samples(1, 0);
    (void)pthread_mutex_lock(&toy.lock);
    toy.counts.n_forked++;
    (void)pthread_mutex_unlock(&toy.lock);
    *forked = i;
    return ASSAY_OK;
}

/* Waits while steps are held, and counts the step. Returns whether it is to fail. */
static bool enter_step(const assay_step *steps, size_t n)
{
    (void)pthread_mutex_lock(&toy.lock);
    while (toy.holds && toy.n_allowed == 0) {
        toy.is_held = true;
        (void)pthread_cond_broadcast(&toy.changed);
        (void)pthread_cond_wait(&toy.changed, &toy.lock);
    }
    toy.is_held = false;
    if (toy.holds) toy.n_allowed--;
    toy.counts.n_steps++;
    if (n > toy.counts.most_samples) toy.counts.most_samples = n;
    for (size_t i = 0; i < n; i++) {
        toy.counts.n_tokens += steps[i].n_tokens;
        if (steps[i].n_tokens > toy.counts.longest_step) toy.counts.longest_step = steps[i].n_tokens;
    }
    const bool fails = toy.is_broken;
    (void)pthread_mutex_unlock(&toy.lock);
    return fails;
}

/* The logits after tokens[0..n). The stop token comes after 23, 46, … tokens at the earliest. */
static void write_row(const int32_t *tokens, size_t n, float *row)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (uint32_t)tokens[i]) * 16777619U;
    for (size_t i = 0; i < TOY_VOCAB; i++) {
        hash = hash * 1664525U + 1013904223U;
        row[i] = (float)(hash >> 16) / 4096;
    }
    row[TOY_FAILS] = -100;
    row[TOY_STOP] = n % 23 == 0 ? 100 : -100;
}

static assay_status check_steps(const assay_session *s, const assay_step *steps, size_t n, assay_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const toy_sample *sample = &s->samples[steps[i].sample];
        if (!sample->present) return assay_fail(err, ASSAY_EINVAL, "toy: no such sample");
        for (size_t k = 0; k < steps[i].n_tokens; k++)
            if (steps[i].tokens[k] == TOY_FAILS)
                return assay_fail(err, ASSAY_EINTERNAL, "toy: found token %d", TOY_FAILS);
        if (toy.refuses_division && sample->n > 0 && steps[i].n_tokens > 1)
            return assay_fail(err, ASSAY_EUNSUPPORTED, "toy: the prompt is divided");
    }
    return ASSAY_OK;
}

static assay_status step(assay_session *s, const assay_step *steps, size_t n,
                         const assay_step_options *options, assay_error *err)
{
    (void)options;
    if (enter_step(steps, n)) return assay_fail(err, ASSAY_EINTERNAL, "toy: it is broken");
    const assay_status rc = check_steps(s, steps, n, err);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        toy_sample *sample = &s->samples[steps[i].sample];
        const size_t end = sample->n + steps[i].n_tokens;
        sample->tokens = realloc(sample->tokens, end * sizeof *sample->tokens);
        memcpy(sample->tokens + sample->n, steps[i].tokens, steps[i].n_tokens * sizeof *sample->tokens);
        sample->n = end;
        const size_t n_last = steps[i].n_outputs ? steps[i].outputs->n_last : 0;
        for (size_t k = 0; k < n_last; k++)
            write_row(sample->tokens, end - n_last + k + 1, (float *)steps[i].outputs->data + k * TOY_VOCAB);
    }
    return rc;
}

#define TOY_MEMBERS                                                                                          \
    .abi = ASSAY_ENGINE_ABI, .size = sizeof(assay_engine), .name = "toy", .version = "0",                    \
    .logits_dtype = ASSAY_F32, .model_open = model_open, .model_free = model_free,                           \
    .model_vocab = model_vocab, .model_stop_ids = model_stop_ids, .session_open = session_open,              \
    .session_free = session_free, .step = step

const assay_engine toy_engine = {TOY_MEMBERS, .join = join, .leave = leave, .fork = fork_sample};
const assay_engine toy_engine_without_fork = {TOY_MEMBERS, .join = join, .leave = leave};
const assay_engine toy_engine_alone = {TOY_MEMBERS};
