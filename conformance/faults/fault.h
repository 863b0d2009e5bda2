/* Faults: the fastpath engine, or serving on top of it, with one bug planted on purpose, to check that
 * the bundled cases catch it.
 *
 * fastpath and serving do not know of faults. A fault acts at a *seam*: a function or table that one
 * of their files uses from another, and that the linker (--wrap) replaces by the one in seams*.c, in a
 * module that only the tests build. ASSAY_FAULT names the planted fault; without it the module behaves
 * as fastpath.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_FAULT_H
#define CONFORMANCE_FAULTS_FAULT_H

#include "conformance/faults/image_fault.h"
#include "fastpath/cache/keys.h"
#include "fastpath/choice.h"
#include "fastpath/forward.h"
#include "fastpath/head_scale.h"
#include "fastpath/session/session.h"

typedef __typeof__(fp_head_scale_run) fault_scale_fn;
typedef __typeof__(fp_keys_widen) fault_widen_fn;

/* Which command catches a fault. */
typedef enum fault_witness {
    FAULT_CASES,    /* assay run: errors of its cases are ten times their bounds or more */
    FAULT_VECTORS,  /* assay run: vectors of text, or programs of threads, have other outcomes */
    FAULT_SCHEDULES /* assay schedule: engine calls on many threads fail, or give other bits */
} fault_witness;

/* What a fault does at each seam; NULL leaves the seam as it is. */
typedef struct fault {
    const char *name;
    const char *breaks; /* description of the bug, in one sentence */
    /* Cases that catch it, separated by blanks. In a name, "*" stands for any characters: a new family is
     * held to the faults whose cases it has; if `place` is given, to those that change a plan of it. */
    const char *caught;
    const char *spared; /* a case without the broken feature, which must still pass; or "-" */
    fault_witness witness;
    const char *said; /* a part of the report's message; NULL: any, only for FAULT_CASES */
    /* The manner of evaluation, besides the whole, in which the spared case must pass; NULL: all. */
    const char *spared_manner;
    /* The compute type, and after a + the type of caches, in which the cases that catch it are run, and by
     * whose noise they are judged; NULL: float32. Only for FAULT_CASES. */
    const char *computes;

    /* Changes a plan before anything is derived from it and before its weights are packed. place: which of
     * its parts, for the functions of parts.c, which change one. */
    void (*plan)(plan *p);
    fault_place place;
    fault_images images;
    /* Returns the position by which a decoded token is rotated. padding: before the first token of its
     * sample. */
    int32_t (*position)(int32_t position, int32_t padding);
    /* Returns the position by which any token is rotated. */
    int32_t (*rotated)(int32_t position);
    /* Whether cached keys keep the frequencies of a sequence of `length` tokens when it grows to `other`. */
    bool (*keeps_rope)(size_t length, size_t other);
    /* Changes the cache limit of a session that has one. */
    void (*limits)(size_t *limit, size_t *sink_tokens);
    /* Returns the position by which a token of a run is rotated. */
    int32_t (*placed)(const fp_run *run, int32_t position);
    /* Called after a sample has joined. */
    void (*joined)(fp_session *s, size_t slot);
    /* Called before the steps of a session. */
    void (*begins)(fp_session *s, const fp_step *steps, size_t n_steps);
    /* before_steps: called before the steps of a session, which it may change; after_steps: called
     * after them. */
    void (*before_steps)(fp_step *steps, size_t n_steps);
    void (*after_steps)(fp_session *s, const fp_step *steps, size_t n_steps);
    /* put: called after fp_state_put, with its parameters; faults may call fp_state_put, too.
     * advanced: called after fp_state_advance. */
    void (*put)(fp_state *s, size_t layer, size_t position, size_t n, const float *key, const float *value);
    void (*advanced)(fp_state *s);
    /* Called before the attention of layer i; before and after the gated delta net of layer i. */
    void (*attends)(fp_pass *pass, size_t i);
    void (*mixes)(fp_pass *pass, size_t i);
    void (*mixed)(fp_pass *pass, size_t i);
    /* Called before the state of a sample is freed; after capacity for its next tokens was reserved. */
    void (*left)(fp_state *s);
    void (*reserved)(fp_state *s);
    /* Changes the kernels that a model is packed for. */
    void (*kernels)(fp_kernels *k);
    /* Changes the keys that the row at a position attends to. */
    void (*views)(fp_key_range *range, size_t position);
    /* Replaces fp_keys_widen; widen: the function itself. */
    void (*widens)(const fp_widening *w, fault_widen_fn *widen);
    /* A sample that is rewound keeps one token more. */
    bool rewinds_short;
    /* A page that samples share is written to, not copied. */
    bool writes_shared;
    /* Changes a product y: [n_rows, n_out]. */
    void (*product)(float *y, size_t n_rows, size_t n_out);
    /* Changes the choice of the experts of one row. probability, bias: [n_experts], of this row alone. */
    void (*choice)(fp_choice *choice, float *probability, float *bias);
    /* Replaces fp_head_scale_run; scale: the function itself. */
    void (*scales)(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                   float *v, fault_scale_fn *scale);
    /* Replaces fp_norm_run where a norm is present. */
    void (*norm)(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm);

    /* Whether the realisation of a model's arrays skips this array. */
    bool (*forgets)(const assay_array_info *info);
    /* Changes the default stream that a thread gets. */
    assay_status (*gives_default)(assay_device device, assay_stream *out);
    /* A model's arrays are created on a stream of the thread that loaded the module. */
    bool builds_elsewhere;
    /* All sessions share one scratch memory. */
    bool shares_scratch;
    /* Errors of streams are not reported. */
    bool drops_errors;

    /* Only stop ids from these documents end a reply: bits of assay_stop_origin; 0: from all
     * documents. */
    unsigned stops_of;
    /* The text of the stop id is part of the reply. */
    bool tells_stop;
    /* Special tokens are left out of the text in which markers are looked for. */
    bool strips_special;
    /* The prompt is reported to have 0 tokens. */
    bool counts_no_prompt;
    /* With thinking off: skips_parser: reasoning is not looked for; latches: the reply is read as
     * reasoning although none was begun. */
    bool skips_parser, latches;
    /* Each delta is parsed as if it were the last. */
    bool holds_nothing;
    /* Text held back until the end is lost. */
    bool drops_tail;
    /* opens_twice: messages send the start of a text block twice. finishes_twice: chat completions
     * send the finish reason twice. */
    bool opens_twice, finishes_twice;
} fault;

/* The tables, [N_*]. */
extern const fault MODEL_FAULTS[], INPUT_FAULTS[], PART_FAULTS[], STORED_FAULTS[], TEXT_FAULTS[];
extern const size_t N_MODEL_FAULTS, N_INPUT_FAULTS, N_PART_FAULTS, N_STORED_FAULTS, N_TEXT_FAULTS;

/* The i-th of all faults; NULL: there are no more. */
const fault *fault_at(size_t i);

/* Plants the fault that ASSAY_FAULT names; none if it is empty or not set. Fails with ASSAY_EINVAL for
 * an unknown name; the text names the program that prints the known ones. */
assay_status fault_plant(assay_error *err);

/* Plants this one. */
void fault_plant_this(const fault *f);

/* Whether the part of the plan that f->place names exists; f, which is planted, changes it. */
bool fault_changes_part(const fault *f, plan *p);

/* The planted fault; if there is none, a fault that changes nothing. */
const fault *fault_planted(void);

/* Functions of the table, grouped by the file that defines them. */
/* Of heads.c. */
void fault_sink_missing(plan *p);
void fault_square_missing(plan *p);
void fault_plane_missing(plan *p);
void fault_plane_other_half(plan *p);
void fault_positions_of_index(plan *p);
void fault_plane_of_group(fp_pass *pass, size_t i);
void fault_up_offset_missing(plan *p);
void fault_query_factor_missing(plan *p);
void fault_query_factor_of_next(plan *p);
void fault_gate_limit_missing(plan *p);
void fault_gate_slope_missing(plan *p);
void fault_expert_biases_missing(plan *p);
void fault_columns_as_halves(plan *p);
void fault_router_bias_missing(plan *p);
void fault_head_bias_missing(plan *p);
void fault_logits_divided(plan *p);
void fault_nope_turned(plan *p);
void fault_head_weights_first(plan *p);
void fault_windows_shifted(plan *p);
void fault_parallel_in_sequence(plan *p);
void fault_queries_unscaled(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                            float *v, fault_scale_fn *scale);
void fault_values_unscaled(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                           float *v, fault_scale_fn *scale);
void fault_scales_unplaced(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q, const float *k,
                           float *v, fault_scale_fn *scale);

void fault_window_wide(plan *p);
void fault_window_narrow(plan *p);
void fault_blocks_causal(plan *p);
void fault_blocks_everywhere(plan *p);
void fault_shared_first(plan *p);
void fault_cap_missing(plan *p);
void fault_score_cap_missing(plan *p);
void fault_scale_of_head(plan *p);
void fault_embedding_unscaled(plan *p);
void fault_residual_plain(plan *p);
void fault_logits_unscaled(plan *p);
void fault_norms_per_head(plan *p);
void fault_norms_early(plan *p);
void fault_post_norms_missing(plan *p);
void fault_norm_offset_missing(plan *p);
void fault_windows_swapped(plan *p);
void fault_rope_plain(plan *p);
void fault_scale_shifted(plan *p);

int32_t fault_padding_twice(int32_t position, int32_t padding);
int32_t fault_padding_never(int32_t position, int32_t padding);
int32_t fault_rope_late(int32_t position);
int32_t fault_rope_wraps(int32_t position);
void fault_slot_used(fp_session *s, size_t slot);
void fault_rows_swapped(fp_step *steps, size_t n_steps);
void fault_counter_stays(fp_session *s, const fp_step *steps, size_t n_steps);
void fault_late_noted(fp_session *s, const fp_step *steps, size_t n_steps);
int32_t fault_late_placed(const fp_run *run, int32_t position);
void fault_rest_padded(fp_session *s, const fp_step *steps, size_t n_steps);
void fault_tail_dropped(float *y, size_t n_rows, size_t n_out);

bool fault_private_deferred(const assay_array_info *info);
bool fault_parameters_only(const assay_array_info *info);
assay_status fault_default_shared(assay_device device, assay_stream *out);
void fault_split_by_workers(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                            const fp_norm *norm);

void fault_cache_bf16(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                      const float *value);
void fault_rotating_early(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                          const float *value);
void fault_page_early(fp_state *s);
void fault_page_first(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                      const float *value);
void fault_page_128(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                    const float *value);
void fault_page_256(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                    const float *value);
void fault_scales_of_page_before(const fp_widening *w, fault_widen_fn *widen);
void fault_limit_noted(size_t *limit, size_t *sink_tokens);
void fault_context_shift(fp_session *s, const fp_step *steps, size_t n_steps);
void fault_rotated_as_first(fp_pass *pass, size_t i);
void fault_rope_noted(plan *p);
bool fault_rope_of_chunk(size_t length, size_t other);
void fault_shift_keeps(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                       const float *value);
void fault_sinks_dropped(size_t *limit, size_t *sink_tokens);
void fault_sinks_overwritten(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                             const float *value);
void fault_state_left(fp_state *s);
void fault_state_kept(fp_state *s);
void fault_inputs_short(fp_pass *pass, size_t i);
void fault_inputs_lost(fp_pass *pass, size_t i);
void fault_blocks_by_tokens(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                            const float *value);
void fault_gate_missing(fp_kernels *k);
void fault_shared_expert_missing(plan *p);
void fault_shared_gate_missing(plan *p);
void fault_experts_of_text(plan *p);
void fault_marks_of_text(plan *p);
void fault_choice_bias_missing(plan *p);
void fault_heads_ungrouped(plan *p);
void fault_shares_as_they_are(plan *p);
void fault_sum_floor_missing(plan *p);
void fault_scores_softmax(plan *p);
void fault_groups_ignored(plan *p);
void fault_sum_offset_missing(plan *p);
void fault_share_factor_missing(plan *p);
void fault_bias_weighs(fp_choice *choice, float *probability, float *bias);
void fault_groups_zeroed(fp_choice *choice, float *probability, float *bias);
void fault_group_by_one(fp_choice *choice, float *probability, float *bias);
void fault_shared_trimmed(fp_pass *pass, size_t i);
void fault_chunks_noted(fp_pass *pass, size_t i);
/* Notes whether a step has a chunk after 512 cached tokens: fastpath itself divides longer ones. */
void fault_late_chunk_noted(fp_session *s, const fp_step *steps, size_t n_steps);
bool fault_in_late_chunk(void);
void fault_late_chunks_noted(fp_pass *pass, size_t i);
void fault_chunk_masked(fp_key_range *range, size_t position);

/* Of numbers.c. */
void fault_softmax_no_maximum(fp_kernels *k);
void fault_sink_is_maximum(fp_kernels *k);
void fault_cap_overflow(fp_kernels *k);
void fault_gate_overflow(fp_kernels *k);
void fault_router_overflow(fp_choice *choice, float *probability, float *bias);
void fault_head_scale_overflow(const fp_pass *pass, size_t i, const fp_head_scratch *s, float *q,
                               const float *k, float *v, fault_scale_fn *scale);
void fault_softplus_overflow(fp_pass *pass, size_t i);
void fault_values_float16(fp_kernels *k);
void fault_products_float16(fp_kernels *k);
void fault_squares_float16(fp_kernels *k);

#endif
