/* Reading the traces of a case: each reason to refuse one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "conformance/tests/case_refused.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "generate", "model");
}

START_TEST(a_trace_with_nan_is_refused)
{
    for (size_t i = 0; i < 3; i++) {
        char reason[64];
        edit_element(path, "/trace/embed", i, (double)NAN);
        (void)snprintf(reason, sizeof reason, "/trace/embed: element %zu is", i);
        assert_case_refused(path, ASSAY_EFORMAT, reason);
        edit_element(path, "/trace/embed", i, 0);
    }
}
END_TEST

/* An engine that gives the tensor in its documented shape would be blamed for the difference. */
START_TEST(a_trace_of_another_shape_is_refused)
{
    static const double some[(CASE_T + 1) * FORMULA_WIDTH];
    edit_f64(path, "/trace/embed", 2, (size_t[]){2, FORMULA_WIDTH}, some);
    assert_case_refused(path, ASSAY_EFORMAT, "/trace/embed has shape [2,4], expected [3,*]");
    path = support_write_decoder(path, "logits", "ok");
    edit_f64(path, "/trace/embed", 3, (size_t[]){1, 3, FORMULA_WIDTH}, some);
    (void)support_observe(path, "truth", support_path("seen.h5"));
    const char *const commands[] = {"run -e %s case.h5", "locate -e %s case.h5", "diff case.h5 seen.h5"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[4200];
        (void)snprintf(command, sizeof command, commands[i], support_engine("fake32"));
        const support_output *o = support_assay("%s", command);
        assert_code(o, 99);
        assert_holds(i ? o->err : o->out, "case.h5: /trace/embed has shape [1,3,4], expected [3,*]");
    }
}
END_TEST

START_TEST(a_noise_that_is_not_a_distance_is_refused)
{
    edit_attribute_number(path, "/trace/embed", "noise", -1);
    assert_case_refused(path, ASSAY_EFORMAT, "noise of /trace/embed is -1");
    edit_attribute_number(path, "/trace/embed", "noise", INFINITY);
    assert_case_refused(path, ASSAY_EFORMAT, "noise of /trace/embed is inf");
    edit_attribute_number(path, "/trace/embed", "noise", (double)NAN);
    assert_case_refused(path, ASSAY_EFORMAT, "noise of /trace/embed is");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/kinds/traces");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, support_teardown);
    tcase_add_test(all, a_trace_with_nan_is_refused);
    tcase_add_test(all, a_trace_of_another_shape_is_refused);
    tcase_add_test(all, a_noise_that_is_not_a_distance_is_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
