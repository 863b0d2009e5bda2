/* Logits are bit-identical for any division of a text into steps of the ABI, while other samples join, rest
 * and leave, and after rewinding and forking: for every bundled checkpoint, with and without a cache limit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "fastpath/session/steps.h"
#include "fastpath/tests/grid.h"

enum { LENGTH = 74, N_TEXTS = 3, OURS = 1 };

static assay_error err;

/* How the text is divided, and the limit of the caches; 0: none. */
typedef struct course {
    size_t n_tokens; /* of each step */
    size_t limit, sink_tokens;
} course;

static int32_t texts[N_TEXTS][LENGTH];

/* The number of tokens that our sample had after the step of a row; RoPE frequencies may depend on it. */
static size_t length_at[LENGTH];

static fp_session *open_session(const fp_model *m, const course *c)
{
    fp_session *s;
    ck_assert_int_eq(fp_session_open(m, &s, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_limit(s, c->limit, c->sink_tokens, &err), ASSAY_OK);
    return s;
}

static size_t join(fp_session *s)
{
    size_t sample;
    ck_assert_int_eq(fp_session_join(s, &sample, &err), ASSAY_OK);
    return sample;
}

/* Steps of one session. */
typedef struct batch {
    fp_session *session;
    fp_steps kept;
    assay_step steps[2];
    assay_output outputs[2];
    size_t n;
} batch;

/* Adds a step of a sample with n tokens of a text. logits: [n, vocab]; NULL: not wanted. */
static void add_step(batch *b, size_t sample, size_t text, size_t n, float *logits)
{
    const size_t from = fp_session_length(b->session, sample);
    b->outputs[b->n] = (assay_output){"logits", n, logits};
    b->steps[b->n] = (assay_step){.sample = sample,
                                  .tokens = texts[text] + from,
                                  .n_tokens = n,
                                  .outputs = &b->outputs[b->n],
                                  .n_outputs = logits != NULL};
    b->n++;
    for (size_t t = 0; text == OURS && t < n; t++) length_at[from + t] = from + n;
}

static void run_steps(batch *b)
{
    assay_status rc = fp_steps_run(&b->kept, b->session, b->steps, b->n, 0, NULL, &err);
    ck_assert_msg(rc == ASSAY_OK, "%s", err.text);
    b->n = 0;
}

/* The expected logits: whole[n] of the first n tokens of our text, [n, vocab], in one step of a sample of its
 * own; NULL: not computed yet. */
typedef struct truth {
    const fp_model *model;
    course course;
    float *whole[LENGTH + 1];
} truth;

static const float *expected_row(truth *t, size_t row)
{
    const size_t vocab = t->model->plan->vocab;
    const size_t n = fp_model_has_same_rope(t->model, length_at[row], LENGTH) ? LENGTH : length_at[row];
    if (!t->whole[n]) {
        batch b = {.session = open_session(t->model, &t->course)};
        size_t lengths[LENGTH];
        memcpy(lengths, length_at, sizeof lengths);
        t->whole[n] = grid_blank(n * vocab);
        add_step(&b, join(b.session), OURS, n, t->whole[n]);
        run_steps(&b);
        memcpy(length_at, lengths, sizeof lengths);
        fp_session_free(b.session);
        fp_steps_free(&b.kept);
    }
    return t->whole[n] + row * vocab;
}

static void free_truth(truth *t)
{
    for (size_t n = 0; n <= LENGTH; n++) free(t->whole[n]);
}

/* Evaluates the rest of our text, n_tokens at a time. sample: of b's session. logits: [LENGTH, vocab]. */
static void finish_text(batch *b, size_t sample, size_t n_tokens, float *logits, size_t vocab)
{
    for (size_t at = fp_session_length(b->session, sample), n; at < LENGTH; at += n) {
        n = LENGTH - at < n_tokens ? LENGTH - at : n_tokens;
        add_step(b, sample, OURS, n, logits + at * vocab);
        run_steps(b);
    }
}

/* The first half of our text: text 0 is there before, rests at every other step and leaves; text 2 joins in
 * its place. Returns our sample. */
static size_t run_with_neighbours(batch *b, size_t n_tokens, float *logits, size_t vocab)
{
    size_t other = join(b->session), text = 0;
    add_step(b, other, text, 9, NULL);
    run_steps(b);
    const size_t ours = join(b->session);
    for (size_t at = 0, i = 0, n; at < LENGTH / 2; at += n, i++) {
        n = LENGTH / 2 - at < n_tokens ? LENGTH / 2 - at : n_tokens;
        if (at >= LENGTH / 4 && text == 0) {
            ck_assert_int_eq(fp_session_leave(b->session, other, &err), ASSAY_OK);
            other = join(b->session);
            text = 2;
            add_step(b, other, text, 5, NULL);
        } else if (i % 2 == 0) {
            add_step(b, other, text, 1, NULL);
        }
        add_step(b, ours, OURS, n, logits + at * vocab);
        run_steps(b);
    }
    return ours;
}

static void expect_rows(truth *t, const course *c, const char *which, const float *logits, size_t from)
{
    const size_t vocab = t->model->plan->vocab;
    for (size_t r = from; r < LENGTH; r++)
        ck_assert_msg(memcmp(logits + r * vocab, expected_row(t, r), vocab * sizeof *logits) == 0,
                      "%s: %s, steps of %zu tokens, limit %zu, %zu sink tokens: row %zu has other bits",
                      t->model->plan->dir, which, c->n_tokens, c->limit, c->sink_tokens, r);
}

static void run_course(truth *expected, const course *c)
{
    const fp_model *m = expected->model;
    const size_t vocab = m->plan->vocab, half = LENGTH / 2, n_back = half - 5;
    float *logits = grid_blank(LENGTH * vocab);
    batch b = {.session = open_session(m, c)}, other = {.session = open_session(m, c)};
    const size_t ours = run_with_neighbours(&b, c->n_tokens, logits, vocab);
    size_t near, far;
    ck_assert_int_eq(fp_session_fork(b.session, ours, b.session, &near, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_fork(b.session, ours, other.session, &far, &err), ASSAY_OK);
    finish_text(&b, ours, c->n_tokens, logits, vocab);
    expect_rows(expected, c, "with neighbours", logits, 0);
    ck_assert_int_eq(fp_session_rewind(b.session, ours, n_back, &err), ASSAY_OK);
    memset(logits, 0xff, LENGTH * vocab * sizeof *logits);
    finish_text(&b, ours, c->n_tokens, logits, vocab);
    expect_rows(expected, c, "rewound", logits, n_back);
    memset(logits, 0xff, LENGTH * vocab * sizeof *logits);
    finish_text(&b, near, c->n_tokens, logits, vocab);
    expect_rows(expected, c, "forked", logits, half);
    memset(logits, 0xff, LENGTH * vocab * sizeof *logits);
    finish_text(&other, far, c->n_tokens, logits, vocab);
    expect_rows(expected, c, "forked into another session", logits, half);
    fp_session_free(b.session);
    fp_session_free(other.session);
    fp_steps_free(&b.kept);
    fp_steps_free(&other.kept);
    free(logits);
}

/* Steps of 1, 3 and more tokens. */
START_TEST(logits_do_not_depend_on_the_course_of_a_session)
{
    static const assay_dtype TYPES[] = {ASSAY_F32, ASSAY_BF16};
    static const size_t N_TOKENS[] = {1, 3, LENGTH}, LIMITS[][2] = {{0, 0}, {23, 4}};
    for (size_t t = 0; t < 2; t++) {
        fp_model *m = grid_open(_i, TYPES[t], 2);
        for (size_t text = 0; text < N_TEXTS; text++)
            for (size_t pos = 0; pos < LENGTH; pos++) texts[text][pos] = grid_token(m->plan, text, pos);
        for (size_t l = 0; l < 2; l++) {
            course c = {.limit = LIMITS[l][0], .sink_tokens = LIMITS[l][1]};
            truth expected = {.model = m, .course = c};
            for (size_t k = 0; k < 3; k++) {
                c.n_tokens = N_TOKENS[k];
                run_course(&expected, &c);
            }
            free_truth(&expected);
        }
        fp_model_free(m);
    }
}
END_TEST

int main(void)
{
    const int n = grid_find();
    if (n == 0) return EXIT_FAILURE;
    (void)setenv("CK_FORK", "no", 0); /* as in check_grid.c */
    Suite *suite = suite_create("fastpath/grid_steps");
    TCase *tc = tcase_create("bits");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, logits_do_not_depend_on_the_course_of_a_session, 0, n);
    suite_add_tcase(suite, tc);
    int status = support_run(suite);
    grid_free();
    return status;
}
