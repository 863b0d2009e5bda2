/* The seams: where fastpath calls a function f of another of its files, the linker makes it call
 * __wrap_f, defined here; __real_f is fastpath's own. FAULT_SEAMS of local.mk must name the same
 * functions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/faults/fault.h"
#include "fastpath/attend.h"
#include "fastpath/choice.h"
#include "fastpath/delta.h"
#include "fastpath/ops.h"
#include "fastpath/session/steps.h"
#include "model/plan/arrays.h"

__typeof__(fp_model_open) __real_fp_model_open, __wrap_fp_model_open;
__typeof__(plan_derive) __real_plan_derive, __wrap_plan_derive;
__typeof__(fp_steps_run) __real_fp_steps_run, __wrap_fp_steps_run;
__typeof__(fp_forward) __real_fp_forward, __wrap_fp_forward;
__typeof__(rope_tables) __real_rope_tables, __wrap_rope_tables;
__typeof__(fp_session_join) __real_fp_session_join, __wrap_fp_session_join;
__typeof__(fp_session_limit) __real_fp_session_limit, __wrap_fp_session_limit;
__typeof__(fp_session_rewind) __real_fp_session_rewind, __wrap_fp_session_rewind;
__typeof__(fp_session_step) __real_fp_session_step, __wrap_fp_session_step;
__typeof__(fp_state_put) __real_fp_state_put, __wrap_fp_state_put;
__typeof__(fp_state_advance) __real_fp_state_advance, __wrap_fp_state_advance;
__typeof__(fp_view_key_range) __real_fp_view_key_range, __wrap_fp_view_key_range;
__typeof__(fp_keys_widen) __real_fp_keys_widen, __wrap_fp_keys_widen;
__typeof__(fp_page_is_exclusive) __real_fp_page_is_exclusive, __wrap_fp_page_is_exclusive;
__typeof__(fp_state_free) __real_fp_state_free, __wrap_fp_state_free;
__typeof__(fp_state_reserve) __real_fp_state_reserve, __wrap_fp_state_reserve;
__typeof__(fp_kernels_pick) __real_fp_kernels_pick, __wrap_fp_kernels_pick;
__typeof__(fp_attend) __real_fp_attend, __wrap_fp_attend;
__typeof__(fp_choose_experts) __real_fp_choose_experts, __wrap_fp_choose_experts;
__typeof__(fp_delta_run) __real_fp_delta_run, __wrap_fp_delta_run;
__typeof__(fp_head_scale_run) __real_fp_head_scale_run, __wrap_fp_head_scale_run;
__typeof__(fp_linear_run) __real_fp_linear_run, __wrap_fp_linear_run;
__typeof__(fp_model_has_same_rope) __real_fp_model_has_same_rope, __wrap_fp_model_has_same_rope;

assay_status __wrap_fp_model_open(const char *dir, const fp_options *options, fp_model **out,
                                  assay_error *err)
{
    assay_status rc = fault_plant(err);
    if (rc == ASSAY_OK) rc = __real_fp_model_open(dir, options, out, err);
    return rc;
}

bool __wrap_fp_model_has_same_rope(const fp_model *m, size_t length, size_t other)
{
    const fault *f = fault_planted();
    return (f->keeps_rope && f->keeps_rope(length, other)) || __real_fp_model_has_same_rope(m, length, other);
}

fp_kernels __wrap_fp_kernels_pick(fp_isa isa)
{
    fp_kernels k = __real_fp_kernels_pick(isa);
    if (fault_planted()->kernels) fault_planted()->kernels(&k);
    return k;
}

assay_status __wrap_plan_derive(plan *p, assay_error *err)
{
    if (fault_planted()->plan) fault_planted()->plan(p);
    return __real_plan_derive(p, err);
}

/* padding: of each sample of the latest session, which is the only one of a replay: tokens of padding before
 * its first tokens. stepping: padding of the samples that get one token in the current step; 0 if it is
 * their first. */
enum { SAMPLES_MAX = 64 };
static size_t padding[SAMPLES_MAX];
static int32_t stepping[SAMPLES_MAX];
static size_t n_stepping;
static size_t n_decoded;  /* of stepping, those evaluated by earlier passes of this step */
static size_t n_decoding; /* of stepping, those in the current pass */
static size_t n_tables;   /* tables made in this pass: one per rope and sample */

/* The runs of the current pass, for faults that place their tokens. */
static const fp_run *placed_runs;
static size_t n_placed_runs;

assay_status __wrap_fp_steps_run(fp_steps *s, fp_session *session, const assay_step *steps, size_t n,
                                 size_t padded_width, const fp_tracer *tracer, assay_error *err)
{
    if (!fault_planted()->position)
        return __real_fp_steps_run(s, session, steps, n, padded_width, tracer, err);
    n_stepping = n_decoded = n_decoding = 0;
    for (size_t i = 0; i < n; i++) {
        if (steps[i].sample >= SAMPLES_MAX || n_stepping == SAMPLES_MAX) continue;
        size_t *own = &padding[steps[i].sample];
        const bool is_first = fp_session_length(session, steps[i].sample) == 0;
        if (is_first) *own = padded_width > steps[i].n_tokens ? padded_width - steps[i].n_tokens : 0;
        if (steps[i].n_tokens == 1) stepping[n_stepping++] = is_first ? 0 : (int32_t)*own;
    }
    assay_status rc = __real_fp_steps_run(s, session, steps, n, padded_width, tracer, err);
    n_stepping = 0;
    return rc;
}

/* Notes which of the decoded samples are in this pass. */
static void begin_pass(const fp_run *runs, size_t n_runs)
{
    n_decoded += n_decoding;
    n_decoding = n_tables = 0;
    for (size_t j = 0; j < n_runs; j++) n_decoding += runs[j].n_rows == 1;
}

assay_status __wrap_fp_forward(const fp_model *m, fp_scratch *scratch, const fp_tracer *tracer, fp_run *runs,
                               size_t n_runs)
{
    static fp_scratch shared;
    if (fault_planted()->position) begin_pass(runs, n_runs);
    placed_runs = runs;
    n_placed_runs = n_runs;
    if (fault_planted()->placed) n_tables = 0;
    return __real_fp_forward(m, fault_planted()->shares_scratch ? &shared : scratch, tracer, runs, n_runs);
}

/* Maps positions [n] by the fault's function; the caller frees the result. */
static int32_t *rotate_by(int32_t (*rotated)(int32_t), const int32_t *position, size_t n)
{
    int32_t *others = malloc(n * sizeof *others);
    if (!others) abort();
    for (size_t i = 0; i < n; i++) others[i] = rotated(position[i]);
    return others;
}

/* The same for the next run of the pass. */
static int32_t *place_by(int32_t (*placed)(const fp_run *, int32_t), const int32_t *position, size_t n)
{
    const fp_run *run = &placed_runs[n_tables++ % n_placed_runs];
    int32_t *others = malloc(n * sizeof *others);
    if (!others) abort();
    for (size_t i = 0; i < n; i++) others[i] = placed(run, position[i]);
    return others;
}

void __wrap_rope_tables(const rope *r, const double *inverse_frequency, const int32_t *position,
                        size_t n_axes, size_t n_positions, double *cosine, double *sine)
{
    const bool of_tower = r->sections == ROPE_SECTIONS_ROW_COLUMN || r->sections == ROPE_SECTIONS_COLUMN_ROW;
    static const fault none = {.name = NULL};
    const fault *f = of_tower ? &none : fault_planted(); /* positions of tokens alone */
    int32_t other[ROPE_AXES_MAX], *others = NULL;
    if (f->position && n_stepping > 0 && n_decoding > 0 && n_positions == 1) {
        const int32_t own = stepping[(n_decoded + n_tables++ % n_decoding) % n_stepping];
        for (size_t a = 0; a < n_axes; a++) other[a] = f->position(position[a], own);
        position = other;
    }
    if (f->placed && n_placed_runs) position = others = place_by(f->placed, position, n_axes * n_positions);
    if (f->rotated) position = others = rotate_by(f->rotated, position, n_axes * n_positions);
    __real_rope_tables(r, inverse_frequency, position, n_axes, n_positions, cosine, sine);
    free(others);
}

assay_status __wrap_fp_session_join(fp_session *s, size_t *slot, assay_error *err)
{
    assay_status rc = __real_fp_session_join(s, slot, err);
    if (rc == ASSAY_OK && fault_planted()->joined) fault_planted()->joined(s, *slot);
    return rc;
}

assay_status __wrap_fp_session_limit(fp_session *s, size_t limit, size_t sink_tokens, assay_error *err)
{
    if (fault_planted()->limits && limit != 0) fault_planted()->limits(&limit, &sink_tokens);
    return __real_fp_session_limit(s, limit, sink_tokens, err);
}

assay_status __wrap_fp_session_rewind(fp_session *s, size_t slot, size_t n_tokens, assay_error *err)
{
    if (fault_planted()->rewinds_short && n_tokens < fp_session_length(s, slot)) n_tokens++;
    return __real_fp_session_rewind(s, slot, n_tokens, err);
}

assay_status __wrap_fp_session_step(fp_session *s, const fp_step *steps, size_t n_steps,
                                    const fp_tracer *tracer, assay_error *err)
{
    fp_step *taken = malloc(n_steps * sizeof *taken);
    if (!taken) return ASSAY_ENOMEM;
    memcpy(taken, steps, n_steps * sizeof *taken);
    if (fault_planted()->begins) fault_planted()->begins(s, steps, n_steps);
    if (fault_planted()->before_steps) fault_planted()->before_steps(taken, n_steps);
    assay_status rc = __real_fp_session_step(s, taken, n_steps, tracer, err);
    if (rc == ASSAY_OK && fault_planted()->after_steps) fault_planted()->after_steps(s, taken, n_steps);
    free(taken);
    return rc;
}

void __wrap_fp_state_put(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                         const float *value)
{
    __real_fp_state_put(s, layer, position, n, key, value);
    if (fault_planted()->put) fault_planted()->put(s, layer, position, n, key, value);
}

void __wrap_fp_state_advance(fp_state *s, size_t n)
{
    __real_fp_state_advance(s, n);
    if (fault_planted()->advanced) fault_planted()->advanced(s);
}

void __wrap_fp_state_free(fp_state *s)
{
    if (s->caches && fault_planted()->left) fault_planted()->left(s);
    __real_fp_state_free(s);
}

assay_status __wrap_fp_state_reserve(fp_state *s, size_t n)
{
    assay_status rc = __real_fp_state_reserve(s, n);
    if (rc == ASSAY_OK && fault_planted()->reserved) fault_planted()->reserved(s);
    return rc;
}

assay_status __wrap_fp_delta_run(fp_pass *pass, size_t i, const float *x, float *y)
{
    if (fault_planted()->mixes) fault_planted()->mixes(pass, i);
    assay_status rc = __real_fp_delta_run(pass, i, x, y);
    if (rc == ASSAY_OK && fault_planted()->mixed) fault_planted()->mixed(pass, i);
    return rc;
}

void __wrap_fp_choose_experts(int32_t *chosen, float *share, const float *probability, size_t n_rows,
                              const fp_choice *choice, double *scratch)
{
    const size_t n = choice->n_experts;
    if (!fault_planted()->choice) {
        __real_fp_choose_experts(chosen, share, probability, n_rows, choice, scratch);
        return;
    }
    float *own = malloc(2 * n * sizeof *own);
    if (!own) abort();
    for (size_t r = 0; r < n_rows; r++) {
        fp_choice changed = *choice;
        memcpy(own, probability + r * n, n * sizeof *own);
        for (size_t e = 0; e < n; e++) own[n + e] = choice->bias ? choice->bias[e] : 0;
        changed.bias = own + n;
        fault_planted()->choice(&changed, own, own + n);
        __real_fp_choose_experts(chosen + r * choice->n_active, share + r * choice->n_active, own, 1,
                                 &changed, scratch);
    }
    free(own);
}

assay_status __wrap_fp_attend(fp_pass *pass, size_t i, const float *x, float *y)
{
    if (fault_planted()->attends) fault_planted()->attends(pass, i);
    return __real_fp_attend(pass, i, x, y);
}

void __wrap_fp_head_scale_run(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q,
                              const float *k, float *v)
{
    if (fault_planted()->scales) fault_planted()->scales(pass, i, s, q, k, v, __real_fp_head_scale_run);
    else __real_fp_head_scale_run(pass, i, s, q, k, v);
}

fp_key_range __wrap_fp_view_key_range(fp_view view, size_t position)
{
    fp_key_range range = __real_fp_view_key_range(view, position);
    if (fault_planted()->views) fault_planted()->views(&range, position);
    return range;
}

void __wrap_fp_keys_widen(const fp_widening *w)
{
    if (fault_planted()->widens) fault_planted()->widens(w, __real_fp_keys_widen);
    else __real_fp_keys_widen(w);
}

bool __wrap_fp_page_is_exclusive(const fp_page *page)
{
    return fault_planted()->writes_shared || __real_fp_page_is_exclusive(page);
}

void __wrap_fp_linear_run(const fp_pass *pass, float *y, const float *x, size_t n, const fp_linear *linear)
{
    __real_fp_linear_run(pass, y, x, n, linear);
    if (fault_planted()->product) fault_planted()->product(y, n, linear->weight.packed.n_out);
}
