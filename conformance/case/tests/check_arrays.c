/* Limits of the shapes and types of a case's arrays, and the frame of a case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/case_refused.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("case.h5");
}

static conf_case *read_case(void)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

START_TEST(a_rope_of_float32_is_widened)
{
    static const float values[12] = {0.5F, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1.25F};
    support_write_rope(path, "{}");
    edit_f32(path, "/input/x", 2, (size_t[]){3, 4}, values);
    conf_case *c = read_case();
    ck_assert_int_eq(c->rope.x.dtype, ASSAY_F64);
    ck_assert_uint_eq(c->rope.x.n, 12);
    for (size_t i = 0; i < 12; i++)
        ck_assert_double_eq(((const double *)c->rope.x.data)[i], (double)values[i]);
    conf_case_free(c);
    edit_f32(path, "/expect/truth/x", 2, (size_t[]){3, 4}, values);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/truth/x has type F32, expected F64");
}
END_TEST

static const struct {
    size_t rank, shape[4];
    const char *reason; /* NULL: valid */
    size_t n_heads, head_dim;
} rotated[] = {
    {2, {3, 4}, NULL, 1, 4},
    {3, {3, 2, 2}, NULL, 2, 2},
    {3, {3, 1, 4}, NULL, 1, 4},
    {1, {3}, "/input/x has neither shape", 0, 0},
    {4, {3, 1, 1, 4}, "/input/x has neither shape", 0, 0},
    {2, {4, 3}, "/input/x has neither shape [3,head] nor [3,heads,head]", 0, 0},
    {2, {3, 0}, "/input/x has neither shape", 0, 0},
};

START_TEST(x_has_one_head_or_several)
{
    static const double values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    support_write_rope(path, "{}");
    edit_f64(path, "/input/x", rotated[_i].rank, rotated[_i].shape, values);
    edit_f64(path, "/expect/truth/x", rotated[_i].rank, rotated[_i].shape, values);
    edit_f64(path, "/expect/truth/cos", 2, (size_t[]){3, 2}, values);
    edit_f64(path, "/expect/truth/sin", 2, (size_t[]){3, 2}, values);
    if (rotated[_i].reason) {
        assert_case_refused(path, ASSAY_EFORMAT, rotated[_i].reason);
        return;
    }
    conf_case *c = read_case();
    ck_assert_uint_eq(c->rope.n_heads, rotated[_i].n_heads);
    ck_assert_uint_eq(c->rope.head_dim, rotated[_i].head_dim);
    ck_assert_uint_eq(c->rope.table_dim, 2);
    conf_case_free(c);
}
END_TEST

static const struct {
    size_t n_cols, n_sin;
    const char *reason;
} tables[] = {{1, 1, NULL},
              {4, 4, NULL},
              {0, 0, "/expect/truth/cos has 0 columns, expected 1..4"},
              {5, 5, "/expect/truth/cos has 5 columns, expected 1..4"},
              {4, 3, "/expect/truth/sin has shape [3,3], expected [3,4]"}};

START_TEST(tables_have_at_most_head_dim_columns)
{
    static const double values[15] = {1};
    support_write_rope(path, "{}");
    edit_f64(path, "/expect/truth/cos", 2, (size_t[]){3, tables[_i].n_cols}, values);
    edit_f64(path, "/expect/truth/sin", 2, (size_t[]){3, tables[_i].n_sin}, values);
    if (tables[_i].reason) assert_case_refused(path, ASSAY_EFORMAT, tables[_i].reason);
    else conf_case_free(read_case());
}
END_TEST

static const struct {
    size_t rank, shape[3];
    bool audio;
    size_t n_axes;
} positions[] = {{1, {3}, true, 1},  {2, {1, 3}, true, 1},  {2, {3, 3}, true, 3},
                 {0, {0}, false, 0}, {2, {2, 3}, false, 0}, {3, {1, 1, 3}, false, 0},
                 {1, {0}, false, 0}, {2, {4, 3}, false, 0}};

START_TEST(positions_have_one_axis_or_three)
{
    static const int32_t values[12] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    support_write_rope(path, "{}");
    edit_i32(path, "/input/position", positions[_i].rank, positions[_i].shape, values);
    if (!positions[_i].audio) {
        assert_case_refused(path, ASSAY_EFORMAT, "/input/position has neither shape [P] nor [3,P]");
        return;
    }
    conf_case *c = read_case();
    ck_assert_uint_eq(c->rope.n_axes, positions[_i].n_axes);
    ck_assert_uint_eq(c->rope.n_positions, 3);
    conf_case_free(c);
}
END_TEST

static assay_status read_frame(conf_case **c, assay_error *err)
{
    conf_h5 *file;
    ck_assert_int_eq(conf_h5_open(path, &file, NULL), ASSAY_OK);
    const assay_status rc = conf_case_read_frame(file, c, err);
    conf_h5_close(file);
    return rc;
}

START_TEST(every_axis_of_a_shape_is_checked)
{
    (void)support_write_decoder(path, "generate", "model");
    edit_i32(path, "/input/length", 1, (size_t[]){3}, (const int32_t[]){3, 5, 5});
    assert_case_refused(path, ASSAY_EFORMAT, "/input/length has shape [3], expected [2]");
}
END_TEST

START_TEST(every_sample_is_checked)
{
    (void)support_write_decoder(path, "generate", "model");
    edit_element(path, "/expect/tokens", CASE_M, FORMULA_VOCAB);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/tokens: sample 1 holds token 19");
    edit_element(path, "/input/length", 1, CASE_T - 1);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/truth/prefill: sample 1, column 0 of its padding is ");
}
END_TEST

START_TEST(a_frame_has_the_sizes_of_its_case)
{
    support_write_decoder(path, _i ? "generate" : "logits", "model");
    conf_case *frame = NULL, *c = read_case();
    assay_error err = {0};
    ck_assert_msg(read_frame(&frame, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(frame->kind, c->kind);
    ck_assert_uint_gt(frame->decoder.rows.n_rows, 0);
    ck_assert_uint_eq(frame->decoder.rows.n_rows, c->decoder.rows.n_rows);
    ck_assert_uint_eq(frame->decoder.rows.n_cols, c->decoder.rows.n_cols);
    ck_assert_ptr_null(frame->decoder.rows.truth);
    ck_assert_ptr_nonnull(c->decoder.rows.truth);
    conf_case_free(frame);
    conf_case_free(c);
}
END_TEST

START_TEST(a_frame_needs_a_vocabulary)
{
    static const struct {
        size_t rank, shape[4];
        const char *axes;
    } truths[] = {{3, {CASE_B, CASE_T, 0}, "3 axes, the last of length 0"},
                  {2, {CASE_B, CASE_T}, "2 axes, the last of length 5"},
                  {4, {1, 1, 1, 7}, "4 axes, the last of length 7"},
                  {0, {0}, "0 axes, the last of length 0"}};
    static const double values[CASE_B * CASE_T];
    support_write_decoder(path, "logits", "model");
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        conf_case *c = NULL;
        assay_error err = {0};
        edit_f64(path, "/expect/truth/prefill", truths[i].rank, truths[i].shape, values);
        ck_assert_int_eq(read_frame(&c, &err), ASSAY_EFORMAT);
        ck_assert_ptr_null(c);
        assert_holds(err.text, "/expect/truth/prefill has no vocabulary: ");
        assert_holds(err.text, truths[i].axes);
    }
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("conformance/case/arrays");
    TCase *arrays = tcase_create("arrays");
    tcase_add_checked_fixture(arrays, setup, support_teardown);
    tcase_add_test(arrays, a_rope_of_float32_is_widened);
    tcase_add_loop_test(arrays, x_has_one_head_or_several, 0, COUNT(rotated));
    tcase_add_loop_test(arrays, tables_have_at_most_head_dim_columns, 0, COUNT(tables));
    tcase_add_loop_test(arrays, positions_have_one_axis_or_three, 0, COUNT(positions));
    tcase_add_test(arrays, every_axis_of_a_shape_is_checked);
    tcase_add_test(arrays, every_sample_is_checked);
    tcase_add_loop_test(arrays, a_frame_has_the_sizes_of_its_case, 0, 2);
    tcase_add_test(arrays, a_frame_needs_a_vocabulary);
    suite_add_tcase(suite, arrays);
    return support_run(suite);
}
