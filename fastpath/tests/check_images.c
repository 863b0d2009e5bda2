/* Logits of samples with images are bit-identical for any workers, batch neighbours, chunks, steps and
 * padding, after rewinding and forking: for every bundled checkpoint with a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/session/steps.h"
#include "fastpath/tests/grid.h"
#include "fastpath/tests/pictures.h"
#include "model/plan/mask.h"

enum { N_TEXTS = 4, WHOLE = 1000 };

/* Images of different sizes, one longer than a page; a text that begins with an image, and one without any. A
 * video has no more frames than rows: see model/inputs/positions.h. */
static const char *const TEXTS[N_TEXTS] = {"9 i2x3a 4 i7x11b 6", "i1x2c 1 i3x1d 2 v2x3x2a 1 i1x1e 7",
                                           "5 i4x2f 3", "11"};

static assay_error err;

/* A text in a session. rows: the logits of all of its tokens. */
typedef struct course {
    const fp_model *model;
    picture_text text;
    float *rows; /* [n, vocab] */
    size_t sample;
} course;

static course begin(const fp_model *m, size_t text)
{
    course c = {.model = m, .text = pictures_make(m->plan, TEXTS[text], (unsigned)text)};
    c.rows = grid_blank(c.text.n * m->plan->vocab);
    return c;
}

static void end(course *c)
{
    pictures_free(&c->text);
    free(c->rows);
}

static fp_session *open_session(const fp_model *m, size_t chunk)
{
    fp_session *s;
    ck_assert_int_eq(fp_session_open(m, &s, &err), ASSAY_OK);
    fp_session_chunk(s, chunk);
    return s;
}

static void join(fp_session *s, course *c)
{
    ck_assert_int_eq(fp_session_join(s, &c->sample, &err), ASSAY_OK);
}

/* A step with several samples. */
typedef struct batch {
    fp_session *session;
    fp_steps kept;
    assay_step steps[N_TEXTS];
    assay_output outputs[N_TEXTS];
    assay_item items[N_TEXTS][PICTURES_MAX];
    size_t n;
} batch;

/* Adds the tokens of a text up to `to`. */
static void add_step(batch *b, course *c, size_t to)
{
    const size_t from = fp_session_length(b->session, c->sample), vocab = c->model->plan->vocab;
    assay_item *items = b->items[b->n];
    b->outputs[b->n] = (assay_output){"logits", to - from, c->rows + from * vocab};
    b->steps[b->n] = (assay_step){.sample = c->sample,
                                  .tokens = c->text.tokens + from,
                                  .n_tokens = to - from,
                                  .items = items,
                                  .n_items = pictures_items(&c->text, from, to, items),
                                  .outputs = &b->outputs[b->n],
                                  .n_outputs = 1};
    b->n++;
}

static void run_steps(batch *b, size_t padded_width)
{
    ck_assert_msg(fp_steps_run(&b->kept, b->session, b->steps, b->n, padded_width, NULL, &err) == ASSAY_OK,
                  "%s", err.text);
    b->n = 0;
}

/* The logits of a text in one step of a session of its own. */
static float *whole(const fp_model *m, size_t text)
{
    course c = begin(m, text);
    batch b = {.session = open_session(m, WHOLE)};
    join(b.session, &c);
    add_step(&b, &c, c.text.n);
    run_steps(&b, 0);
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
    pictures_free(&c.text);
    return c.rows;
}

static void expect_rows(const course *c, const float *expected, const char *what)
{
    const size_t vocab = c->model->plan->vocab;
    for (size_t r = 0; r < c->text.n; r++)
        ck_assert_msg(memcmp(c->rows + r * vocab, expected + r * vocab, vocab * sizeof *expected) == 0,
                      "%s in %s, %zu workers, %s: row %zu has other bits", c->model->plan->dir,
                      dtype_name(c->model->packer.compute), fp_pool_workers(c->model->pool), what, r);
}

/* Opens the checkpoint; NULL if it has no tower. */
static fp_model *open_tower(int index, assay_dtype compute, size_t n_workers)
{
    fp_model *m = grid_open(index, compute, n_workers);
    if (m->plan->tower.present) return m;
    fp_model_free(m);
    return NULL;
}

/* Whether a step may begin at a token: not within a block. */
static bool may_divide(const course *c, size_t at)
{
    return !plan_divides_block(c->model->plan, c->text.tokens, c->text.n, at);
}

/* All texts in one step, in one session, then all in the other order. */
static void expect_neighbours(const fp_model *m, size_t chunk, size_t padding, float *const *expected)
{
    batch b = {.session = open_session(m, chunk)};
    course c[N_TEXTS];
    size_t longest = 0;
    for (size_t round = 0; round < 2; round++) {
        for (size_t k = 0; k < N_TEXTS; k++) {
            const size_t i = round ? N_TEXTS - 1 - k : k;
            c[i] = begin(m, i);
            join(b.session, &c[i]);
            add_step(&b, &c[i], c[i].text.n);
            if (c[i].text.n > longest) longest = c[i].text.n;
        }
        run_steps(&b, padding ? longest + padding : 0);
        for (size_t i = 0; i < N_TEXTS; i++) {
            expect_rows(&c[i], expected[i], "with neighbours");
            end(&c[i]);
        }
    }
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
}

/* The texts in steps of n tokens, the second two tokens behind the first, while the others come and go. */
static void expect_divided(const fp_model *m, size_t n, float *const *expected)
{
    batch b = {.session = open_session(m, 64)};
    course c[N_TEXTS];
    for (size_t i = 0; i < N_TEXTS; i++) {
        c[i] = begin(m, i);
        join(b.session, &c[i]);
    }
    for (bool more = true; more;) {
        for (size_t i = 0; i < N_TEXTS; i++) {
            const size_t from = fp_session_length(b.session, c[i].sample);
            size_t to = from + n + (from == 0 ? 2 * i : 0);
            while (to < c[i].text.n && !may_divide(&c[i], to)) to++;
            if (from < c[i].text.n) add_step(&b, &c[i], to < c[i].text.n ? to : c[i].text.n);
        }
        more = b.n > 0;
        if (more) run_steps(&b, 0);
    }
    for (size_t i = 0; i < N_TEXTS; i++) {
        expect_rows(&c[i], expected[i], "in several steps");
        end(&c[i]);
    }
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
}

static void expect_grid(int index, assay_dtype compute)
{
    static const size_t WORKERS[] = {1, 2, 4}, CHUNKS[] = {WHOLE, 1, 7, 64};
    float *expected[N_TEXTS] = {0};
    for (size_t w = 0; w < 3; w++) {
        fp_model *m = open_tower(index, compute, WORKERS[w]);
        if (!m) return;
        for (size_t i = 0; !expected[N_TEXTS - 1] && i < N_TEXTS; i++) expected[i] = whole(m, i);
        for (size_t k = 0; k < 4; k++) expect_neighbours(m, CHUNKS[k], k % 2 ? 5 : 0, expected);
        for (size_t n = 1; n < 40; n += 19) expect_divided(m, n, expected);
        fp_model_free(m);
    }
    for (size_t i = 0; i < N_TEXTS; i++) free(expected[i]);
}

START_TEST(logits_are_batch_invariant_with_images)
{
    expect_grid(_i, ASSAY_F32);
}
END_TEST

START_TEST(logits_are_batch_invariant_with_images_in_bfloat16)
{
    expect_grid(_i, ASSAY_BF16);
}
END_TEST

/* Back to every token, also within an image, which is kept then. */
START_TEST(a_rewound_sample_goes_on_as_if_nothing_had_happened)
{
    fp_model *m = open_tower(_i, ASSAY_F32, 2);
    if (!m) return;
    for (size_t i = 0; i < 2; i++) {
        float *expected = whole(m, i);
        batch b = {.session = open_session(m, WHOLE)};
        course c = begin(m, i);
        join(b.session, &c);
        add_step(&b, &c, c.text.n);
        run_steps(&b, 0);
        for (size_t to = 0; to < c.text.n; to++) {
            if (!may_divide(&c, to)) continue;
            ck_assert_int_eq(fp_session_rewind(b.session, c.sample, to, &err), ASSAY_OK);
            memset(c.rows + to * m->plan->vocab, 0xff, (c.text.n - to) * m->plan->vocab * sizeof *c.rows);
            add_step(&b, &c, c.text.n);
            run_steps(&b, 0);
            expect_rows(&c, expected, "rewound");
        }
        end(&c);
        fp_session_free(b.session);
        fp_steps_free(&b.kept);
        free(expected);
    }
    fp_model_free(m);
}
END_TEST

/* The caches no longer hold what the tokens after the rewind attend to: everything is evaluated again, images
 * included. */
START_TEST(a_sample_whose_caches_have_rotated_is_evaluated_again_with_its_images)
{
    enum { LIMIT = 20 };
    fp_model *m = open_tower(_i, ASSAY_F32, 2);
    if (!m) return;
    batch b = {.session = open_session(m, WHOLE)};
    course c = begin(m, 0), d = begin(m, 0);
    ck_assert_int_eq(fp_session_limit(b.session, LIMIT, 0, &err), ASSAY_OK);
    join(b.session, &d);
    add_step(&b, &d, d.text.n);
    run_steps(&b, 0);
    join(b.session, &c);
    add_step(&b, &c, c.text.n);
    for (size_t to = c.text.n; to-- > 0;) {
        if (!may_divide(&c, to)) continue;
        if (b.n > 0) run_steps(&b, 0);
        expect_rows(&c, d.rows, "with a limit");
        ck_assert_int_eq(fp_session_rewind(b.session, c.sample, to, &err), ASSAY_OK);
        memset(c.rows + to * m->plan->vocab, 0xff, (c.text.n - to) * m->plan->vocab * sizeof *c.rows);
        add_step(&b, &c, c.text.n);
    }
    run_steps(&b, 0);
    expect_rows(&c, d.rows, "with a limit");
    end(&c);
    end(&d);
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
    fp_model_free(m);
}
END_TEST

/* Within the session and into another one, whose origin is gone then. */
START_TEST(a_fork_has_the_images_of_its_origin)
{
    fp_model *m = open_tower(_i, ASSAY_F32, 2);
    if (!m) return;
    for (size_t i = 0; i < 2; i++) {
        float *expected = whole(m, i);
        batch a = {.session = open_session(m, WHOLE)}, b = {.session = open_session(m, WHOLE)};
        course c = begin(m, i), d = begin(m, i), e = begin(m, i);
        size_t cut = c.text.pictures[1].first + 1;
        while (!may_divide(&c, cut)) cut++;
        join(a.session, &c);
        add_step(&a, &c, cut);
        run_steps(&a, 0);
        memcpy(d.rows, c.rows, cut * m->plan->vocab * sizeof *c.rows);
        memcpy(e.rows, c.rows, cut * m->plan->vocab * sizeof *c.rows);
        ck_assert_int_eq(fp_session_fork(a.session, c.sample, a.session, &d.sample, &err), ASSAY_OK);
        ck_assert_int_eq(fp_session_fork(a.session, c.sample, b.session, &e.sample, &err), ASSAY_OK);
        add_step(&a, &d, d.text.n);
        run_steps(&a, 0);
        add_step(&a, &c, c.text.n);
        run_steps(&a, 0);
        fp_session_free(a.session);
        add_step(&b, &e, e.text.n);
        run_steps(&b, 0);
        expect_rows(&c, expected, "the origin");
        expect_rows(&d, expected, "a fork");
        expect_rows(&e, expected, "a fork in another session");
        end(&c);
        end(&d);
        end(&e);
        fp_session_free(b.session);
        fp_steps_free(&a.kept);
        fp_steps_free(&b.kept);
        free(expected);
    }
    fp_model_free(m);
}
END_TEST

/* The logits of a text by ref64, in one step: [n, vocab]. */
static double *reference(const char *dir, const picture_text *t, size_t vocab)
{
    const assay_engine *ref = support_load_engine("ref/.libs/ref64.so");
    assay_model *m;
    assay_session *s;
    assay_item items[PICTURES_MAX];
    double *logits = calloc(t->n * vocab, sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    const assay_session_options options = {.size = sizeof options, .n_samples = 1};
    const assay_output output = {"logits", t->n, logits};
    const assay_step step = {.tokens = t->tokens,
                             .n_tokens = t->n,
                             .items = items,
                             .n_items = pictures_items(t, 0, t->n, items),
                             .outputs = &output,
                             .n_outputs = 1};
    ck_assert_msg(ref->model_open(dir, NULL, &m, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(ref->session_open(m, &options, &s, &err), ASSAY_OK);
    ck_assert_msg(ref->step(s, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    ref->session_free(s);
    ref->model_free(m);
    return logits;
}

/* The noise of float32 is some 1e-6 of the largest logit; the error of a wrong row or place is 1e-2 or more.
 */
START_TEST(logits_with_images_are_those_of_the_reference)
{
    fp_model *m = open_tower(_i, ASSAY_F32, 2);
    if (!m) return;
    for (size_t i = 0; i < N_TEXTS; i++) {
        course c = begin(m, i);
        const size_t n = c.text.n * m->plan->vocab;
        float *found = whole(m, i);
        double *truth = reference(m->plan->dir, &c.text, m->plan->vocab), top = 0;
        for (size_t k = 0; k < n; k++) top = fmax(top, fabs(truth[k]));
        for (size_t k = 0; k < n; k++)
            ck_assert_msg(fabs((double)found[k] - truth[k]) <= 2e-4 * top,
                          "%s, text %zu, row %zu: %g, not %g", m->plan->dir, i, k / m->plan->vocab,
                          (double)found[k], truth[k]);
        end(&c);
        free(found);
        free(truth);
    }
    fp_model_free(m);
}
END_TEST

int main(void)
{
    const int n = grid_find();
    if (n == 0) return EXIT_FAILURE;
    (void)setenv("CK_FORK", "no", 0); /* see check_grid.c */
    Suite *suite = suite_create("fastpath/images");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, logits_are_batch_invariant_with_images, 0, n);
    tcase_add_loop_test(tc, logits_are_batch_invariant_with_images_in_bfloat16, 0, n);
    tcase_add_loop_test(tc, a_rewound_sample_goes_on_as_if_nothing_had_happened, 0, n);
    tcase_add_loop_test(tc, a_sample_whose_caches_have_rotated_is_evaluated_again_with_its_images, 0, n);
    tcase_add_loop_test(tc, a_fork_has_the_images_of_its_origin, 0, n);
    tcase_add_loop_test(tc, logits_with_images_are_those_of_the_reference, 0, n);
    suite_add_tcase(suite, tc);
    int status = support_run(suite);
    grid_free();
    return status;
}
