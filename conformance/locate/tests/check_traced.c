/* assay locate with engines that refuse to be traced: it goes on with their logits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/layered.h"
#include "conformance/tests/support.h"

static const support_output *locate(const char *fault)
{
    (void)layered_write(4, FORMULA_WIDTH, fault, true);
    return support_assay("locate %s.h5 --engine %s", fault, support_engine("layered"));
}

static const char *const refusals[] = {"refuses-traced", "fails-traced"};

#define NOTE "\nthe engine refuses a traced step: no traced steps\n"

START_TEST(an_engine_that_refuses_a_traced_step_is_located_by_its_logits)
{
    char fault[64];
    (void)snprintf(fault, sizeof fault, "%s-made", refusals[_i]);
    const support_output *o = locate(fault);
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, NOTE);
    assert_holds(o->out, "first out of bounds: logits[1,2]: expected ");
    assert_holds(o->out, "whether it arises there is unknown");
    assert_lacks(o->out, "layer.00");
    assert_lacks(o->out, "traced prefill failed");
}
END_TEST

/* The replays trace the prompts as well. */
START_TEST(a_refused_traced_step_does_not_end_the_replays)
{
    char fault[64];
    (void)snprintf(fault, sizeof fault, "%s-longer", refusals[_i]);
    const support_output *o = locate(fault);
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, NOTE);
    assert_holds(o->out, "what is: sample 1, prefill, position 1, id 2: expected ");
    assert_holds(o->out, "\nit is neither batch nor state: sample 1, with batch size 1 in one prefill, "
                         "diverges, too\n");
    (void)snprintf(fault, sizeof fault, "%s-neighbours", refusals[_i]);
    o = locate(fault);
    assert_code(o, 1);
    assert_holds(o->out,
                 "\nit is the batch: sample 1, with batch size 1 and no padding, agrees; the cause is "
                 "its batch neighbours\n");
}
END_TEST

START_TEST(a_sound_engine_that_refuses_a_traced_step_has_nothing_to_locate)
{
    static const char *const faults[][2] = {{"refuses-traced-ok", NOTE},
                                            {"fails-traced-ok", NOTE},
                                            {"refuses-tap", "\nthe engine refuses a traced step: no taps\n"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const support_output *o = locate(faults[i][0]);
        assert_code(o, 77);
        assert_holds(o->out, faults[i][1]);
        assert_holds(o->err,
                     "assay: nothing to locate: the engine gives no tensors that the case has, and the "
                     "logits agree\n");
    }
}
END_TEST

static const support_output *run(const char *fault)
{
    (void)layered_write(4, FORMULA_WIDTH, fault, true);
    return support_assay("run -v %s.h5 --engine %s", fault, support_engine("layered"));
}

START_TEST(a_refused_traced_step_does_not_skip_a_case)
{
    const support_output *o = run("refuses-traced-ok");
    assert_code(o, 0);
    assert_holds(o->out, "no tensors: the engine refuses a traced step: no traced steps");
    assert_holds(o->out, "not stopped: the engine gives no tensor");
    o = run("refuses-traced-made");
    assert_code(o, 1);
    assert_holds(o->out, "times its bound");
    o = run("fails-traced-ok");
    assert_code(o, 1);
    assert_holds(o->out, "traced prefill failed: no traced steps");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/locate/traced");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, an_engine_that_refuses_a_traced_step_is_located_by_its_logits, 0, 2);
    tcase_add_loop_test(all, a_refused_traced_step_does_not_end_the_replays, 0, 2);
    tcase_add_test(all, a_sound_engine_that_refuses_a_traced_step_has_nothing_to_locate);
    tcase_add_test(all, a_refused_traced_step_does_not_skip_a_case);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
