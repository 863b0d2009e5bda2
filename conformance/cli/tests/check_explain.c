/* assay run --explain: what an engine offers, and what that unlocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_write_cases();
}

START_TEST(each_member_of_the_table_is_listed_with_what_it_unlocks)
{
    const support_output *o = support_assay("run --explain -e %s -e %s sound bad", support_engine("stateful"),
                                            support_engine("stateful_minimal"));
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "stateful.so   has  unlocks\n assay_engine_v2 (assay/engine.h)\n");
    assert_holds(
        o->out,
        "  step               yes  logits (2 cases), generate (1 case); manners whole, last, chunk-1, "
        "chunk-7, chunk-64, rest, refused\n");
    assert_holds(o->out, "  rewind             yes  manner rewind\n");
    assert_holds(o->out, "  rewind             no   manner rewind\n");
    assert_holds(o->out, "  tap                no   manner stopped; the first wrong tensor");
    assert_holds(o->out, "  rope               no   rope (0 cases)\n");
    assert_holds(o->out, " assay_serving_v2 (assay/serving.h): not exported\n");
}
END_TEST

START_TEST(a_module_without_an_engine_is_explained_too)
{
    const support_output *o = support_assay("run --explain -e %s sound", support_engine("serving"));
    assert_code(o, 0);
    assert_holds(o->out, " assay_engine_v2 (assay/engine.h): not exported\n");
    assert_holds(o->out, "  stop_set           yes  eos (0 cases)\n");
    assert_holds(o->out, "  completion_…       no   dialogue (0 cases)\n");
}
END_TEST

START_TEST(an_engine_that_cannot_be_loaded_is_an_error)
{
    const support_output *o = support_assay("run --explain -e %s -e %s sound", support_engine("wrong_abi"),
                                            support_engine("stateful"));
    assert_code(o, 99);
    assert_holds(o->err, "built for engine ABI ");
    assert_holds(o->out, "stateful.so   has  unlocks\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/explain");
    TCase *tests = tcase_create("explain");
    tcase_add_checked_fixture(tests, setup, support_teardown);
    tcase_add_test(tests, each_member_of_the_table_is_listed_with_what_it_unlocks);
    tcase_add_test(tests, a_module_without_an_engine_is_explained_too);
    tcase_add_test(tests, an_engine_that_cannot_be_loaded_is_an_error);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
