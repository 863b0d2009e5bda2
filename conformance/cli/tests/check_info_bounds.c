/* assay info --bounds: from which runs bounds follow, by which formula.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/support.h"

enum { ELEMENT = 3 * 19 + 5 }; /* sample 1, step 1, id 5 of decode [2, 2, 19] */

#define CASE support_path("sound/generate.h5")

/* The noise is 1.5 * 2^-13, from one element; the others differ by 2^-13 at most. */
static void setup(void)
{
    support_setup();
    support_write_cases();
    edit_element(CASE, "/expect/truth/decode", ELEMENT, 1);
    edit_element(CASE, "/expect/float32/decode", ELEMENT, 1 + 0x1.8p-13);
    edit_attribute_number(CASE, "/", "float64_bound", 1e-9);
    edit_attribute(CASE, "float64_reason", "a long sum");
}

START_TEST(bounds_are_four_times_the_noise_that_is_named)
{
    const support_output *o = support_assay("info --bounds sound/generate.h5");
    assert_code(o, 0);
    assert_holds(o->out, "kind       generate\nlogits     12 rows of 19, largest ");
    assert_holds(o->out, "\nf32        4 times the unit; ");
    assert_holds(o->out, "  its largest error: sample 1, decode, step 1, id 5\n");
    assert_holds(o->out, "  largest error   0.0001831  0.0001831  0.0007324  noise\n");
    assert_holds(o->out, ": 1e-09 of the largest logit, since a long sum\n");
    assert_holds(o->out, "  layer.00.out                1e-06 ");
    assert_lacks(o->out, "bf16");
}
END_TEST

/* 16 ulps at 200 are 2^-12. */
START_TEST(noise_below_the_floor_has_the_floor_for_its_unit)
{
    edit_element(CASE, "/expect/truth/decode", ELEMENT, 200);
    edit_element(CASE, "/expect/float32/decode", ELEMENT, 200);
    const support_output *o = support_assay("info --bounds sound/generate.h5");
    assert_code(o, 0);
    assert_holds(o->out, "floor      0.0002441: 16 float32 ulps");
    assert_holds(o->out, "  largest error   0.0001221  0.0002441  0.0009766  floor\n");
}
END_TEST

START_TEST(the_document_has_the_same_numbers)
{
    const support_output *o = support_assay("info --bounds --json - sound/generate.h5");
    assert_code(o, 0);
    assert_holds(o->out, "\"multiple\":4.0");
    assert_holds(o->out, "\"run\":\"/expect/float32\"");
    assert_holds(o->out, "\"position\":1,");
    assert_holds(o->out, "\"noise\":0.00018310546875,");
    assert_holds(o->out, "\"bound\":0.000732421875");
    assert_holds(o->out, "\"reason\":\"a long sum\"");
    (void)support_write_rope(support_path("rope.h5"), "{\"head_dim\": 4}");
    o = support_assay("info --bounds --json - rope.h5");
    assert_code(o, 0);
    assert_holds(o->out, "\"types\":null");
}
END_TEST

START_TEST(what_has_no_logits_has_another_rule_or_none)
{
    (void)support_write_rope(support_path("rope.h5"), "{\"head_dim\": 4}");
    const support_output *o = support_assay("info --bounds rope.h5");
    assert_code(o, 0);
    assert_holds(o->out, "bounds     f32: 4 (16 + |position|) 2^-24 of the largest value of a row");
    o = support_assay("info --bounds sound");
    assert_code(o, 99);
    assert_holds(o->err, "sound: found a directory, expected a regular file");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/cli/info_bounds");
    TCase *tc = tcase_create("program");
    suite_add_tcase(s, tc);
    tcase_add_checked_fixture(tc, setup, support_teardown);
    tcase_add_test(tc, bounds_are_four_times_the_noise_that_is_named);
    tcase_add_test(tc, noise_below_the_floor_has_the_floor_for_its_unit);
    tcase_add_test(tc, the_document_has_the_same_numbers);
    tcase_add_test(tc, what_has_no_logits_has_another_rule_or_none);
    return support_run(s);
}
