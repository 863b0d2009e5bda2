/* The samples of a test engine's session that evaluates the formula model: the state after each token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_SAMPLES_H
#define CONFORMANCE_TESTS_ENGINES_SAMPLES_H

#include <assay/engine.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/fail.h"
#include "conformance/tests/engines/formula.h"

/* state: [n_tokens], the state after each token; capacity: its allocated elements.
 * left:  the last state before a rewind or a leave, for engines that keep it by mistake.
 * padding: of the step that the sample began with, for engines that err if they pad; set by the engine. */
typedef struct test_sample {
    bool is_live;
    size_t n_tokens, capacity, padding;
    uint32_t *state, left;
} test_sample;

typedef struct test_samples {
    size_t n;
    test_sample *at; /* [n], live or not */
} test_samples;

static inline void samples_free(test_samples *s)
{
    for (size_t i = 0; i < s->n; i++) free(s->at[i].state);
    free(s->at);
    *s = (test_samples){0};
}

static inline test_sample *samples_find(const test_samples *s, size_t index)
{
    return index < s->n && s->at[index].is_live ? &s->at[index] : NULL;
}

/* The state after the first n tokens. */
static inline uint32_t sample_state(const test_sample *s, size_t n)
{
    return n ? s->state[n - 1] : 0;
}

static inline assay_status samples_join(test_samples *s, size_t *out, assay_error *err)
{
    size_t i = 0;
    while (i < s->n && s->at[i].is_live) i++;
    if (i == s->n) {
        test_sample *grown = realloc(s->at, (s->n + 1) * sizeof *grown);
        if (!grown) return fail(err, ASSAY_ENOMEM, "out of memory");
        s->at = grown;
        s->at[s->n++] = (test_sample){0};
    }
    s->at[i].is_live = true;
    *out = i;
    return ASSAY_OK;
}

/* Initialises *s with n samples. On failure it is empty. */
static inline assay_status samples_open(test_samples *s, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    *s = (test_samples){0};
    for (size_t i = 0, sample; rc == ASSAY_OK && i < n; i++) rc = samples_join(s, &sample, err);
    if (rc != ASSAY_OK) samples_free(s);
    return rc;
}

static inline assay_status samples_rewind(test_samples *s, size_t index, size_t n_tokens, assay_error *err)
{
    test_sample *one = samples_find(s, index);
    if (!one) return fail(err, ASSAY_EINVAL, "there is no sample %zu", index);
    if (n_tokens > one->n_tokens)
        return fail(err, ASSAY_EINVAL, "sample %zu has only %zu tokens", index, one->n_tokens);
    if (one->n_tokens) one->left = sample_state(one, one->n_tokens);
    one->n_tokens = n_tokens;
    return ASSAY_OK;
}

static inline assay_status samples_leave(test_samples *s, size_t index, assay_error *err)
{
    assay_status rc = samples_rewind(s, index, 0, err);
    if (rc == ASSAY_OK) s->at[index].is_live = false;
    return rc;
}

/* Makes room for n more tokens. */
static inline assay_status sample_reserve(test_sample *s, size_t n, assay_error *err)
{
    if (s->n_tokens + n <= s->capacity) return ASSAY_OK;
    size_t capacity = 2 * (s->n_tokens + n);
    uint32_t *grown = realloc(s->state, capacity * sizeof *grown);
    if (!grown) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->state = grown;
    s->capacity = capacity;
    return ASSAY_OK;
}

static inline assay_status samples_fork(const test_samples *from, size_t index, test_samples *into,
                                        size_t *forked, assay_error *err)
{
    size_t i = 0;
    if (!samples_find(from, index)) return fail(err, ASSAY_EINVAL, "there is no sample %zu", index);
    assay_status rc = samples_join(into, &i, err);
    if (rc != ASSAY_OK) return rc;
    const test_sample *one = &from->at[index];
    rc = sample_reserve(&into->at[i], one->n_tokens, err);
    if (rc != ASSAY_OK) {
        into->at[i].is_live = false;
        return rc;
    }
    if (one->n_tokens) memcpy(into->at[i].state, one->state, one->n_tokens * sizeof *one->state);
    into->at[i].n_tokens = one->n_tokens;
    into->at[i].padding = one->padding;
    *forked = i;
    return ASSAY_OK;
}

/* Checks one step of a sample. */
static inline assay_status samples_check_step(const test_samples *s, const assay_step *step, assay_error *err)
{
    if (!samples_find(s, step->sample))
        return fail(err, ASSAY_EINVAL, "there is no sample %zu", step->sample);
    if (step->n_tokens == 0) return fail(err, ASSAY_EINVAL, "a step without tokens");
    if (step->n_items) return fail(err, ASSAY_EUNSUPPORTED, "an input that this engine does not know");
    if (step->positions) return fail(err, ASSAY_EUNSUPPORTED, "positions are not supported");
    for (size_t i = 0; i < step->n_tokens; i++)
        if (step->tokens[i] < 0 || step->tokens[i] >= FORMULA_VOCAB)
            return fail(err, ASSAY_EINVAL, "token %" PRId32 " is outside the vocabulary", step->tokens[i]);
    for (size_t i = 0; i < step->n_outputs; i++) {
        if (strcmp(step->outputs[i].name, "logits") != 0)
            return fail(err, ASSAY_EUNSUPPORTED, "there is no output %s", step->outputs[i].name);
        if (step->outputs[i].n_last == 0 || step->outputs[i].n_last > step->n_tokens)
            return fail(err, ASSAY_EINVAL, "%zu rows of %zu tokens", step->outputs[i].n_last, step->n_tokens);
    }
    return ASSAY_OK;
}

/* Checks the steps of a call, and reserves their tokens. No sample is changed. */
static inline assay_status samples_check(test_samples *s, const assay_step *steps, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        rc = samples_check_step(s, &steps[i], err);
        for (size_t j = 0; rc == ASSAY_OK && j < i; j++)
            if (steps[j].sample == steps[i].sample)
                rc = fail(err, ASSAY_EINVAL, "sample %zu has two steps", steps[i].sample);
        if (rc == ASSAY_OK) rc = sample_reserve(&s->at[steps[i].sample], steps[i].n_tokens, err);
    }
    return rc;
}

/* Appends checked tokens to a sample; `state` is the one before the first. */
static inline void sample_append(test_sample *s, uint32_t state, const int32_t *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) s->state[s->n_tokens++] = state = formula_step(state, tokens[i]);
}

/* Takes the tokens of a call away again. */
static inline void samples_undo(test_samples *s, const assay_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) s->at[steps[i].sample].n_tokens -= steps[i].n_tokens;
}

/* The width that an engine pads a step's samples to. */
static inline size_t samples_width(const assay_step *steps, size_t n, const assay_step_options *options)
{
    size_t width = options->padded_width;
    for (size_t i = 0; i < n; i++)
        if (steps[i].n_tokens > width) width = steps[i].n_tokens;
    return width;
}

/* Whether a step of the call begins a sample. */
static inline bool samples_begin(const test_samples *s, const assay_step *steps, size_t n)
{
    bool begin = false;
    for (size_t i = 0; i < n; i++) begin = begin || s->at[steps[i].sample].n_tokens == 0;
    return begin;
}

#endif
