/* Our three engines with changed plans (conformance/plans/tests/change.c), for tests. Modules are found below
 * $top_builddir, checkpoints below $top_srcdir. A failure fails the test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PLANS_TESTS_ENGINES_H
#define CONFORMANCE_PLANS_TESTS_ENGINES_H

#include <assay/engine.h>

enum { REF64, REF32, FASTPATH, N_ENGINES };
enum { LENGTH = 40, N_AXES = 3 };

extern const char *const ENGINES[N_ENGINES];

/* A bundled checkpoint and the change of its plan. */
typedef struct setting {
    const char *model;  /* "qwen3/window" */
    const char *change; /* a value of ASSAY_TEST_PLAN; NULL: none */
} setting;

/* An open model, and a session of it with two samples. */
typedef struct opened {
    const assay_engine *engine;
    assay_model *model;
    assay_session *session;
    size_t vocab;
} opened;

extern assay_error err;

opened engines_open(int engine, setting s);
void engines_close(opened *o);

/* A text, [LENGTH]. */
extern const int32_t TEXT[LENGTH];

/* Positions of a text on up to N_AXES axes: those of axis a begin at list[a * LENGTH]. */
typedef struct positions {
    int32_t list[N_AXES * LENGTH];
    size_t n_axes; /* 0: none are given */
} positions;

/* Position t + shift for token t on every axis. */
positions positions_shifted(size_t n_axes, int32_t shift);
/* Numbers from 0 to 199 in any order, other ones on each axis. */
positions positions_drawn(size_t n_axes);

/* Evaluates tokens from … end - 1 of TEXT, which have these positions, as a step of a sample. Returns their
 * logits as double, [end - from, vocab], to be freed. */
double *engines_step(const opened *o, size_t sample, size_t from, size_t end, const positions *p);

/* The logits of the whole text by a sample that has no tokens, and has none afterwards. */
double *engines_whole(const opened *o, const positions *p);

/* The largest difference of n logits, and the largest magnitude. */
double engines_distance(const double *a, const double *b, size_t n);
double engines_largest(const double *a, size_t n);

/* How far a float32 engine may be from the truth: 4 times the noise, which is the distance of ref32 from
 * ref64 for the same text and positions, or 4 · 16 ulp of the largest logit if that is more. */
double engines_bound(setting s, const positions *p);

#endif
