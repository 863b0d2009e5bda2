/* Reading numeric cases: the members of a valid case, and each reason to refuse one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/case/rows.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/case_refused.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "generate", "model");
}

static conf_case *read_sound(void)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

START_TEST(a_valid_case_is_read_without_its_padding)
{
    conf_case *c = read_sound();
    const conf_decoder *d = &c->decoder;
    ck_assert_int_eq(c->kind, CONF_GENERATE);
    ck_assert_uint_eq(d->n_samples, CASE_B);
    ck_assert_uint_eq(d->rows.n_rows, 3 + 5 + CASE_B * CASE_N);
    ck_assert_uint_eq(d->rows.n_cols, FORMULA_VOCAB);
    for (size_t i = 0; i < d->rows.n_rows * d->rows.n_cols; i++) ck_assert(isfinite(d->rows.truth[i]));
    ck_assert_uint_eq(d->rows.place[3].sample, 1);
    ck_assert_uint_eq(d->rows.place[3].pos, 0);
    ck_assert(d->rows.place[8].decode && !d->rows.place[7].decode);
    ck_assert_uint_eq(d->n_greedy, CASE_M);
    ck_assert(d->stops[0] && !d->stops[1]);
    ck_assert_uint_eq(d->n_traces, 2);
    ck_assert(d->traces[0].has_noise);
    ck_assert_double_eq(c->float64_bound, CONF_FLOAT64_BOUND);
    ck_assert_uint_eq(c->unknown.n, 0);
    conf_case_free(c);
}
END_TEST

START_TEST(forced_steps_may_be_absent)
{
    edit_remove(path, "/input/decode");
    edit_remove(path, "/expect/truth/decode");
    edit_remove(path, "/expect/float32/decode");
    conf_case *c = read_sound();
    ck_assert_uint_eq(c->decoder.rows.n_rows, 8);
    conf_case_free(c);
}
END_TEST

START_TEST(the_number_of_forced_steps_may_be_zero)
{
    edit_i32(path, "/input/decode", 2, (size_t[]){CASE_B, 0}, NULL);
    edit_remove(path, "/expect/truth/decode");
    edit_remove(path, "/expect/float32/decode");
    conf_case *c = read_sound();
    ck_assert_uint_eq(c->decoder.n_decode, 0);
    conf_case_free(c);
}
END_TEST

START_TEST(a_generate_case_needs_no_truth)
{
    edit_remove(path, "/expect/truth");
    edit_remove(path, "/expect/float32");
    conf_case *c = read_sound();
    ck_assert(!c->decoder.has_truth);
    conf_case_free(c);
}
END_TEST

START_TEST(other_inputs_keep_their_name_and_type)
{
    edit_f32(path, "/input/pixel_values", 2, (size_t[]){1, 2}, (const float[]){0.5F, 1});
    edit_i32(path, "/input/rows", 1, (size_t[]){1}, (const int32_t[]){3});
    conf_case *c = read_sound();
    ck_assert_uint_eq(c->decoder.n_inputs, 2);
    ck_assert_str_eq(c->decoder.inputs[0].name, "pixel_values");
    ck_assert_int_eq(c->decoder.inputs[0].dtype, ASSAY_F32);
    ck_assert_uint_eq(c->decoder.inputs[0].shape[1], 2);
    conf_case_free(c);
}
END_TEST

START_TEST(unknown_members_are_noted)
{
    edit_attribute(path, "colour", "blue");
    edit_f64(path, "/expect/later", 0, NULL, (const double[]){1});
    edit_f64(path, "/later", 0, NULL, (const double[]){1});
    edit_f64(path, "/expect/truth/later", 0, NULL, (const double[]){1});
    edit_f64(path, "/expect/float32/later", 0, NULL, (const double[]){1});
    conf_case *c = read_sound();
    ck_assert_uint_eq(c->unknown.n, 5);
    ck_assert_str_eq(c->unknown.at[0], "attribute colour");
    ck_assert_str_eq(c->unknown.at[1], "/later");
    ck_assert_str_eq(c->unknown.at[2], "/expect/later");
    ck_assert_str_eq(c->unknown.at[3], "/expect/truth/later");
    ck_assert_str_eq(c->unknown.at[4], "/expect/float32/later");
    conf_case_free(c);
}
END_TEST

static const char *const required[] = {
    "/input/tokens",           "/input/length",          "/expect/truth/prefill", "/expect/truth/decode",
    "/expect/float32/prefill", "/expect/float32/decode", "/expect/tokens",        "/expect/finish"};

START_TEST(a_missing_member_is_named)
{
    edit_remove(path, required[_i]);
    char reason[64];
    (void)snprintf(reason, sizeof reason, "%s is missing", required[_i]);
    assert_case_refused(path, ASSAY_EFORMAT, reason);
}
END_TEST

START_TEST(a_logits_case_needs_its_truth)
{
    edit_attribute(path, "kind", "logits");
    edit_remove(path, "/expect/truth");
    edit_remove(path, "/expect/float32");
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/truth/prefill is missing");
}
END_TEST

START_TEST(an_unknown_kind_is_refused)
{
    edit_attribute(path, "kind", "logit");
    assert_case_refused(path, ASSAY_EFORMAT, "kind \"logit\" is unknown");
    edit_attribute(path, "kind", "eos"); /* a textual kind */
    assert_case_refused(path, ASSAY_EFORMAT, "kind \"eos\" is unknown");
}
END_TEST

static const char *const numbers[] = {
    "/input/tokens",  "/input/length",         "/input/decode",        "/input/pixels",
    "/expect/tokens", "/expect/truth/prefill", "/expect/truth/decode", "/expect/float32/prefill",
    "/trace/embed",   "/expect/float32/decode"};

START_TEST(text_instead_of_numbers_is_refused)
{
    char reason[64];
    edit_texts(path, numbers[_i], 1, (const char *const[]){"3"});
    (void)snprintf(reason, sizeof reason, "%s: its type is none of", numbers[_i]);
    assert_case_refused(path, ASSAY_EFORMAT, reason);
}
END_TEST

START_TEST(a_member_of_another_type_is_refused)
{
    edit_f64(path, "/input/length", 1, (size_t[]){2}, (const double[]){3, 5});
    assert_case_refused(path, ASSAY_EFORMAT, "/input/length has type F64, expected I32");
    edit_texts(path, "/input/length", 2, (const char *const[]){"3", "5"});
    assert_case_refused(path, ASSAY_EFORMAT, "/input/length: its type is none of");
    edit_i32(path, "/expect/finish", 1, (size_t[]){2}, (const int32_t[]){0, 1});
    edit_i32(path, "/input/length", 1, (size_t[]){2}, (const int32_t[]){3, 5});
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/finish is not text");
}
END_TEST

START_TEST(a_member_of_another_shape_is_refused)
{
    static const double some[CASE_B * CASE_T * FORMULA_VOCAB];
    edit_f64(path, "/expect/truth/prefill", 3, (size_t[]){CASE_B, CASE_T - 1, FORMULA_VOCAB}, some);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/truth/prefill has shape [2,4,19], expected [2,5,*]");
}
END_TEST

START_TEST(empty_members_are_refused)
{
    edit_i32(path, "/expect/tokens", 2, (size_t[]){CASE_B, 0}, NULL);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/tokens is empty");
    edit_remove(path, "/input/decode");
    edit_remove(path, "/expect/truth/decode");
    edit_remove(path, "/expect/float32/decode");
    edit_f64(path, "/expect/truth/prefill", 3, (size_t[]){CASE_B, CASE_T, 0}, NULL);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/truth/prefill has no vocabulary");
}
END_TEST

START_TEST(attributes_of_another_shape_or_type_are_refused)
{
    edit_attribute(path, "flags", "alone");
    assert_case_refused(path, ASSAY_EFORMAT, "flags has 0 axes and 1 strings, expected a list");
    edit_remove_attribute(path, "flags");
    edit_attribute(path, "float64_bound", "1e-9");
    assert_case_refused(path, ASSAY_EFORMAT, "float64_bound of / is not one number");
}
END_TEST

START_TEST(runs_with_different_vocabularies_are_refused)
{
    static const float some[CASE_B * CASE_T * FORMULA_VOCAB];
    edit_f32(path, "/expect/float32/prefill", 3, (size_t[]){CASE_B, CASE_T, FORMULA_VOCAB - 1}, some);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/float32/prefill has shape [2,5,18], expected [2,5,19]");
}
END_TEST

START_TEST(a_case_without_tokens_is_refused)
{
    edit_i32(path, "/input/tokens", 2, (size_t[]){0, 5}, NULL);
    assert_case_refused(path, ASSAY_EFORMAT, "/input/tokens is empty");
}
END_TEST

START_TEST(lengths_outside_the_prompt_are_refused)
{
    static const int32_t bad[] = {0, -1, CASE_T + 1};
    for (size_t i = 0; i < 3; i++) {
        edit_i32(path, "/input/length", 1, (size_t[]){2}, (const int32_t[]){3, bad[i]});
        assert_case_refused(path, ASSAY_EFORMAT, "/input/length: sample 1 has");
    }
}
END_TEST

START_TEST(tokens_outside_the_vocabulary_are_refused)
{
    edit_element(path, "/input/tokens", 4, FORMULA_VOCAB);
    assert_case_refused(path, ASSAY_EFORMAT, "/input/tokens: sample 0 holds token 19");
    edit_element(path, "/input/tokens", 4, -1);
    assert_case_refused(path, ASSAY_EFORMAT, "/input/tokens: sample 0 holds token -1");
    edit_element(path, "/input/tokens", 4, 1);
    edit_element(path, "/input/decode", 3, FORMULA_VOCAB);
    assert_case_refused(path, ASSAY_EFORMAT, "/input/decode: sample 1 holds token 19");
    edit_element(path, "/input/decode", 3, 1);
    edit_element(path, "/expect/tokens", 0, FORMULA_VOCAB);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/tokens: sample 0 holds token 19");
}
END_TEST

START_TEST(placeholders_of_a_prompt_with_media_may_lie_beyond_the_vocabulary)
{
    edit_i32(path, "/input/image_sample", 1, (size_t[]){1}, (const int32_t[]){0});
    edit_f32(path, "/input/pixel_values", 2, (size_t[]){1, 2}, (const float[]){0.5F, 1});
    edit_element(path, "/input/tokens", 4, FORMULA_VOCAB);
    conf_case *c = read_sound();
    conf_case_free(c);
    edit_element(path, "/input/tokens", 4, -1);
    assert_case_refused(path, ASSAY_EFORMAT, "/input/tokens: sample 0 holds token -1");
    edit_element(path, "/input/tokens", 4, 1);
    edit_element(path, "/input/decode", 3, FORMULA_VOCAB);
    assert_case_refused(path, ASSAY_EFORMAT, "/input/decode: sample 1 holds token 19");
}
END_TEST

START_TEST(tokens_after_the_end_are_refused)
{
    edit_element(path, "/expect/tokens", 1, -1);
    assert_case_refused(path, ASSAY_EFORMAT, "after its end at step 1");
}
END_TEST

START_TEST(an_unknown_finish_is_refused)
{
    edit_texts(path, "/expect/finish", 2, (const char *const[]){"stop", "eos"});
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/finish: sample 1 has \"eos\"");
    edit_texts(path, "/expect/finish", 1, (const char *const[]){"stop"});
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/finish has shape [1], expected [2]");
}
END_TEST

START_TEST(padding_that_is_not_nan_is_refused)
{
    edit_element(path, "/expect/truth/prefill", FORMULA_VOCAB + 1, 0);
    assert_case_refused(path, ASSAY_EFORMAT,
                        "/expect/truth/prefill: sample 0, column 1 of its padding is 0, expected NaN");
    edit_element(path, "/expect/truth/prefill", FORMULA_VOCAB + 1, (double)NAN);
    edit_element(path, "/expect/float32/prefill", 0, -1);
    assert_case_refused(path, ASSAY_EFORMAT,
                        "/expect/float32/prefill: sample 0, column 0 of its padding is -1, expected NaN");
}
END_TEST

START_TEST(a_truth_that_is_nan_is_refused)
{
    edit_element(path, "/expect/truth/decode", 0, (double)NAN);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/truth/decode: sample 0, position 0, id 0 is");
}
END_TEST

START_TEST(infinite_noise_is_refused)
{
    edit_element(path, "/expect/float32/decode", 1, INFINITY);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/float32/decode: sample 0, position 0, id 1 is inf");
}
END_TEST

START_TEST(a_run_in_a_narrower_type_is_read_and_checked_like_the_float32_one)
{
    conf_case *c;
    assay_error err = {0};
    support_write_narrow(path, "bfloat16");
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_OK);
    const conf_rows *rows = &c->decoder.rows;
    ck_assert_uint_eq(c->unknown.n, 0);
    ck_assert_ptr_eq(conf_rows_noise(rows, CONF_COMPUTE_NONE), rows->runs[0].rows);
    ck_assert_ptr_eq(conf_rows_noise(rows, CONF_COMPUTE_F32), rows->runs[0].rows);
    ck_assert_ptr_null(conf_rows_noise(rows, CONF_COMPUTE_I8));
    const double *narrow = conf_rows_noise(rows, CONF_COMPUTE_BF16);
    ck_assert_ptr_nonnull(narrow);
    for (size_t i = 0; i < rows->n_rows * rows->n_cols; i++)
        ck_assert_double_eq_tol(fabs(narrow[i] - rows->truth[i]), FORMULA_NARROW, 1e-6);
    conf_case_free(c);
    edit_element(path, "/expect/bfloat16/decode", 1, (double)NAN);
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/bfloat16/decode: sample 0, position 0, id 1 is");
    support_write_narrow(path, "int8");
    edit_remove(path, "/expect/bfloat16");
    edit_remove(path, "/expect/int8/decode");
    assert_case_refused(path, ASSAY_EFORMAT, "/expect/int8/decode is missing");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/kinds/case");
    TCase *cases = tcase_create("cases");
    tcase_add_checked_fixture(cases, setup, support_teardown);
    tcase_add_test(cases, a_valid_case_is_read_without_its_padding);
    tcase_add_test(cases, forced_steps_may_be_absent);
    tcase_add_test(cases, the_number_of_forced_steps_may_be_zero);
    tcase_add_test(cases, a_generate_case_needs_no_truth);
    tcase_add_test(cases, other_inputs_keep_their_name_and_type);
    tcase_add_test(cases, unknown_members_are_noted);
    tcase_add_loop_test(cases, a_missing_member_is_named, 0, 8);
    tcase_add_test(cases, a_logits_case_needs_its_truth);
    tcase_add_test(cases, an_unknown_kind_is_refused);
    tcase_add_loop_test(cases, text_instead_of_numbers_is_refused, 0,
                        (int)(sizeof numbers / sizeof *numbers));
    tcase_add_test(cases, a_member_of_another_type_is_refused);
    tcase_add_test(cases, a_member_of_another_shape_is_refused);
    tcase_add_test(cases, empty_members_are_refused);
    tcase_add_test(cases, attributes_of_another_shape_or_type_are_refused);
    tcase_add_test(cases, runs_with_different_vocabularies_are_refused);
    tcase_add_test(cases, a_case_without_tokens_is_refused);
    tcase_add_test(cases, lengths_outside_the_prompt_are_refused);
    tcase_add_test(cases, tokens_outside_the_vocabulary_are_refused);
    tcase_add_test(cases, placeholders_of_a_prompt_with_media_may_lie_beyond_the_vocabulary);
    tcase_add_test(cases, tokens_after_the_end_are_refused);
    tcase_add_test(cases, an_unknown_finish_is_refused);
    tcase_add_test(cases, padding_that_is_not_nan_is_refused);
    tcase_add_test(cases, a_truth_that_is_nan_is_refused);
    tcase_add_test(cases, infinite_noise_is_refused);
    tcase_add_test(cases, a_run_in_a_narrower_type_is_read_and_checked_like_the_float32_one);
    suite_add_tcase(suite, cases);

    return support_run(suite);
}
