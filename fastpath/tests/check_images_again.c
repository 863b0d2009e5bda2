/* Samples with images go on with the same bits after rewinding, after forking, and when their tokens are
 * evaluated again: for every bundled checkpoint with a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "fastpath/tests/courses.h"
#include "fastpath/tests/grid.h"

static assay_error err;

/* Back to every token, also within an image, which is kept then. */
START_TEST(a_rewound_sample_goes_on_as_if_nothing_had_happened)
{
    fp_model *m = courses_open(_i, ASSAY_F32, 2);
    if (!m) return;
    for (size_t i = 0; i < 2; i++) {
        float *expected = courses_whole(m, i);
        batch b = {.session = courses_session(m, WHOLE)};
        course c = courses_begin(m, i);
        courses_join(b.session, &c);
        courses_add(&b, &c, c.text.n);
        courses_run(&b, 0);
        for (size_t to = 0; to < c.text.n; to++) {
            if (!courses_may_divide(&c, to)) continue;
            ck_assert_int_eq(fp_session_rewind(b.session, c.sample, to, &err), ASSAY_OK);
            memset(c.rows + to * m->plan->vocab, 0xff, (c.text.n - to) * m->plan->vocab * sizeof *c.rows);
            courses_add(&b, &c, c.text.n);
            courses_run(&b, 0);
            courses_expect(&c, expected, "rewound");
        }
        courses_end(&c);
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
    fp_model *m = courses_open(_i, ASSAY_F32, 2);
    if (!m) return;
    batch b = {.session = courses_session(m, WHOLE)};
    course c = courses_begin(m, 0), d = courses_begin(m, 0);
    ck_assert_int_eq(fp_session_limit(b.session, LIMIT, 0, &err), ASSAY_OK);
    courses_join(b.session, &d);
    courses_add(&b, &d, d.text.n);
    courses_run(&b, 0);
    courses_join(b.session, &c);
    courses_add(&b, &c, c.text.n);
    for (size_t to = c.text.n; to-- > 0;) {
        if (!courses_may_divide(&c, to)) continue;
        if (b.n > 0) courses_run(&b, 0);
        courses_expect(&c, d.rows, "with a limit");
        ck_assert_int_eq(fp_session_rewind(b.session, c.sample, to, &err), ASSAY_OK);
        memset(c.rows + to * m->plan->vocab, 0xff, (c.text.n - to) * m->plan->vocab * sizeof *c.rows);
        courses_add(&b, &c, c.text.n);
    }
    courses_run(&b, 0);
    courses_expect(&c, d.rows, "with a limit");
    courses_end(&c);
    courses_end(&d);
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
    fp_model_free(m);
}
END_TEST

/* Ropes whose frequencies grow with the length: every step evaluates all tokens again, images included. */
START_TEST(a_sample_whose_ropes_change_is_evaluated_again_with_its_images)
{
    fp_model *m = courses_open(_i, ASSAY_F32, 2);
    if (!m) return;
    const size_t vocab = m->plan->vocab;
    for (size_t i = 0; i < m->plan->n_ropes; i++) {
        m->plan->ropes[i].type = ROPE_DYNAMIC;
        m->plan->ropes[i].max_length = 10;
        m->plan->ropes[i].factor = 2;
    }
    float *expected = courses_whole(m, 0);
    batch b = {.session = courses_session(m, 7)};
    course c = courses_begin(m, 0);
    courses_join(b.session, &c);
    for (size_t to = 1; to <= c.text.n; to++) {
        if (!courses_may_divide(&c, to)) continue;
        courses_add(&b, &c, to);
        courses_run(&b, 0);
    }
    const size_t last = (c.text.n - 1) * vocab;
    ck_assert_mem_eq(c.rows + last, expected + last, vocab * sizeof *expected);
    courses_end(&c);
    free(expected);
    fp_session_free(b.session);
    fp_steps_free(&b.kept);
    fp_model_free(m);
}
END_TEST

/* Within the session and into another one, whose origin is gone then. */
START_TEST(a_fork_has_the_images_of_its_origin)
{
    fp_model *m = courses_open(_i, ASSAY_F32, 2);
    if (!m) return;
    for (size_t i = 0; i < 2; i++) {
        float *expected = courses_whole(m, i);
        batch a = {.session = courses_session(m, WHOLE)}, b = {.session = courses_session(m, WHOLE)};
        course c = courses_begin(m, i), d = courses_begin(m, i), e = courses_begin(m, i);
        size_t cut = c.text.pictures[1].first + 1;
        while (!courses_may_divide(&c, cut)) cut++;
        courses_join(a.session, &c);
        courses_add(&a, &c, cut);
        courses_run(&a, 0);
        memcpy(d.rows, c.rows, cut * m->plan->vocab * sizeof *c.rows);
        memcpy(e.rows, c.rows, cut * m->plan->vocab * sizeof *c.rows);
        ck_assert_int_eq(fp_session_fork(a.session, c.sample, a.session, &d.sample, &err), ASSAY_OK);
        ck_assert_int_eq(fp_session_fork(a.session, c.sample, b.session, &e.sample, &err), ASSAY_OK);
        courses_add(&a, &d, d.text.n);
        courses_run(&a, 0);
        courses_add(&a, &c, c.text.n);
        courses_run(&a, 0);
        fp_session_free(a.session);
        courses_add(&b, &e, e.text.n);
        courses_run(&b, 0);
        courses_expect(&c, expected, "the origin");
        courses_expect(&d, expected, "a fork");
        courses_expect(&e, expected, "a fork in another session");
        courses_end(&c);
        courses_end(&d);
        courses_end(&e);
        fp_session_free(b.session);
        fp_steps_free(&a.kept);
        fp_steps_free(&b.kept);
        free(expected);
    }
    fp_model_free(m);
}
END_TEST

int main(void)
{
    const int n = grid_find();
    if (n == 0) return EXIT_FAILURE;
    (void)setenv("CK_FORK", "no", 0); /* see check_grid.c */
    Suite *suite = suite_create("fastpath/images_again");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_rewound_sample_goes_on_as_if_nothing_had_happened, 0, n);
    tcase_add_loop_test(tc, a_sample_whose_caches_have_rotated_is_evaluated_again_with_its_images, 0, n);
    tcase_add_loop_test(tc, a_sample_whose_ropes_change_is_evaluated_again_with_its_images, 0, n);
    tcase_add_loop_test(tc, a_fork_has_the_images_of_its_origin, 0, n);
    suite_add_tcase(suite, tc);
    int status = support_run(suite);
    grid_free();
    return status;
}
