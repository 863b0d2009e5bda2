/* What a program keeps of closed sessions, in the model that its process holds open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"

/* Runs a case of the test's directory through the engine `stateful`, which `served` makes a program. */
static const support_output *run_served(const char *path)
{
    return support_assay("run -e \"exec:$(dirname \"$ASSAY\")/exec/tests/served %s\" %s",
                         support_engine("stateful"), strrchr(path, '/') + 1);
}

static const struct {
    const char *(*write)(const char *fault);
    const char *fault, *where;
} faults[] = {
    {stateful_write_twins, "blocks-by-tokens", "sample 0, prefill, position 4, "},
    {stateful_write_twins_with_images, "images-by-tokens", "sample 0, prefill, position 6, "},
};

START_TEST(what_a_program_keeps_of_a_closed_session_is_found_in_sessions_apart)
{
    const support_output *o = run_served(faults[_i].write(faults[_i].fault));
    assert_code(o, 1);
    assert_holds(o->out, "with each sample in a session of its own");
    assert_holds(o->out, faults[_i].where);
    assert_holds(o->out, "--manner apart");
    o = run_served(faults[_i].write("sound"));
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/exec/apart");
    TCase *tc = tcase_create("apart");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, support_setup, support_teardown);
    tcase_add_loop_test(tc, what_a_program_keeps_of_a_closed_session_is_found_in_sessions_apart, 0,
                        sizeof faults / sizeof *faults);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
