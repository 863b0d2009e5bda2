/* Prompts with images in all manners of evaluation, and engines whose images are wrong in some of them. Needs
 * the build tree and the fixtures ($top_builddir, $top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"
#include "conformance/tests/verdicts.h"

START_TEST(prompts_with_images_are_divided)
{
    conf_verdict v = verdict_in_manner(stateful_write_images(""), support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_double_eq(v.multiple, 0);
    assert_holds(
        v.notes,
        "; manners: last, chunk-1, chunk-7, apart, rest, late, early, rewind, fork, stopped, refused; "
        "not chunk-64, chunk-512: it would change nothing");
    ck_assert_str_eq(v.left_out, "");
}
END_TEST

START_TEST(prompts_with_unknown_placeholder_tokens_are_not_divided)
{
    const char *path = stateful_write_images("");
    (void)support_shell("cp \"$top_srcdir\"/fixtures/llama/base/model/* model-image");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_double_eq(v.multiple, 0);
    assert_holds(v.notes, "; manners: last, apart, rest, late, early, rewind, fork, stopped, refused; "
                          "not chunk-1, chunk-7: the placeholder tokens of the prompts' inputs are unknown; "
                          "not chunk-64, chunk-512: it would change nothing");
}
END_TEST

START_TEST(an_engine_that_divides_no_image_is_evaluated_with_whole_images)
{
    const char *path = stateful_write_images("refuses-division"), *engine = support_engine("stateful");
    conf_verdict v = verdict_in_manner(path, engine, NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(
        v.notes,
        "; manners: last, chunk-1, chunk-7, apart, rest, late, early, rewind, fork, stopped, refused; "
        "with the placeholder tokens of each input in one step: chunk-1, chunk-7, rewind, fork: "
        "the tokens of an image come in one step; not chunk-64, chunk-512: it would");
    ck_assert_str_eq(v.left_out, "chunk-1, chunk-7, rewind, fork\t"
                                 "the engine refuses to divide the placeholder tokens of an input\n");
    v = verdict_in_manner(path, engine, "chunk-7", NULL);
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes, "in one step: chunk-7: ");
}
END_TEST

START_TEST(batches_with_images_are_rearranged)
{
    const char *path = stateful_write_images(""), *engine = support_engine("stateful");
    for (uint64_t seed = 0; seed < 60; seed++) {
        conf_verdict v = verdict_in_manner(path, engine, NULL, &seed);
        assert_verdict(&v, CONF_PASSED, "");
        ck_assert_double_eq(v.multiple, 0);
    }
}
END_TEST

static const struct {
    const char *fault, *manner;
} image_faults[] = {
    {"fork-writes-shared", "fork"},   {"rest-counter", "rest"},
    {"leave-clears-other", "early"},  {"late-joiner-position", "rest"},
    {"deep-of-batch", "whole"},       {"chunk-restarts-image", "chunk-1"},
    {"image-of-previous", "chunk-1"}, {"rewind-restarts-image", "rewind"},
    {"fork-drops-image", "fork"},
};

START_TEST(a_fault_of_the_state_is_found_with_images)
{
    conf_verdict v = verdict_in_manner(stateful_write_images(image_faults[_i].fault),
                                       support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, "largest error of the logits is ");
    ck_assert_str_eq(v.manner, image_faults[_i].manner);
}
END_TEST

/* Faults by which the engine refuses images or placeholder tokens that it must take. */
static const struct {
    const char *fault, *reason;
} refusing_faults[] = {
    {"rewind-keeps-one", "prefill failed, manner rewind: placeholder token 10 without an image"},
    {"rewind-drops-image", "prefill failed, manner rewind: placeholder token 8 without an image"},
    {"rewind-keeps-image", "prefill failed, manner rewind: 1 images without placeholder tokens"},
};

START_TEST(an_image_comes_again_only_after_a_rewind_before_it)
{
    conf_verdict v = verdict_in_manner(stateful_write_images(refusing_faults[_i].fault),
                                       support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, refusing_faults[_i].reason);
    ck_assert_str_eq(conf_class_name(v.class), "refused");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/manner_images");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, prompts_with_images_are_divided);
    tcase_add_test(t, prompts_with_unknown_placeholder_tokens_are_not_divided);
    tcase_add_test(t, an_engine_that_divides_no_image_is_evaluated_with_whole_images);
    tcase_add_loop_test(t, an_image_comes_again_only_after_a_rewind_before_it, 0,
                        (int)(sizeof refusing_faults / sizeof *refusing_faults));
    tcase_add_test(t, batches_with_images_are_rearranged);
    tcase_add_loop_test(t, a_fault_of_the_state_is_found_with_images, 0,
                        (int)(sizeof image_faults / sizeof *image_faults));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
