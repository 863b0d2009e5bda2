/* The truth of a case must be float64, and its float64 bound narrower than float32.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "logits", "ok");
}

static void assert_refused(const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
}

static void assert_sound(void)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    conf_case_free(c);
}

static const char *const rotated[] = {"/expect/truth/x", "/expect/truth/cos", "/expect/truth/sin"};

START_TEST(a_rope_truth_in_float32_is_refused)
{
    static const float values[12];
    char reason[96];
    path = support_write_rope(support_path("rope.h5"), "{}");
    edit_f32(path, "/input/x", 2, (size_t[]){3, 4}, values);
    assert_sound();
    edit_f32(path, rotated[_i], 2, (size_t[]){3, 4}, values);
    (void)snprintf(reason, sizeof reason, "%s has type F32, expected F64", rotated[_i]);
    assert_refused(reason);
}
END_TEST

START_TEST(a_float64_bound_wider_than_float32_is_refused)
{
    edit_attribute(path, "float64_reason", "because");
    edit_attribute_number(path, "/", "float64_bound", ldexp(1, -24));
    assert_sound();
    edit_attribute_number(path, "/", "float64_bound", 1e-7);
    assert_refused("float64_bound is 1e-07, expected a number above 0 and at most 5.96046e-08");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/truth");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_loop_test(t, a_rope_truth_in_float32_is_refused, 0, 3);
    tcase_add_test(t, a_float64_bound_wider_than_float32_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
