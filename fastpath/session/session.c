/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "fastpath/forward.h"
#include "fastpath/session/sample_features.h"
#include "fastpath/tower/tower.h"
#include "model/plan/mask.h"
#include "runtime/cache_limit.h"

struct fp_session {
    const fp_model *model;
    fp_cache_spec *limited;    /* [n_layers]; NULL: no limit, the model's specs are used */
    size_t limit, sink_tokens; /* SIZE_MAX and 0 without a limit */
    fp_sample *samples;        /* [n_samples], including unused slots */
    size_t n_samples;
    size_t chunk;
    fp_scratch scratch;
    fp_feature_cache features;
};

assay_status fp_session_open(const fp_model *m, fp_session **out, assay_error *err)
{
    fp_session *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "session: out of memory");
    s->model = m;
    s->chunk = FP_CHUNK;
    s->limit = SIZE_MAX;
    s->features.most_bytes = FP_FEATURES_BYTES;
    *out = s;
    return ASSAY_OK;
}

void fp_session_free(fp_session *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_samples; i++) fp_sample_free(&s->samples[i]);
    free(s->samples);
    free(s->limited);
    fp_scratch_free(&s->scratch);
    fp_feature_cache_free(&s->features);
    free(s);
}

void fp_session_features(fp_session *s, size_t n_bytes)
{
    s->features.most_bytes = n_bytes;
    fp_feature_cache_trim(&s->features);
}

void fp_session_chunk(fp_session *s, size_t n_rows)
{
    assert(n_rows > 0);
    s->chunk = n_rows;
}

assay_status fp_session_limit(fp_session *s, size_t limit, size_t sink_tokens, assay_error *err)
{
    const size_t n = s->model->plan->n_layers;
    assert(s->n_samples == 0);
    assay_status rc = cache_limit_check(limit, sink_tokens, err);
    if (rc != ASSAY_OK) return rc;
    if (limit == 0) limit = SIZE_MAX;
    fp_cache_spec *limited = limit == SIZE_MAX ? NULL : calloc(n, sizeof *limited);
    if (!limited && limit != SIZE_MAX) return assay_fail(err, ASSAY_ENOMEM, "session: out of memory");
    if (limited) {
        memcpy(limited, s->model->caches, n * sizeof *limited);
        fp_cache_limit(s->model->plan, limit, sink_tokens, limited);
    }
    free(s->limited);
    s->limited = limited;
    s->limit = limit;
    s->sink_tokens = limited ? sink_tokens : 0;
    return ASSAY_OK;
}

static fp_sample *find_sample(const fp_session *s, size_t slot)
{
    return slot < s->n_samples && s->samples[slot].in_use ? &s->samples[slot] : NULL;
}

static assay_status no_sample(const char *where, size_t slot, assay_error *err)
{
    return assay_fail(err, ASSAY_EINVAL, "%s: sample %zu: the session has no sample of this number", where,
                      slot);
}

/* Finds or adds an unused slot; s->n_samples if out of memory, or FP_SAMPLES_MAX if all are in use. */
static size_t free_slot(fp_session *s)
{
    for (size_t i = 0; i < s->n_samples; i++)
        if (!s->samples[i].in_use) return i;
    if (s->n_samples == FP_SAMPLES_MAX) return FP_SAMPLES_MAX;
    fp_sample *grown = grow_by_one(s->samples, s->n_samples, sizeof *grown);
    if (!grown) return s->n_samples;
    s->samples = grown;
    s->samples[s->n_samples] = (fp_sample){0};
    return s->n_samples++;
}

assay_status fp_session_join(fp_session *s, size_t *slot, assay_error *err)
{
    size_t at = free_slot(s);
    if (at == FP_SAMPLES_MAX)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "session: found %zu samples, expected at most %zu", at + 1,
                          FP_SAMPLES_MAX);
    fp_sample *one = at < s->n_samples ? &s->samples[at] : NULL;
    const fp_cache_spec *spec = s->limited ? s->limited : s->model->caches;
    if (!one || fp_state_open(&one->state, spec, s->model->plan->n_layers) != ASSAY_OK)
        return assay_fail(err, ASSAY_ENOMEM, "session: out of memory for sample %zu", at);
    one->in_use = true;
    *slot = at;
    return ASSAY_OK;
}

assay_status fp_session_leave(fp_session *s, size_t slot, assay_error *err)
{
    fp_sample *one = find_sample(s, slot);
    if (!one) return no_sample("leave", slot, err);
    fp_sample_free(one);
    fp_feature_cache_trim(&s->features);
    return ASSAY_OK;
}

assay_status fp_session_fork(const fp_session *from, size_t slot, fp_session *into, size_t *forked,
                             assay_error *err)
{
    size_t at;
    if (!find_sample(from, slot)) return no_sample("fork", slot, err);
    if (into->model != from->model)
        return assay_fail(err, ASSAY_EINVAL,
                          "fork: found a session of another model (%s), expected one of %s",
                          into->model->plan->dir, from->model->plan->dir);
    if (into->limit != from->limit || into->sink_tokens != from->sink_tokens)
        return assay_fail(err, ASSAY_EINVAL, "fork: found a session with other limits, expected the same");
    assay_status rc = fp_session_join(into, &at, err);
    if (rc != ASSAY_OK) return rc;
    const fp_sample *origin = find_sample(from, slot);
    fp_sample *to = find_sample(into, at);
    if (!fp_sample_copy(to, origin) || !fp_sample_keep(to, &into->features)) {
        fp_sample_free(to);
        return assay_fail(err, ASSAY_ENOMEM, "session: out of memory for a fork of sample %zu", slot);
    }
    *forked = at;
    return ASSAY_OK;
}

assay_status fp_session_rewind(fp_session *s, size_t slot, size_t n_tokens, assay_error *err)
{
    fp_sample *one = find_sample(s, slot);
    if (!one) return no_sample("rewind", slot, err);
    if (n_tokens > one->n_tokens)
        return assay_fail(err, ASSAY_EINVAL, "rewind: sample %zu: found length %zu, expected at most %zu",
                          slot, n_tokens, one->n_tokens);
    fp_sample_rewind(one, s->model->plan, n_tokens);
    fp_feature_cache_trim(&s->features);
    return ASSAY_OK;
}

size_t fp_session_length(const fp_session *s, size_t slot)
{
    const fp_sample *one = find_sample(s, slot);
    return one ? one->n_tokens : 0;
}

static assay_status check_steps(const fp_session *s, const fp_step *steps, size_t n_steps, assay_error *err)
{
    for (size_t i = 0; i < n_steps; i++) {
        const fp_sample *one = find_sample(s, steps[i].slot);
        if (!one) return no_sample("step", steps[i].slot, err);
        for (size_t j = 0; j < i; j++)
            if (steps[j].slot == steps[i].slot)
                return assay_fail(err, ASSAY_EINVAL, "step: sample %zu: found twice, expected once",
                                  steps[i].slot);
        const assay_status rc = fp_step_check(s->model->plan, one, &steps[i], err);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

/* Appends a step's tokens to its sample, and resets its state if they change the RoPE frequencies. */
static assay_status append_tokens(fp_session *s, const fp_step *step, assay_error *err)
{
    fp_sample *one = find_sample(s, step->slot);
    const assay_step appended = {.sample = step->slot,
                                 .tokens = step->tokens,
                                 .n_tokens = step->n_tokens,
                                 .positions = step->positions,
                                 .n_axes = step->n_axes,
                                 .items = step->items,
                                 .n_items = step->n_items};
    const assay_status rc = fp_sample_append(one, s->model->plan, &appended, err);
    if (rc != ASSAY_OK) return rc;
    const size_t length = fp_positions_length(&one->positions, one->n_tokens);
    if (!fp_model_has_same_rope(s->model, one->length, length)) fp_state_reset(&one->state);
    one->length = length;
    return ASSAY_OK;
}

/* The number of a sample's tokens from `from` on that fit into `most` rows without dividing a block. If the
 * first block alone does not fit: the whole block in an empty pass, otherwise 0. */
static size_t count_rows(const plan_sequence *s, size_t from, size_t most, bool is_empty)
{
    size_t cut = s->n - from < most ? s->n : from + most;
    if (!plan_divides_block(s, cut)) return cut - from;
    while (cut > from && plan_is_in_block(s, cut - 1)) cut--;
    if (cut == from && is_empty)
        while (cut < s->n && plan_is_in_block(s, cut)) cut++;
    return cut - from;
}

/* Gets the next rows of a sample, at most `most`, or a longer block if the pass is empty. Returns their
 * number, 0 if none is left or fits. */
static size_t next_run(const fp_session *s, const fp_step *step, size_t most, bool is_empty, fp_run *run)
{
    fp_sample *one = find_sample(s, step->slot);
    size_t from = one->state.n_tokens;
    const plan_sequence all = media_list_sequence(&one->media, s->model->plan, one->tokens, one->n_tokens);
    size_t n = count_rows(&all, from, most, is_empty);
    size_t first_logit = one->n_tokens - step->n_logits; /* position of the first logits row */
    size_t n_logits = from + n > first_logit ? from + n - first_logit : 0;
    *run = (fp_run){.state = &one->state,
                    .tokens = one->tokens + from,
                    .positions = one->positions.list ? one->positions.list + from * ROPE_AXES_MAX : NULL,
                    .n_rows = n,
                    .sample = step->slot,
                    .n_image = all.n_image,
                    .length = one->length,
                    .n_logits = n_logits < n ? n_logits : n};
    if (run->n_logits)
        run->logits = step->logits + (from + n - run->n_logits - first_logit) * s->model->plan->vocab;
    return n;
}

static const fp_tracer NO_TRACER = {0};

/* Finds the features of the rows of a pass. runs: of some of the steps, in their order. */
static assay_status place_features(fp_session *s, const fp_step *steps, size_t n_steps, fp_run *runs,
                                   size_t n_runs, size_t n_rows)
{
    if (!s->model->plan->vision.present && !s->model->plan->audio.present) return ASSAY_OK;
    fp_placed *placed = fp_scratch_alloc(&s->scratch, n_rows, 1, sizeof *placed);
    size_t *scratch = placed ? fp_scratch_alloc(&s->scratch, n_rows, 2, sizeof *scratch) : NULL;
    fp_sight *sight = scratch ? fp_scratch_alloc(&s->scratch, n_rows, 1, sizeof *sight) : NULL;
    if (!sight) return ASSAY_ENOMEM;
    for (size_t i = 0, j = 0; i < n_steps && j < n_runs; i++) {
        const fp_sample *one = find_sample(s, steps[i].slot);
        fp_run *run = &runs[j];
        if (run->state != &one->state) continue;
        if (fp_sample_place(one, s->model->plan, one->state.n_tokens, run->n_rows, scratch,
                            placed + run->first_row))
            run->placed = placed + run->first_row;
        if (fp_sample_see(one, one->state.n_tokens, run->n_rows, sight + run->first_row)) {
            run->cross = one->cross;
            run->sight = sight + run->first_row;
        }
        j++;
    }
    return ASSAY_OK;
}

/* Evaluates one pass with at most `most` rows of the steps, or one longer block. Sets *n_rows to 0 if no row
 * is left. */
static assay_status run_pass(fp_session *s, const fp_step *steps, size_t n_steps, size_t most,
                             const fp_tracer *tracer, size_t *n_rows)
{
    size_t n_runs = 0, mark = s->scratch.n;
    fp_run *runs = fp_scratch_alloc(&s->scratch, n_steps, 1, sizeof *runs);
    *n_rows = 0;
    for (size_t i = 0; runs && i < n_steps && *n_rows < most; i++) {
        size_t n = next_run(s, &steps[i], most - *n_rows, n_runs == 0, &runs[n_runs]);
        if (n == 0) continue;
        runs[n_runs++].first_row = *n_rows;
        *n_rows += n;
    }
    assay_status rc = runs ? ASSAY_OK : ASSAY_ENOMEM;
    if (n_runs) rc = place_features(s, steps, n_steps, runs, n_runs, *n_rows);
    if (rc == ASSAY_OK && n_runs) rc = fp_forward(s->model, &s->scratch, tracer, runs, n_runs);
    for (size_t i = 0; rc == ASSAY_OK && i < n_runs; i++) fp_state_advance(runs[i].state, runs[i].n_rows);
    s->scratch.n = mark;
    return rc;
}

static assay_status run_passes(fp_session *s, const fp_step *steps, size_t n_steps, size_t most,
                               const fp_tracer *tracer)
{
    size_t n_rows = 1;
    assay_status rc = ASSAY_OK;
    while (rc == ASSAY_OK && n_rows > 0) rc = run_pass(s, steps, n_steps, most, tracer, &n_rows);
    return rc;
}

static assay_status run_untraced(fp_session *s, const fp_step *steps, size_t n_steps)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n_steps; i++)
        rc = fp_sample_evaluate(find_sample(s, steps[i].slot), s->model, &s->features);
    return rc == ASSAY_OK ? run_passes(s, steps, n_steps, s->chunk, &NO_TRACER) : rc;
}

/* Evaluates the tokens of a sample that its state lacks although an earlier step evaluated them; see
 * append_tokens and fp_sample_rewind. */
static assay_status run_earlier_tokens(fp_session *s, const fp_step *step)
{
    const fp_sample *one = find_sample(s, step->slot);
    const size_t n_earlier = one->n_tokens - step->n_tokens;
    assay_status rc = ASSAY_OK;
    while (rc == ASSAY_OK && one->state.n_tokens < n_earlier) {
        size_t missing = n_earlier - one->state.n_tokens, n_rows;
        rc = run_pass(s, step, 1, missing < s->chunk ? missing : s->chunk, &NO_TRACER, &n_rows);
    }
    return rc;
}

/* Evaluates all tokens of the steps in one pass, for a tracer, and frees the larger working memory
 * afterwards. */
static assay_status run_traced(fp_session *s, const fp_step *steps, size_t n_steps, const fp_tracer *tracer)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n_steps; i++) {
        fp_tracer own = *tracer;
        fp_sample *one = find_sample(s, steps[i].slot);
        own.sample = steps[i].slot;
        if (fp_tower_is_traced(s->model, &own))
            rc = fp_sample_trace(one, s->model, &own, one->n_tokens - steps[i].n_tokens);
        if (rc == ASSAY_OK) rc = fp_sample_evaluate(one, s->model, &s->features);
        if (rc == ASSAY_OK) rc = run_earlier_tokens(s, &steps[i]);
    }
    if (rc == ASSAY_OK) rc = run_passes(s, steps, n_steps, SIZE_MAX, tracer);
    fp_scratch_free(&s->scratch);
    return rc;
}

assay_status fp_session_step(fp_session *s, const fp_step *steps, size_t n_steps, const fp_tracer *tracer,
                             assay_error *err)
{
    assay_status rc = array_list_require(s->model->plan->arrays, err);
    if (rc == ASSAY_OK) rc = check_steps(s, steps, n_steps, err);
    if (rc != ASSAY_OK) return rc;
    size_t n_appended = 0;
    while (rc == ASSAY_OK && n_appended < n_steps) {
        rc = append_tokens(s, &steps[n_appended], err);
        if (rc == ASSAY_OK) n_appended++;
    }
    const bool appended = rc == ASSAY_OK;
    if (appended)
        rc = tracer && fp_trace_is_on(tracer) ? run_traced(s, steps, n_steps, tracer)
                                              : run_untraced(s, steps, n_steps);
    if (rc == ASSAY_OK) return ASSAY_OK;
    for (size_t i = 0; i < n_appended; i++) {
        fp_sample *one = find_sample(s, steps[i].slot);
        fp_sample_rewind(one, s->model->plan, one->n_tokens - steps[i].n_tokens);
    }
    fp_feature_cache_trim(&s->features);
    if (!appended) return rc;
    if (rc == ASSAY_ESTOPPED) return assay_fail(err, rc, "step: stopped by the tap");
    return assay_fail(err, rc, "step: out of memory for %zu samples", n_steps);
}
