/* The verdict on each part of an answer; for evaluate.c. A part that diverges sets the verdict unless an
 * earlier part has, and then notes itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_PARTS_H
#define CONFORMANCE_EVALUATE_PARTS_H

#include <float.h>

#include "conformance/judge/judge.h"
#include "conformance/replay/replay.h"

/* Loads a module and notes in the verdict what it is to compute in, and so is judged by; NULL where the
 * verdict is CONF_BROKEN instead, or CONF_SKIPPED because the engine has no such choice. */
const assay_engine *conf_evaluate_load(const char *engine, assay_dtype compute, conf_verdict *v);

/* Opens the library whose kernels the engine is given, NULL being none: then *out is left as it is. False
 * where the verdict is CONF_BROKEN instead, or CONF_SKIPPED because the engine takes none. */
bool conf_evaluate_kernels(const char *library, const assay_engine *engine, const assay_kernels **out,
                           conf_verdict *v);

/* Whether the case has what a candidate of this type is judged by; if not the verdict is CONF_SKIPPED. */
bool conf_evaluate_judgeable(const conf_case *c, assay_dtype compute, conf_verdict *v);

/* The same of the bounds that are made of its run in this type. max_abs: the largest |truth|. */
bool conf_evaluate_bounded(const conf_bounds *bounds, double max_abs, assay_dtype compute, conf_verdict *v);

/* What the case allows this engine: by its noise, or by its float64 bound. All zero where no truth is
 * recorded. */
conf_bounds conf_evaluate_bounds(const conf_replay *r);

/* What a bound is made of, for messages: of a float64 candidate so many times the largest logit, of a float32
 * one a multiple of `unit`, "the noise". */
typedef struct conf_allowance {
    double relative;
    const char *unit;
} conf_allowance;

/* Fills in the verdict on n_rows rows of logits; false where they diverge. Then conf_evaluate_where is due: p
 * and col are those of the first diverging row. */
bool conf_evaluate_measures(conf_verdict *v, const conf_logits_judgement *j, const conf_bounds *bounds,
                            size_t n_rows, const conf_allowance *allowance);
void conf_evaluate_where(conf_verdict *v, const conf_place *p, size_t col, double expected, double found);

#define CONF_STREAM_ENDED                                                                                    \
    (-2) /* in the place of an expected token: none, the stream ended before the step                        \
          */

/* Fails a greedy step. golden: the expected token, -1 for any stop id, or CONF_STREAM_ENDED. found: -1 for no
 * token. Where the two are the same the token is a stop id that the expected stream goes on past. */
void conf_evaluate_fail_step(conf_verdict *v, conf_token token, size_t b, size_t k, int32_t golden,
                             int64_t found);

/* Names element j->at of a tensor [shape], which is out of bounds, in v->trace. */
void conf_evaluate_tensor_where(conf_verdict *v, const char *name, const conf_array *shape,
                                const conf_tensor_judgement *j, double expected, double found, double limit);

/* Fails for a tensor, where nothing has failed before: then the logits agree, if they were judged. */
void conf_evaluate_fail_tensor(conf_verdict *v);

void conf_evaluate_logits(const conf_replay *r, const conf_bounds *bounds);
void conf_evaluate_tokens(const conf_replay *r, const conf_bounds *bounds);
void conf_evaluate_traces(const conf_replay *r);
/* Holds the prompts' logits of a session that held something before to the same bounds; nothing where another
 * part has failed, since they would say nothing new. */
void conf_evaluate_again(const conf_replay *r, const conf_bounds *bounds);
/* The number of rows of prefill, with which a case's rows begin. */
size_t conf_rows_of_prefill(const conf_decoder *d);
/* Fails where prefill_last contradicts prefill. */
void conf_evaluate_last(const conf_replay *r);
void conf_evaluate_rope(const conf_replay *r, const conf_rope_answer *answer);

/* What the multiples of a tensor count, float64 or not as the engine is: limit·unit = bound. trace: with its
 * values. A tensor of which no noise is recorded in the type that the engine computes in is marked by the
 * noise of the logits. */
double conf_tensor_unit(const conf_case *c, bool float64, assay_dtype compute, const conf_trace *trace);

/* The limit of a tensor of which no noise is recorded: only other places of NaN and infinities exceed it,
 * whose error is infinite in units of 1. */
#define CONF_UNJUDGED DBL_MAX

/* Writes ", 2 of them for NaN and infinities alone: …"; empty where n is 0. */
#define CONF_UNJUDGED_TEXT_MAX 128
void conf_tensor_print_unjudged(char text[CONF_UNJUDGED_TEXT_MAX], const conf_verdict *v, size_t n);

/* Whether the noise of a tensor is recorded in this type: it is in float32 alone. */
bool conf_tensor_has_noise(const conf_trace *trace, assay_dtype compute);

/* "[3,17]": element `at` of an array. */
void conf_tensor_print_index(char *text, size_t size, const conf_array *a, size_t at);

/* The first greedy step that is neither the expected one nor excused, sample by sample; sets the verdict.
 * False where there is none. */
bool conf_tokens_differ(const conf_replay *r, const conf_bounds *bounds, size_t *sample, size_t *step);

/* The row of d->rows that holds the truth after the prompt of sample b and k of the tokens that follow: the
 * forced ones, or those of the greedy stream. SIZE_MAX where none is recorded, because the forced tokens are
 * not those of the stream. */
size_t conf_row_of_step(const conf_decoder *d, size_t b, size_t k, bool greedy);

/* Sets CONF_FAILED with its class and reason; where another part has failed before, whose class stays, notes
 * the reason instead. Returns whether it was set. */
bool conf_evaluate_fail(conf_verdict *v, conf_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
