/* SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include "base/tests/support.h"

static const char *const MEMBERS[] = {"a", NULL};

static assay_status read_options(const assay_model_options *given, assay_model_options *out, assay_error *err)
{
    return assay_options_read(out, sizeof *out, given, "assay_model_options", err);
}

/* A caller that was built before allow_unknown existed: memory after its options is not read. */
START_TEST(members_beyond_the_callers_size_take_their_default)
{
    assay_model_options out, given = {.size = offsetof(assay_model_options, allow_unknown),
                                      .compute = ASSAY_BF16,
                                      .allow_unknown = MEMBERS};
    assay_error err = {0};
    ck_assert_int_eq(read_options(&given, &out, &err), ASSAY_OK);
    ck_assert_int_eq(out.compute, ASSAY_BF16);
    ck_assert_ptr_null(out.allow_unknown);
    ck_assert_uint_eq(out.size, sizeof out);
}
END_TEST

START_TEST(every_member_of_this_build_is_read)
{
    assay_model_options out, given = {.size = sizeof given, .compute = ASSAY_I8, .allow_unknown = MEMBERS};
    assay_error err = {0};
    ck_assert_int_eq(read_options(&given, &out, &err), ASSAY_OK);
    ck_assert_int_eq(out.compute, ASSAY_I8);
    ck_assert_ptr_null(out.kernels);
    ck_assert_ptr_eq(out.allow_unknown, MEMBERS);
}
END_TEST

/* given has the size of a struct with one more member. */
START_TEST(a_member_of_a_later_build_must_have_its_default)
{
    struct {
        assay_model_options known;
        uint64_t later;
    } given = {.known = {.size = sizeof given, .compute = ASSAY_F32}};
    assay_model_options out = {0};
    assay_error err = {0};
    ck_assert_int_eq(read_options(&given.known, &out, &err), ASSAY_OK);
    ck_assert_int_eq(out.compute, ASSAY_F32);
    given.later = 1;
    out.compute = ASSAY_I8;
    ck_assert_int_eq(read_options(&given.known, &out, &err), ASSAY_EUNSUPPORTED);
    char expected[160];
    (void)snprintf(
        expected, sizeof expected,
        "assay_model_options: the member at byte %zu is set, and only the first %zu bytes are known",
        sizeof out, sizeof out);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, expected, NULL);
    ck_assert_int_eq(out.compute, ASSAY_I8);
}
END_TEST

START_TEST(without_options_every_member_has_its_default)
{
    assay_model_options out = {.compute = ASSAY_I8, .allow_unknown = MEMBERS};
    assay_error err = {0};
    ck_assert_int_eq(read_options(NULL, &out, &err), ASSAY_OK);
    ck_assert_uint_eq(out.size, sizeof out);
    ck_assert_uint_eq(out.compute, ASSAY_DTYPE_NONE);
    ck_assert_ptr_null(out.kernels);
    ck_assert_ptr_null(out.allow_unknown);
}
END_TEST

START_TEST(a_size_that_does_not_hold_itself_is_refused)
{
    const assay_model_options given = {.size = 3};
    assay_model_options out = {.compute = ASSAY_I8};
    assay_error err = {0};
    ck_assert_int_eq(read_options(&given, &out, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "assay_model_options: size is 3, expected at least 4", NULL);
    ck_assert_int_eq(read_options(&given, &out, NULL), ASSAY_EINVAL);
    ck_assert_uint_eq(out.compute, ASSAY_I8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/options");
    TCase *all = tcase_create("all");
    tcase_add_test(all, members_beyond_the_callers_size_take_their_default);
    tcase_add_test(all, every_member_of_this_build_is_read);
    tcase_add_test(all, a_member_of_a_later_build_must_have_its_default);
    tcase_add_test(all, without_options_every_member_has_its_default);
    tcase_add_test(all, a_size_that_does_not_hold_itself_is_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
