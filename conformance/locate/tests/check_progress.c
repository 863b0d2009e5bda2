/* What locate shows of its progress.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/locate/locate.h"
#include "conformance/locate/location.h"
#include "conformance/tests/layered.h"
#include "conformance/tests/support.h"

/* What a search shows on a terminal of its progress, or in a pipe. */
static char *progress_of(const char *fault, bool terminal)
{
    static char text[8192];
    const conf_limits limits = {.seconds = 60, .mib = conf_mib_default()};
    const char *path = layered_write(4, FORMULA_WIDTH, fault, true);
    const conf_location location = {.path = path, .engine = support_engine("layered"), .limits = &limits};
    FILE *out = tmpfile(), *err = tmpfile();
    ck_assert(out && err);
    const conf_context context = {.out = out, .err = err, .progress = terminal, .columns = 100};
    (void)conf_locate(&location, &context);
    rewind(err);
    text[fread(text, 1, sizeof text - 1, err)] = '\0';
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(fclose(err), 0);
    return text;
}

START_TEST(a_terminal_shows_the_step_that_runs_and_how_many_remain)
{
    const char *text = progress_of("ok", true);
    assert_holds(text, "] 0/5 tensors of sample 0  ");
    assert_holds(text, "] 0/5 tensors of sample 0: the tensors as computed  ");
    assert_holds(text, "] 1/5 the case in every manner of evaluation  ");
    ck_assert_str_eq(text + strlen(text) - 4, "\r\033[K");
}
END_TEST

START_TEST(a_pipe_shows_no_progress)
{
    ck_assert_str_eq(progress_of("ok", false), "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/locate/progress");
    TCase *all = tcase_create("progress");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_set_timeout(all, 120);
    tcase_add_test(all, a_terminal_shows_the_step_that_runs_and_how_many_remain);
    tcase_add_test(all, a_pipe_shows_no_progress);
    suite_add_tcase(suite, all);

    return support_run(suite);
}
