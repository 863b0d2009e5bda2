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
    assert_holds(o->out,
                 "stateful.so\n                     has  unlocks\n assay_engine_v2 (assay/engine.h)\n");
    assert_holds(
        o->out,
        "  step               yes  logits (up to 2 cases), generate (up to 1 case); manners whole, last, "
        "chunk-1, chunk-7, chunk-64, chunk-512, apart, rest, refused\n");
    assert_holds(o->out, "  rewind             yes  manner rewind\n");
    assert_holds(o->out, "  rewind             no   manner rewind\n");
    assert_holds(o->out, "  tap                no   manner stopped; the first wrong tensor");
    assert_holds(o->out, "  rope               no   rope (0 cases)\n");
    assert_holds(o->out, " assay_serving_v2 (assay/serving.h): not exported\n");
}
END_TEST

START_TEST(required_functions_are_listed_too)
{
    static const char *const names[] = {"model_open", "model_free", "model_vocab", "session_open",
                                        "session_free"};
    const support_output *o = support_assay("run --explain -e %s sound", support_engine("stateful"));
    assert_code(o, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[64];
        (void)snprintf(line, sizeof line, "\n  %-18s yes  required\n", names[i]);
        assert_holds(o->out, line);
    }
}
END_TEST

/* Whether an engine accepts an option shows only in a run; how many cases use it is known before. */
START_TEST(options_and_inputs_are_listed_with_the_cases_that_use_them)
{
    support_write_narrow(support_path("sound/a/logits.h5"), "bfloat16");
    edit_attribute_number(support_path("sound/a/logits.h5"), "/", "cache_limit", 4);
    edit_attribute_number(support_path("sound/a/logits.h5"), "/", "cache_kept", 1);
    edit_f32(support_path("bad/off.h5"), "/input/pixels", 1, (const size_t[]){2}, (const float[]){1, 2});
    const support_output *o = support_assay("run --explain -e %s sound bad", support_engine("stateful"));
    assert_code(o, 0);
    assert_holds(o->out, "\n options and inputs: an engine may refuse any of them\n");
    assert_holds(o->out, "\n  limit              ?    a limited cache capacity (up to 1 case)\n");
    assert_holds(o->out,
                 "\n  compute            ?    --compute bf16 (up to 1 case), --compute int8 (0 cases)\n");
    assert_holds(o->out, "\n  kernels            ?    --kernels LIBRARY (up to 3 cases)\n");
    assert_holds(o->out, "\n  allow_unknown      ?    --allow-unknown MEMBER\n");
    assert_holds(o->out, "\n  step.items         ?    inputs besides tokens (up to 1 case)\n");
    assert_holds(o->out, "\n  step.positions     ?    no case: all leave the positions to the engine\n");
}
END_TEST

START_TEST(a_module_without_an_engine_is_explained_too)
{
    const support_output *o = support_assay("run --explain -e %s sound", support_engine("serving"));
    assert_code(o, 0);
    assert_holds(o->out, " assay_engine_v2 (assay/engine.h): not exported\n");
    assert_holds(o->out, "  stop_set           yes  eos (0 cases)\n");
    assert_holds(o->out, "  image_size         yes  preprocess (0 cases)\n");
    assert_holds(o->out, "  sound_size         yes  preprocess (0 cases)\n");
    assert_holds(o->out, "  completion_…       no   dialogue (0 cases)\n");
    assert_holds(o->out, "  template_render    yes  template (0 cases)\n");
    assert_lacks(o->out, "--compute");
}
END_TEST

START_TEST(a_module_with_streams_alone_is_explained_too)
{
    const support_output *o = support_assay("run --explain -e %s sound", support_engine("streams_alone"));
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, " assay_engine_v2 (assay/engine.h): not exported\n");
    assert_holds(o->out, " assay_serving_v2 (assay/serving.h): not exported\n");
    assert_holds(o->out,
                 " assay_streams_v1 (assay/stream.h)\n"
                 "  all of it          yes  threads (0 cases); assay run also needs assay_engine_v2\n");
}
END_TEST

START_TEST(a_module_without_any_table_is_an_error)
{
    const support_output *o = support_assay("run --explain -e %s sound", support_engine("no_symbol"));
    assert_code(o, 99);
    assert_holds(o->err, "does not export assay_engine_v2");
    ck_assert_str_eq(o->out, "");
}
END_TEST

/* timeout signals its child, and then the process group of both. */
START_TEST(an_interrupt_ends_the_explanation)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "MODULE_FAULT=never-opens timeout --preserve-status -s INT 2 \"$ASSAY\" run --explain "
                   "-e %s -e %s sound",
                   support_engine("streams_alone"), support_engine("stateful"));
    const support_output *o = support_shell(command);
    assert_code(o, 128 + 2);
    assert_lacks(o->out, "stateful.so");
    ck_assert_str_eq(o->err, "assay: interrupted\n");
}
END_TEST

START_TEST(an_engine_that_cannot_be_loaded_is_an_error)
{
    const support_output *o = support_assay("run --explain -e %s -e %s sound", support_engine("wrong_abi"),
                                            support_engine("stateful"));
    assert_code(o, 99);
    assert_holds(o->err, "built for engine ABI ");
    assert_holds(o->out, "stateful.so\n                     has  unlocks\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/explain");
    TCase *tests = tcase_create("explain");
    tcase_add_checked_fixture(tests, setup, support_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, each_member_of_the_table_is_listed_with_what_it_unlocks);
    tcase_add_test(tests, required_functions_are_listed_too);
    tcase_add_test(tests, options_and_inputs_are_listed_with_the_cases_that_use_them);
    tcase_add_test(tests, a_module_without_an_engine_is_explained_too);
    tcase_add_test(tests, a_module_with_streams_alone_is_explained_too);
    tcase_add_test(tests, a_module_without_any_table_is_an_error);
    tcase_add_test(tests, an_interrupt_ends_the_explanation);
    tcase_add_test(tests, an_engine_that_cannot_be_loaded_is_an_error);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
