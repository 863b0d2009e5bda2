/* Engines that break a promise of assay/engine.h, and the verdict that names it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"
#include "conformance/tests/verdicts.h"

static conf_verdict verdict_of(const char *fault)
{
    const conf_assignment assignment = {.engine = support_engine("stateful"), .path = stateful_write(fault)};
    return verdict_of_assignment(&assignment);
}

/* fault, the broken promise, where, and the manner that finds it */
static const struct {
    const char *fault, *reason, *where, *manner;
} faults[] = {
    {"past-output", "the engine accesses memory beyond the end of the logits of sample 0", "", "whole"},
    {"before-output", "the engine writes before the start of the logits of sample 0", "", "whole"},
    {"writes-input", "the engine writes to the tokens of sample 0", "", "whole"},
    {"short-output", "the engine does not write all of the logits of sample 0",
     "sample 0, row 0 of 1, id 18 is not written", "whole"},
    {"keeps-tokens", "the engine still uses, after the call, the tokens of sample 0", "", "whole"},
    {"keeps-output", "the engine still uses, after the call, the logits of sample 0", "", "whole"},
    {"accepts-invalid", "a step with token -1 does not fail", "", "refused"},
    {"accepts-nothing", "a step without tokens does not fail", "", "refused"},
    {"accepts-twice", "a call with two steps of one sample does not fail", "", "refused"},
    {"accepts-rows", "a step that wants more rows than it has tokens does not fail", "", "refused"},
    {"accepts-option",
     "session_open with an option that this header does not have does not fail, expected ASSAY_EUNSUPPORTED",
     "", "refused"},
    {"accepts-output", "a step that wants an output named no.such.output does not fail", "", "refused"},
    {"accepts-rewind", "rewind to more tokens than the sample has does not fail, expected ASSAY_EINVAL", "",
     "refused"},
    {"wrong-status",
     "a step with token -1 fails with ASSAY_EIO, expected ASSAY_EINVAL: token -1 is outside the vocabulary",
     "", "refused"},
    {"no-status", "a step with token -1 fails with status 99, expected ASSAY_EINVAL: no reason given", "",
     "refused"},
    {"wrong-status-of-rewind",
     "rewind to more tokens than the sample has fails with ASSAY_EIO, expected ASSAY_EINVAL", "", "refused"},
    {"tap-after-removed", "a tap is called after it was removed", "", "stopped"},
    {"tap-wrong-name", "a tap gets tensors other than layer.00.out, the only one that it names", "",
     "stopped"},
    {"goes-on-after-stop", "a step that a tap stops does not fail", "", "stopped"},
    {"stops-late", "a tap that stops a step is called again in it", "", "stopped"},
};

START_TEST(a_broken_promise_is_named)
{
    conf_verdict v = verdict_of(faults[_i].fault);
    ck_assert_msg(v.outcome == CONF_FAILED, "outcome %d: %s", (int)v.outcome, v.reason);
    ck_assert_str_eq(conf_class_name(v.class), "contract");
    ck_assert_str_eq(v.reason, faults[_i].reason);
    ck_assert_str_eq(v.where, faults[_i].where);
    ck_assert_str_eq(v.manner, faults[_i].manner);
}
END_TEST

/* SIGSEGV that no access caused ends the process as it would without the harness. */
START_TEST(a_signal_that_an_engine_sends_to_itself_is_a_crash)
{
    conf_verdict v = verdict_of("sends-signal");
    ck_assert_int_eq(v.outcome, CONF_FAILED);
#ifdef __SANITIZE_ADDRESS__ /* its own handler reports the signal, and ends the process */
    ck_assert_str_eq(conf_class_name(v.class), "exit");
#else
    ck_assert_str_eq(conf_class_name(v.class), "crash");
    assert_holds(v.reason, "Segmentation fault");
#endif
}
END_TEST

START_TEST(an_engine_may_handle_faults_of_its_own_pages)
{
    conf_verdict v = verdict_of("handles-signal");
    assert_verdict(&v, CONF_PASSED, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/replay/watch");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_loop_test(t, a_broken_promise_is_named, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(t, a_signal_that_an_engine_sends_to_itself_is_a_crash);
    tcase_add_test(t, an_engine_may_handle_faults_of_its_own_pages);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
