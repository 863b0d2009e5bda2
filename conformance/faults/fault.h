/* Faults: the fastpath engine, or what is served from it, with one thing broken on purpose, to see that the
 * bundled cases notice.
 *
 * Nothing of fastpath and serving knows of them. A fault takes hold at a *seam*: what one file takes from
 * another, which the linker replaces by that of seams*.c (--wrap) in a module that only the tests build.
 * ASSAY_FAULT names the fault that is planted; without it the module is fastpath.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_FAULT_H
#define CONFORMANCE_FAULTS_FAULT_H

#include "fastpath/forward.h"
#include "fastpath/session.h"

/* What notices a fault. */
typedef enum fault_witness {
    FAULT_CASES,    /* assay run: the cases that catch it are off by ten times their bounds or more */
    FAULT_VECTORS,  /* assay run: vectors of text, or programs of threads, have other outcomes */
    FAULT_SCHEDULES /* assay schedule: engine calls on many threads fail, or change bits */
} fault_witness;

/* What a fault does at each seam; NULL leaves it alone. */
typedef struct fault {
    const char *name;
    const char *breaks; /* what is wrong, in one sentence */
    const char *caught; /* the cases by which it is caught, apart by blanks */
    const char *spared; /* the case that must still pass, since what it asks for is not broken; or "-" */
    fault_witness witness;
    const char *said; /* part of what the witness's report says, of others than cases */

    /* Changes a plan before anything is derived from it, and before its weights are packed. */
    void (*plan)(plan *p);
    /* The position by which a decoded token is rotated, in place of its own. padding: of its row. */
    int32_t (*position)(int32_t position, int32_t padding);
    /* The position by which any token is rotated, in place of its own. */
    int32_t (*rotated)(int32_t position);
    /* Changes what a session is to hold, where it has a limit. */
    void (*limits)(size_t *limit, size_t *kept);
    /* Has its way with a sample that has just joined. */
    void (*joined)(fp_session *s, size_t slot);
    /* Changes the steps that a session is to take, or the session when they have been taken. */
    void (*before_steps)(fp_step *steps, size_t n_steps);
    void (*after_steps)(fp_session *s, const fp_step *steps, size_t n_steps);
    /* After fp_state_put, which faults may call, too, with its parameters; after fp_state_advance. */
    void (*put)(fp_state *s, size_t layer, size_t position, size_t n, const float *key, const float *value);
    void (*advanced)(fp_state *s);
    /* Before layer i attends. */
    void (*attends)(fp_pass *pass, size_t i);
    /* Changes a product y: [n_rows, n_out]. */
    void (*product)(float *y, size_t n_rows, size_t n_out);
    /* Takes the place of fp_norm_run where there is a norm. */
    void (*norm)(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                 const fp_norm *norm);

    /* Whether realising a model passes over an array. */
    bool (*forgets)(const assay_array_info *info);
    /* Changes the default stream that a thread is given. */
    assay_status (*gives_default)(assay_device device, assay_stream *out);
    /* A model's arrays are put on the stream of the thread that loaded the module. */
    bool builds_elsewhere;
    /* All sessions work in one memory. */
    bool shares_scratch;
    /* Nobody is told of the errors of streams. */
    bool drops_errors;

    /* Only ids that these documents name end a reply: bits of assay_stop_origin; 0: those of all do. */
    unsigned stops_of;
    /* The text of the id that ended a reply belongs to it. */
    bool tells_stop;
    /* Special tokens have no text for those who look for markers. */
    bool strips_special;
    /* The prompt is said to have no tokens. */
    bool counts_no_prompt;
    /* Where thinking is off: reasoning is not looked for; or it is without having been begun. */
    bool skips_parser, latches;
    /* A delta is read as if nothing came behind it. */
    bool holds_nothing;
    /* What is held back at the end is lost. */
    bool drops_tail;
    /* Of messages: the start of a block of text is sent twice; of chat completions: the reason of the end. */
    bool opens_twice, finishes_twice;
} fault;

extern const fault FAULTS[];
extern const size_t N_FAULTS;

/* Plants the fault that ASSAY_FAULT names; none where it is empty or not set. Fails with ASSAY_EINVAL for a
 * name that no fault has; the text lists those that there are. */
assay_status fault_plant(assay_error *err);

/* What is planted: a fault, or one that leaves every seam alone. */
const fault *fault_planted(void);

/* The faults of the table, by the file that they are in. */
void fault_window_wide(plan *p);
void fault_window_narrow(plan *p);
void fault_shared_first(plan *p);
void fault_cap_missing(plan *p);
void fault_rope_plain(plan *p);
void fault_scale_shifted(plan *p);

int32_t fault_padding_twice(int32_t position, int32_t padding);
int32_t fault_padding_never(int32_t position, int32_t padding);
int32_t fault_rope_late(int32_t position);
int32_t fault_rope_wraps(int32_t position);
void fault_slot_used(fp_session *s, size_t slot);
void fault_rows_swapped(fp_step *steps, size_t n_steps);
void fault_counter_stays(fp_session *s, const fp_step *steps, size_t n_steps);
void fault_tail_dropped(float *y, size_t n_rows, size_t n_out);

bool fault_private_deferred(const assay_array_info *info);
bool fault_parameters_only(const assay_array_info *info);
assay_status fault_default_shared(assay_device device, assay_stream *out);
void fault_split_by_workers(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                            const fp_norm *norm);

void fault_rotating_early(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                          const float *value);
void fault_page_early(fp_state *s);
void fault_page_first(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                      const float *value);
void fault_kept_dropped(size_t *limit, size_t *kept);
void fault_kept_overwritten(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                            const float *value);
void fault_shared_trimmed(fp_pass *pass, size_t i);

#endif
