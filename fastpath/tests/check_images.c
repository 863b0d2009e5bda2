/* Logits of samples with images are bit-identical for any workers, batch neighbours, chunks, steps and
 * padding, and those of the reference: for every bundled checkpoint with a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/tests/courses.h"
#include "fastpath/tests/grid.h"

static assay_error err;

/* All texts in one step, in one session, then all in the other order. */
static void expect_neighbours(const fp_model *m, size_t chunk, size_t padding, float *const *expected)
{
    batch b = {.session = courses_session(m, chunk)};
    course c[N_COURSES];
    size_t longest = 0;
    for (size_t round = 0; round < 2; round++) {
        for (size_t k = 0; k < N_COURSES; k++) {
            const size_t i = round ? N_COURSES - 1 - k : k;
            c[i] = courses_begin(m, i);
            courses_join(b.session, &c[i]);
            courses_add(&b, &c[i], c[i].text.n);
            if (c[i].text.n > longest) longest = c[i].text.n;
        }
        courses_run(&b, padding ? longest + padding : 0);
        for (size_t i = 0; i < N_COURSES; i++) {
            courses_expect(&c[i], expected[i], "with neighbours");
            courses_end(&c[i]);
        }
    }
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
}

/* The texts in steps of n tokens, the second two tokens behind the first, while the others come and go. */
static void expect_divided(const fp_model *m, size_t n, float *const *expected)
{
    batch b = {.session = courses_session(m, 64)};
    course c[N_COURSES];
    for (size_t i = 0; i < N_COURSES; i++) {
        c[i] = courses_begin(m, i);
        courses_join(b.session, &c[i]);
    }
    for (bool more = true; more;) {
        for (size_t i = 0; i < N_COURSES; i++) {
            const size_t from = fp_session_length(b.session, c[i].sample);
            size_t to = from + n + (from == 0 ? 2 * i : 0);
            while (to < c[i].text.n && !courses_may_divide(&c[i], to)) to++;
            if (from < c[i].text.n) courses_add(&b, &c[i], to < c[i].text.n ? to : c[i].text.n);
        }
        more = b.n > 0;
        if (more) courses_run(&b, 0);
    }
    for (size_t i = 0; i < N_COURSES; i++) {
        courses_expect(&c[i], expected[i], "in several steps");
        courses_end(&c[i]);
    }
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
}

static void expect_grid(int index, assay_dtype compute)
{
    static const size_t WORKERS[] = {1, 2, 4}, CHUNKS[] = {WHOLE, 1, 7, 64};
    float *expected[N_COURSES] = {0};
    for (size_t w = 0; w < 3; w++) {
        fp_model *m = courses_open(index, compute, WORKERS[w]);
        if (!m) return;
        for (size_t i = 0; !expected[N_COURSES - 1] && i < N_COURSES; i++) expected[i] = courses_whole(m, i);
        for (size_t k = 0; k < 4; k++) expect_neighbours(m, CHUNKS[k], k % 2 ? 5 : 0, expected);
        for (size_t n = 1; n < 40; n += 19) expect_divided(m, n, expected);
        fp_model_free(m);
    }
    for (size_t i = 0; i < N_COURSES; i++) free(expected[i]);
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

/* The logits of a text by ref64, in one step: [n, vocab]. */
static double *reference(const char *dir, const picture_text *t, size_t vocab)
{
    const assay_engine *ref = support_load_engine("ref/ref64.so");
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
    fp_model *m = courses_open(_i, ASSAY_F32, 2);
    if (!m) return;
    for (size_t i = 0; i < N_COURSES; i++) {
        course c = courses_begin(m, i);
        const size_t n = c.text.n * m->plan->vocab;
        float *found = courses_whole(m, i);
        double *truth = reference(m->plan->dir, &c.text, m->plan->vocab), top = 0;
        for (size_t k = 0; k < n; k++) top = fmax(top, fabs(truth[k]));
        for (size_t k = 0; k < n; k++)
            ck_assert_msg(fabs((double)found[k] - truth[k]) <= 2e-4 * top,
                          "%s, text %zu, row %zu: %g, not %g", m->plan->dir, i, k / m->plan->vocab,
                          (double)found[k], truth[k]);
        courses_end(&c);
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
    tcase_add_loop_test(tc, logits_with_images_are_those_of_the_reference, 0, n);
    suite_add_tcase(suite, tc);
    int status = support_run(suite);
    grid_free();
    return status;
}
