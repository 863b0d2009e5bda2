/* Texts with images in sessions of any bundled checkpoint with a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_TESTS_COURSES_H
#define FASTPATH_TESTS_COURSES_H

#include "fastpath/session/steps.h"
#include "fastpath/tests/pictures.h"

enum { N_COURSES = 4, WHOLE = 1000 };

/* A text in a session. rows: the logits of all of its tokens. */
typedef struct course {
    const fp_model *model;
    picture_text text;
    float *rows; /* [n, vocab] */
    size_t sample;
} course;

/* A step with several samples. */
typedef struct batch {
    fp_session *session;
    fp_steps kept;
    assay_step steps[N_COURSES];
    assay_output outputs[N_COURSES];
    assay_item items[N_COURSES][PICTURES_MAX];
    size_t n;
} batch;

/* Opens a checkpoint of grid.h; NULL if it has no tower. */
fp_model *courses_open(int index, assay_dtype compute, size_t n_workers);

fp_session *courses_session(const fp_model *m, size_t chunk);

/* Text number `text`, 0 … N_COURSES - 1. */
course courses_begin(const fp_model *m, size_t text);
void courses_end(course *c);
void courses_join(fp_session *s, course *c);

/* Whether a step may begin at a token: not within a block. */
bool courses_may_divide(const course *c, size_t at);

/* Adds the tokens of a text up to `to` to a step, and their logits to its rows. */
void courses_add(batch *b, course *c, size_t to);
void courses_run(batch *b, size_t padded_width);

/* The logits of a text in one step of a session of its own: [n, vocab], to be freed. */
float *courses_whole(const fp_model *m, size_t text);

/* Expects all rows of a text. what: for the message. */
void courses_expect(const course *c, const float *expected, const char *what);

#endif
