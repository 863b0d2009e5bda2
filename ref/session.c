/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/session.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "ref/forward.h"
#include "ref/sample.h"
#include "ref/step.h"
#include "runtime/array_list.h"
#include "runtime/cache_limit.h"

struct assay_session {
    const plan *plan;
    ref_limit limit;
    assay_tap tap; /* fn NULL: none */
    ref_sample *samples;
    size_t n_samples, capacity; /* number of slots, used or not */
};

static assay_status check_reserved(uint32_t reserved, const char *what, assay_error *err)
{
    if (reserved == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: reserved: found %lu, expected 0", what,
                      (unsigned long)reserved);
}

static assay_status check_sample(const assay_session *s, size_t sample, const char *function,
                                 assay_error *err)
{
    if (sample < s->n_samples && s->samples[sample].is_used) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "%s: the session has no sample %zu", function, sample);
}

assay_status ref_session_open(const plan *p, const assay_session_options *given, assay_session **out,
                              assay_error *err)
{
    assay_session_options options;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc == ASSAY_OK) rc = check_reserved(options.reserved, "assay_session_options", err);
    if (rc == ASSAY_OK) rc = cache_limit_check(options.limit, options.sink_tokens, err);
    if (rc != ASSAY_OK) return rc;
    assay_session *s = calloc(1, sizeof *s);
    size_t capacity = 0;
    ref_sample *samples = grow_to(NULL, &capacity, options.n_samples, sizeof *samples);
    if (!s || !samples) {
        free(s);
        free(samples);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory for %zu samples", p->dir, options.n_samples);
    }
    for (size_t b = 0; b < options.n_samples; b++) samples[b] = (ref_sample){.is_used = true};
    *s = (assay_session){.plan = p,
                         .limit = {options.limit ? options.limit : SIZE_MAX, options.sink_tokens},
                         .samples = samples,
                         .n_samples = options.n_samples,
                         .capacity = capacity};
    *out = s;
    return ASSAY_OK;
}

void ref_session_free(assay_session *s)
{
    if (!s) return;
    for (size_t b = 0; b < s->n_samples; b++) ref_sample_clear(&s->samples[b]);
    free(s->samples);
    free(s);
}

/* Puts a sample into the first slot that is not used. Takes its arrays over if it succeeds. */
static assay_status add_sample(assay_session *s, ref_sample added, size_t *sample, assay_error *err)
{
    size_t b = 0;
    while (b < s->n_samples && s->samples[b].is_used) b++;
    if (b == s->n_samples) {
        ref_sample *grown = grow_to(s->samples, &s->capacity, b + 1, sizeof *grown);
        if (!grown) return assay_fail(err, ASSAY_ENOMEM, "out of memory for %zu samples", b + 1);
        s->samples = grown;
        s->n_samples++;
    }
    s->samples[b] = added;
    *sample = b;
    return ASSAY_OK;
}

assay_status ref_session_join(assay_session *s, size_t *sample, assay_error *err)
{
    return add_sample(s, (ref_sample){.is_used = true}, sample, err);
}

assay_status ref_session_leave(assay_session *s, size_t sample, assay_error *err)
{
    assay_status rc = check_sample(s, sample, "leave", err);
    if (rc != ASSAY_OK) return rc;
    ref_sample_clear(&s->samples[sample]);
    return ASSAY_OK;
}

assay_status ref_session_rewind(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    assay_status rc = check_sample(s, sample, "rewind", err);
    if (rc != ASSAY_OK) return rc;
    if (n_tokens > s->samples[sample].n_tokens)
        return assay_fail(err, ASSAY_EINVAL, "rewind: sample %zu: found n_tokens %zu, expected at most %zu",
                          sample, n_tokens, s->samples[sample].n_tokens);
    ref_sample_rewind(&s->samples[sample], n_tokens);
    return ASSAY_OK;
}

assay_status ref_session_fork(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                              assay_error *err)
{
    assay_status rc = check_sample(from, sample, "fork", err);
    if (rc != ASSAY_OK) return rc;
    if (from->plan != into->plan)
        return assay_fail(err, ASSAY_EINVAL, "fork: the sessions have different models");
    if (from->limit.limit != into->limit.limit || from->limit.sink_tokens != into->limit.sink_tokens)
        return assay_fail(err, ASSAY_EINVAL, "fork: the sessions have different limits");
    ref_sample copy;
    if (!ref_sample_copy(&from->samples[sample], &copy))
        return assay_fail(err, ASSAY_ENOMEM, "fork: sample %zu: out of memory for %zu tokens", sample,
                          from->samples[sample].n_tokens);
    rc = add_sample(into, copy, forked, err);
    if (rc != ASSAY_OK) ref_sample_clear(&copy);
    return rc;
}

assay_status ref_session_tap(assay_session *s, const assay_tap *given, assay_error *err)
{
    assay_tap tap;
    assay_status rc = assay_options_read(&tap, sizeof tap, given, "assay_tap", err);
    if (rc == ASSAY_OK) rc = check_reserved(tap.reserved, "assay_tap", err);
    if (rc == ASSAY_OK && tap.n_names && !tap.names)
        rc = assay_fail(err, ASSAY_EINVAL, "assay_tap: names is NULL, expected %zu names", tap.n_names);
    if (rc == ASSAY_OK) s->tap = tap;
    return rc;
}

static assay_status check_steps(const assay_session *s, const assay_step *steps, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        rc = check_sample(s, steps[i].sample, "step", err);
        for (size_t j = 0; rc == ASSAY_OK && j < i; j++)
            if (steps[j].sample == steps[i].sample)
                rc = assay_fail(err, ASSAY_EINVAL, "step: sample %zu is repeated", steps[i].sample);
        if (rc != ASSAY_OK) break; /* the sample may not exist */
        const ref_sample *sample = &s->samples[steps[i].sample];
        rc = ref_step_check(s->plan, &steps[i], sample->n_tokens, ref_sample_next(s->plan, sample), err);
        if (rc == ASSAY_OK) rc = ref_step_check_block(s->plan, &steps[i], sample, err);
    }
    return rc;
}

/* sample: the step's sample, with the tokens of the step. */
static assay_status evaluate_sample(const assay_session *s, const assay_step *step, const ref_sample *sample,
                                    assay_error *err)
{
    if (step->n_outputs == 0 && !s->tap.fn) return ASSAY_OK;
    const size_t n_before = s->samples[step->sample].n_tokens;
    const size_t n_rows = step->n_outputs ? step->outputs[0].n_last : 0;
    const ref_tracer tracer = {
        .tap = s->tap.fn ? &s->tap : NULL, .sample = step->sample, .first_row = n_before};
    return ref_forward(s->plan, sample, sample->n_tokens - n_rows, s->limit, tracer,
                       step->n_outputs ? step->outputs[0].data : NULL, err);
}

/* Replaces the steps' samples by the longer ones, and empties those. Cannot fail, so that either all samples
 * go on or none. */
static void store_samples(assay_session *s, const assay_step *steps, size_t n, ref_sample *longer)
{
    for (size_t i = 0; i < n; i++) {
        ref_sample_clear(&s->samples[steps[i].sample]);
        s->samples[steps[i].sample] = longer[i];
        longer[i] = (ref_sample){0};
    }
}

assay_status ref_session_step(assay_session *s, const assay_step *steps, size_t n,
                              const assay_step_options *given, assay_error *err)
{
    assay_step_options options; /* padded_width: there is no padding here */
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = check_reserved(options.reserved, "assay_step_options", err);
    if (rc == ASSAY_OK) rc = array_list_require(s->plan->arrays, err);
    if (rc == ASSAY_OK) rc = check_steps(s, steps, n, err);
    if (rc != ASSAY_OK || n == 0) return rc;
    ref_sample *longer = calloc(n, sizeof *longer); /* [n], each sample after the step */
    if (!longer) return assay_fail(err, ASSAY_ENOMEM, "step: out of memory for %zu samples", n);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = ref_sample_extend(s->plan, &s->samples[steps[i].sample], &steps[i], &longer[i], err);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = evaluate_sample(s, &steps[i], &longer[i], err);
    if (rc == ASSAY_OK) store_samples(s, steps, n, longer);
    for (size_t i = 0; i < n; i++) ref_sample_clear(&longer[i]);
    free(longer);
    return rc;
}
