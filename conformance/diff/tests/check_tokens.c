/* Greedy tokens of an observation: near ties, ends of streams, types.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/case/case.h"
#include "conformance/diff/state.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"

START_TEST(tokens_of_another_shape_diverge)
{
    edit_i32(compare_seen, "/observed/tokens", 2, (size_t[]){1, 3}, (const int32_t[]){1, 2, 3});
    assert_diverges("/observed/tokens has shape [1,3], expected [2,4]", "", "");
}
END_TEST

/* The expected token at step k of sample 0. */
static int golden_token(size_t k)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_OK);
    int32_t token = ((const int32_t *)c->decoder.greedy.data)[k];
    conf_case_free(c);
    return token;
}

/* Type i of those that tokens may have. */
static hid_t integer(int i)
{
    const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_I16LE, H5T_STD_I16BE, H5T_STD_I32BE,
                           H5T_STD_I64LE, H5T_STD_I64BE, H5T_STD_U16BE, H5T_STD_U64LE};
    return types[i];
}
enum { N_SIGNED = 6, N_INTEGERS = 8 };

START_TEST(tokens_may_be_any_integers)
{
    if (_i >= N_SIGNED) { /* unsigned: cannot store the -1 after the end */
        edit_element(compare_golden, "/expect/tokens", 3, 2);
        edit_texts(compare_golden, "/expect/finish", 2, (const char *const[]){"length", "length"});
        support_write_text(support_path("model/config.json"), "{\"eos_token_id\": 18}");
        edit_element(compare_seen, "/observed/tokens", 3, 2);
    }
    edit_retype(compare_seen, "/observed/tokens", integer(_i));
    assert_agrees(compare_golden, compare_seen);
    assert_agrees(compare_seen, compare_seen);
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    assert_diverges("a greedy token differs", "sample 0, greedy step 1: expected token ", "");
}
END_TEST

START_TEST(a_token_of_more_than_32_bits_is_printed_in_full)
{
    char where[128];
    double beyond = golden_token(1) + 4294967296.0; /* the same in its lower 32 bits */
    (void)snprintf(where, sizeof where, "expected token %d, found token %.0f", golden_token(1), beyond);
    edit_retype(compare_seen, "/observed/tokens", H5T_STD_I64LE);
    edit_element(compare_seen, "/observed/tokens", 1, beyond);
    assert_diverges("a greedy token differs", where, "");
    edit_element(compare_seen, "/observed/tokens", 1, -2);
    assert_diverges("a greedy token differs", "found token -2", "");
    edit_retype(compare_seen, "/observed/tokens", H5T_STD_U64LE);
    edit_element(compare_seen, "/observed/tokens", 1, 18446744073709549568.0);
    assert_refused("/observed/tokens: element 1 is 18446744073709549568, larger than an int64");
}
END_TEST

/* Makes another token as good as the golden one at greedy step k of sample 1, up to a tiny difference: the
 * truth prefers the golden one, the observation prefers and has the other. */
static void make_tie(size_t k)
{
    static const char *const groups[] = {"/expect/truth", "/expect/float32", "/observed"};
    conf_case *c;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(compare_golden, &c, &err), ASSAY_OK);
    size_t best = (size_t)((const int32_t *)c->decoder.greedy.data)[CASE_M + k], other = best == 1 ? 2 : 1;
    size_t row = k ? CASE_N + k - 1 : (size_t)CASE_B * CASE_T - 1;
    conf_case_free(c);
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/%s", groups[i], k ? "decode" : "prefill");
        const char *path = i < 2 ? compare_golden : compare_seen;
        edit_element(path, name, row * FORMULA_VOCAB + best, i < 2 ? 9 : 9 - FORMULA_NOISE);
        edit_element(path, name, row * FORMULA_VOCAB + other, i < 2 ? 9 - FORMULA_NOISE : 9);
    }
    edit_element(compare_seen, "/observed/tokens", CASE_M + k, (double)other);
}

static void set_forced(hid_t file)
{
    const int one = 1;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(file, "forced_tokens", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(id, H5T_NATIVE_INT, &one), 0);
    (void)H5Aclose(id);
    (void)H5Sclose(space);
}

START_TEST(a_flip_at_a_near_tie_is_excused)
{
    make_tie((size_t)_i);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s %s", x.err.text, x.v.reason,
                  x.v.where);
    assert_holds(x.v.notes, "1 greedy tokens flipped at near ties");
    assert_holds(x.v.notes, _i ? "2 greedy steps after a flip not judged" : "3 greedy steps after a flip");
}
END_TEST

START_TEST(steps_after_a_flip_are_judged_if_tokens_were_forced)
{
    make_tie(0);
    edit_element(compare_seen, "/observed/tokens", CASE_M + 3, 1000);
    assert_agrees(compare_golden, compare_seen);
    edit_file(compare_seen, set_forced);
    assert_diverges("a greedy token differs", "sample 1, greedy step 3", "");
    edit_remove_attribute(compare_seen, "forced_tokens");
    edit_attribute_number(compare_seen, "/", "forced_tokens", 0.5);
    assert_refused("forced_tokens is 0.5, expected 0 or 1");
    edit_remove_attribute(compare_seen, "forced_tokens");
    edit_attribute(compare_seen, "forced_tokens", "yes");
    assert_refused("forced_tokens of / is not one number");
}
END_TEST

START_TEST(logits_that_are_not_judged_excuse_a_flip)
{
    make_tie(0);
    edit_element(compare_seen, "/observed/decode", 0, 100);
    compare_parts = CONF_DIFF_TOKENS;
    assert_agrees(compare_golden, compare_seen);
    edit_remove(compare_seen, "/observed/prefill");
    assert_diverges("a greedy token differs", "sample 1, greedy step 0", "");
    compare_answer x = compare(compare_golden, compare_seen);
    assert_holds(x.v.notes, "without logits near ties cannot be recognised: every other token diverges");
}
END_TEST

START_TEST(a_flip_is_not_excused_if_the_logits_do_not_fit)
{
    make_tie(0);
    edit_f32(compare_seen, "/observed/prefill", 1, (size_t[]){1}, (const float[]){0});
    assert_diverges("/observed/prefill has shape [1], expected [2,5,19]", "", "");
    compare_answer x = compare(compare_golden, compare_seen);
    assert_holds(x.v.notes, "also a greedy token differs");
}
END_TEST

/* Sample 0 ends with the stop id 5 at step 2; the checkpoint now stops at the token before it as well. */
START_TEST(a_stop_id_after_which_the_golden_continues_is_named)
{
    int token = golden_token(1);
    char config[64], where[128];
    (void)snprintf(config, sizeof config, "{\"eos_token_id\": [5, %d]}", token);
    (void)snprintf(where, sizeof where,
                   "sample 0, greedy step 1: token %d is a stop id, and the expected stream goes on past it",
                   token);
    support_write_text(support_path("model/config.json"), config);
    assert_diverges("the stream goes on past a stop id", where, "");
    edit_element(compare_seen, "/observed/tokens", 2, -1);
    assert_diverges("the stream ends where the expected one goes on", where, "");
}
END_TEST

START_TEST(a_golden_without_truth_judges_only_tokens)
{
    edit_remove(compare_golden, "/expect/truth");
    edit_remove(compare_golden, "/expect/float32");
    assert_agrees(compare_golden, compare_seen);
    edit_element(compare_seen, "/observed/tokens", 1, 4);
    assert_diverges("a greedy token differs", "sample 0, greedy step 1", "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/tokens");
    TCase *tc = tcase_create("tokens");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, tokens_of_another_shape_diverge);
    tcase_add_loop_test(tc, a_flip_at_a_near_tie_is_excused, 0, 2);
    tcase_add_test(tc, steps_after_a_flip_are_judged_if_tokens_were_forced);
    tcase_add_test(tc, logits_that_are_not_judged_excuse_a_flip);
    tcase_add_test(tc, a_flip_is_not_excused_if_the_logits_do_not_fit);
    tcase_add_test(tc, a_stop_id_after_which_the_golden_continues_is_named);
    tcase_add_test(tc, a_golden_without_truth_judges_only_tokens);
    tcase_add_loop_test(tc, tokens_may_be_any_integers, 0, N_INTEGERS);
    tcase_add_test(tc, a_token_of_more_than_32_bits_is_printed_in_full);
    suite_add_tcase(s, tc);
    return support_run(s);
}
