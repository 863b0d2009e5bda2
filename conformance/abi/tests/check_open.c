/* Cases with a cache limit: which limits are read, which are refused, which engines replay them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("sound.h5"), "generate", "sound");
}

static void write_limit(double limit, double sink_tokens)
{
    edit_attribute_number(path, "/", "cache_limit", limit);
    edit_attribute_number(path, "/", "cache_kept", sink_tokens);
}

static void expect_limit(size_t limit, size_t sink_tokens)
{
    conf_case *c;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(c->decoder.caches.limit, limit);
    ck_assert_uint_eq(c->decoder.caches.sink_tokens, sink_tokens);
    ck_assert_uint_eq(c->unknown.n, 0);
    conf_case_free(c);
}

static void expect_refused(const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(c);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
}

START_TEST(a_cache_limit_is_read)
{
    expect_limit(0, 0);
    write_limit(11, 4);
    expect_limit(11, 4);
    write_limit(1, 0);
    expect_limit(1, 0);
    write_limit(INT32_MAX, INT32_MAX - 1);
    expect_limit(INT32_MAX, INT32_MAX - 1);
}
END_TEST

static const struct {
    double limit, sink_tokens;
    const char *says;
} BAD[] = {
    {0, 0, "cache_limit is 0, expected a whole number from 1 to 2147483647"},
    {-3, 0, "cache_limit is -3, expected a whole number from 1 to 2147483647"},
    {11.5, 0, "cache_limit is 11.5, expected a whole number"},
    {(double)NAN, 0, "cache_limit is nan, expected a whole number"},
    {1e300, 0, "cache_limit is 1e+300, expected a whole number"},
    {11, 11, "cache_kept is 11, expected a whole number from 0 to 10"},
    {11, 12, "cache_kept is 12, expected a whole number from 0 to 10"},
    {11, -1, "cache_kept is -1, expected a whole number from 0 to 10"},
    {11, 0.5, "cache_kept is 0.5, expected a whole number from 0 to 10"},
};

START_TEST(a_limit_out_of_range_is_refused)
{
    write_limit(BAD[_i].limit, BAD[_i].sink_tokens);
    expect_refused(BAD[_i].says);
}
END_TEST

START_TEST(a_limit_needs_both_attributes_as_numbers)
{
    write_limit(11, 4);
    edit_attribute(path, "cache_kept", "4");
    expect_refused("cache_kept of / is not one number");
    edit_remove_attribute(path, "cache_kept");
    expect_refused("the attribute cache_kept of / is missing");
    edit_attribute(path, "cache_limit", "11");
    expect_refused("cache_limit of / is not one number");
    edit_remove_attribute(path, "cache_limit");
    edit_attribute_number(path, "/", "cache_kept", 4);
    expect_refused("the attribute cache_limit of / is missing");
}
END_TEST

START_TEST(a_refused_limit_is_a_broken_fixture)
{
    write_limit(4, 4);
    const support_output *o = support_assay("run --engine %s sound.h5", support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->out, "sound.h5: cache_kept is 4, expected a whole number from 0 to 3");
}
END_TEST

START_TEST(an_engine_that_refuses_the_limit_skips_the_case)
{
    write_limit(4, 1);
    const support_output *o = support_assay("run --engine %s sound.h5", support_engine("fake32"));
    ck_assert_int_eq(o->code, 77);
    assert_holds(o->out, "skipped: caches have no limit:\n  sound\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/abi/open");
    TCase *tc = tcase_create("limits");
    tcase_add_checked_fixture(tc, setup, support_teardown);
    tcase_add_test(tc, a_cache_limit_is_read);
    tcase_add_loop_test(tc, a_limit_out_of_range_is_refused, 0, (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(tc, a_limit_needs_both_attributes_as_numbers);
    tcase_add_test(tc, a_refused_limit_is_a_broken_fixture);
    tcase_add_test(tc, an_engine_that_refuses_the_limit_skips_the_case);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
