/* Cases that record only listed rows of prefill: reading, replaying, comparing and locating.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/case/row_list.h"
#include "conformance/case/rows.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/list_rows.h"

/* In no order; the last token of sample 1 is at position 4. */
static const int32_t ROWS[][2] = {{1, 4}, {0, 2}, {1, 0}};
enum { N_ROWS = 3 };

static void setup(void)
{
    compare_setup();
    support_mkdir(support_path("nan"));
}

static conf_case *read_case(const char *path)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

START_TEST(listed_rows_are_read_in_any_order)
{
    conf_case *whole = read_case(compare_golden);
    list_rows(compare_golden, ROWS, N_ROWS);
    conf_case *c = read_case(compare_golden);
    const conf_decoder *d = &c->decoder;
    ck_assert_uint_eq(c->unknown.n, 0);
    ck_assert_uint_eq(d->rows.n_listed, N_ROWS);
    ck_assert_uint_eq(d->rows.n_rows, N_ROWS + CASE_B * CASE_N);
    for (size_t i = 0; i < d->rows.n_rows; i++) {
        const conf_place *p = &d->rows.place[i];
        const size_t v = d->rows.n_cols, row = conf_row_find(&whole->decoder, p->sample, p->decode, p->pos);
        ck_assert_uint_eq(conf_row_find(d, p->sample, p->decode, p->pos), i);
        ck_assert_mem_eq(d->rows.truth + i * v, whole->decoder.rows.truth + row * v, v * sizeof(double));
        ck_assert_mem_eq(conf_rows_noise(&d->rows, CONF_COMPUTE_F32) + i * v,
                         conf_rows_noise(&whole->decoder.rows, CONF_COMPUTE_F32) + row * v,
                         v * sizeof(double));
    }
    ck_assert(d->rows.place[0].sample == 0 && d->rows.place[1].pos == 0 && d->rows.place[2].pos == 4);
    ck_assert_uint_eq(conf_row_find(d, 1, false, 3), SIZE_MAX);
    conf_case_free(whole);
    conf_case_free(c);
}
END_TEST

static const struct {
    int32_t rows[2][2];
    size_t n;
    const char *reason;
} BAD[] = {
    {{{0, 0}}, 0, "/expect/rows is empty"},
    {{{0, 0}, {2, 0}}, 2, "/expect/rows: row 1 has sample 2, expected 0 to 1"},
    {{{-1, 0}}, 1, "/expect/rows: row 0 has sample -1, expected 0 to 1"},
    {{{0, 3}}, 1, "/expect/rows: row 0 has position 3 of sample 0, expected 0 to 2"},
    {{{1, -1}}, 1, "/expect/rows: row 0 has position -1 of sample 1, expected 0 to 4"},
    {{{1, 2}, {1, 2}}, 2, "/expect/rows: sample 1, position 2 is listed twice"},
};

START_TEST(lists_of_rows_that_do_not_exist_are_refused)
{
    conf_case *c;
    assay_error err = {0};
    list_rows(compare_golden, ROWS, 2);
    edit_i32(compare_golden, "/expect/rows", 2, (size_t[]){BAD[_i].n, 2}, BAD[_i].rows[0]);
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, compare_golden);
    assert_holds(err.text, BAD[_i].reason);
    assert_refused(BAD[_i].reason);
}
END_TEST

START_TEST(every_run_has_a_row_for_each_listed_one)
{
    conf_case *c;
    assay_error err = {0};
    edit_i32(compare_golden, "/expect/rows", 2, (size_t[]){N_ROWS, 2}, ROWS[0]);
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/expect/truth/prefill has shape [2,5,19], expected [3,*]");
    edit_i32(compare_golden, "/expect/rows", 1, (size_t[]){N_ROWS}, ROWS[0]);
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/expect/rows has shape [3], expected [*,2]");
}
END_TEST

START_TEST(only_listed_rows_are_judged)
{
    static const int32_t others[][2] = {{0, 2}, {1, 3}};
    const char *path = support_write_decoder(support_path("few.h5"), "logits", "nan");
    list_rows(path, ROWS, N_ROWS);
    const support_output *o = support_assay("run --engine %s few.h5", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "sample 1, prefill, position 4, id 4: expected ");
    path = support_write_decoder(support_path("few.h5"), "logits", "nan");
    list_rows(path, others, 2);
    assert_code(support_assay("run --engine %s --manner whole few.h5", support_engine("fake32")), 0);
}
END_TEST

START_TEST(a_dump_of_a_case_with_listed_rows_agrees_with_it)
{
    list_rows(compare_golden, ROWS, N_ROWS);
    assert_code(support_assay("run --engine %s --dump dump case.h5", support_engine("fake32")), 0);
    const support_output *o = support_shell("$ASSAY diff case.h5 $(find dump -name '*.h5')");
    assert_code(o, 0);
    assert_holds(o->out, "7 rows of 19 logits in float32 agree");
}
END_TEST

START_TEST(an_observation_has_the_listed_rows)
{
    list_rows(compare_golden, ROWS, N_ROWS);
    assert_diverges("/observed/prefill has shape [2,5,19], expected [3,19]", "", "");
    (void)support_observe(compare_golden, "float32", compare_seen);
    assert_agrees(compare_golden, compare_seen);
    edit_element(compare_seen, "/observed/prefill", 1 * FORMULA_VOCAB + 6, 100);
    assert_diverges("largest error of the logits", "sample 0, prefill, position 2, id 6: expected ", "");
}
END_TEST

START_TEST(a_divergence_at_a_listed_row_is_located)
{
    const char *path = support_write_decoder(support_path("few.h5"), "logits", "nan");
    list_rows(path, ROWS, N_ROWS);
    const support_output *o = support_assay("locate --engine %s few.h5", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "sample 1, prefill, position 4");
    (void)support_observe(path, "float32", support_path("seen.h5"));
    edit_element(support_path("seen.h5"), "/observed/prefill", 1 * FORMULA_VOCAB + 6, 100);
    o = support_assay("locate few.h5 seen.h5");
    assert_code(o, 1);
    assert_holds(o->out, "logits[2,6]: expected ");
}
END_TEST

START_TEST(info_says_that_rows_are_listed)
{
    list_rows(compare_golden, ROWS, N_ROWS);
    const support_output *o = support_assay("info case.h5");
    assert_code(o, 0);
    assert_holds(o->out, "7 rows of 19 (those that /expect/rows lists)");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/rows");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, support_teardown);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, listed_rows_are_read_in_any_order);
    tcase_add_loop_test(all, lists_of_rows_that_do_not_exist_are_refused, 0, sizeof BAD / sizeof *BAD);
    tcase_add_test(all, every_run_has_a_row_for_each_listed_one);
    tcase_add_test(all, only_listed_rows_are_judged);
    tcase_add_test(all, a_dump_of_a_case_with_listed_rows_agrees_with_it);
    tcase_add_test(all, an_observation_has_the_listed_rows);
    tcase_add_test(all, a_divergence_at_a_listed_row_is_located);
    tcase_add_test(all, info_says_that_rows_are_listed);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
