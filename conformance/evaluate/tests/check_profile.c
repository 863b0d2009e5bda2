/* The errors of a failed case by tensor, row, manner and size. Needs the build tree ($top_builddir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/profile.h"

#include <math.h>
#include <string.h>

#include "conformance/tests/layered.h"
#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"
#include "conformance/tests/verdicts.h"

static conf_profile *profile;

static void setup(void)
{
    support_setup();
    profile = conf_profile_share(1);
    ck_assert_ptr_nonnull(profile);
}

static void teardown(void)
{
    conf_profile_unshare(profile, 1);
    support_teardown();
}

/* The verdict on the case, after its profile, which has the manner that the verdict names. */
static conf_verdict collect(const char *path, const char *engine, const char *manner)
{
    conf_assignment a = {.engine = support_engine(engine), .path = path, .manner = manner};
    const conf_verdict v = verdict_of_assignment(&a);
    const conf_manner failing = v.manner[0] ? conf_manner_find(v.manner) : CONF_MANNER_WHOLE;
    profile->manner = failing;
    a.profile = profile;
    const conf_verdict of_profile = verdict_of_assignment(&a);
    ck_assert_msg(of_profile.outcome == CONF_PASSED, "%s", of_profile.reason);
    return v;
}

static double manner_error(const char *name)
{
    for (size_t i = 0; i < profile->n_manners; i++)
        if (strcmp(profile->manners[i].name, name) == 0) return profile->manners[i].multiple;
    ck_abort_msg("no manner %s", name);
}

static double largest_row(void)
{
    double largest = 0;
    for (size_t i = 0; i < profile->n_rows; i++) largest = fmax(largest, profile->rows[i].multiple);
    return largest;
}

START_TEST(the_rows_are_those_of_the_manner_that_fails)
{
    const conf_verdict v = collect(stateful_write("rewind-keeps-one"), "stateful", NULL);
    ck_assert(conf_profile_applies(&v));
    ck_assert_str_eq(v.manner, "rewind");
    ck_assert_double_eq(manner_error("whole"), 0);
    ck_assert_double_eq_tol(manner_error("rewind"), v.multiple / 4, 1e-9);
    ck_assert_double_eq(largest_row(), manner_error("rewind"));
    ck_assert_uint_gt(profile->n_manners, 8); /* also those after the one that fails */
}
END_TEST

START_TEST(a_run_in_one_manner_has_a_profile_in_that_manner)
{
    (void)collect(stateful_write("rewind-keeps-one"), "stateful", "rewind");
    ck_assert_uint_eq(profile->n_manners, 2);
    ck_assert_double_gt(manner_error("rewind"), 1);
}
END_TEST

START_TEST(a_session_that_was_used_before_counts_as_a_manner)
{
    const conf_verdict v =
        collect(support_write_decoder(support_path("again-off.h5"), "generate", "again-off"), "fake32", NULL);
    ck_assert_double_eq(manner_error("whole"), 0);
    ck_assert_double_eq_tol(manner_error("whole, session used before"), v.multiple / 4, 1e-9);
}
END_TEST

START_TEST(every_element_of_these_rows_is_counted_by_its_error)
{
    size_t found = 0, recorded = 0, over = 0;
    (void)collect(support_write_decoder(support_path("off.h5"), "logits", "off"), "fake32", NULL);
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) {
        found += profile->found[i];
        recorded += profile->recorded[i];
        if (conf_profile_sizes[i] > 1) over += profile->found[i];
        if (conf_profile_sizes[i] > 0.25)
            ck_assert_uint_eq(profile->recorded[i], 0); /* the noise, a quarter */
    }
    ck_assert_uint_gt(found, 0);
    ck_assert_uint_eq(found, recorded);
    ck_assert_uint_gt(over, 0);
    ck_assert(profile->has_recorded);
}
END_TEST

START_TEST(tensors_are_in_the_order_in_which_they_are_computed)
{
    const conf_verdict v = collect(layered_write(3, FORMULA_WIDTH, "made", true), "layered", NULL);
    size_t first = 0;
    ck_assert_uint_gt(profile->n_tensors, 2);
    while (first < profile->n_tensors && profile->tensors[first].multiple <= 1) first++;
    ck_assert_uint_lt(first, profile->n_tensors);
    ck_assert_msg(strncmp(v.trace, profile->tensors[first].name, strlen(profile->tensors[first].name)) == 0,
                  "%s: %s", profile->tensors[first].name, v.trace);
}
END_TEST

/* The second of three rows, at position 1000, is wrong in x alone. */
START_TEST(a_rope_has_its_error_by_position_and_part)
{
    const conf_verdict v =
        collect(support_write_rope(support_path("rope.h5"), "{\"is\":\"off-x\"}"), "fake32", NULL);
    size_t n = 0;
    ck_assert(conf_profile_applies(&v));
    ck_assert_int_eq(profile->of, CONF_PROFILE_ROPE);
    ck_assert_uint_eq(profile->n_rows, 3);
    ck_assert_uint_eq(profile->rows[2].pos, 1000);
    ck_assert_double_eq_tol(profile->rows[2].multiple, v.multiple / 4, 1e-9 * v.multiple);
    ck_assert_double_eq(profile->rows[0].multiple, 0);
    ck_assert_str_eq(profile->tensors[0].name, "x, head 0");
    ck_assert_str_eq(profile->tensors[profile->n_tensors - 1].name, "sin");
    ck_assert_double_eq(profile->tensors[0].multiple, profile->rows[2].multiple);
    ck_assert_double_eq(profile->tensors[profile->n_tensors - 1].multiple, 0);
    for (size_t i = 0; i < CONF_PROFILE_SIZES; i++) n += profile->found[i];
    ck_assert_uint_eq(n, 3 * (profile->n_tensors * 4)); /* every element of x, cos and sin */
    ck_assert_uint_eq(profile->n_manners, 0);
}
END_TEST

START_TEST(what_an_engine_has_written_to_shared_memory_is_not_an_index)
{
    memset(profile, 0xFF, sizeof *profile);
    conf_profile_limit(profile);
    ck_assert_uint_eq(profile->n_tensors, 0);
    ck_assert_uint_eq(profile->n_rows, 0);
    ck_assert_uint_eq(profile->n_manners, 0);
    memset(profile, 0x41, sizeof *profile);
    profile->n_tensors = profile->n_rows = profile->n_manners = 1;
    conf_profile_limit(profile);
    ck_assert_uint_lt(strlen(profile->tensors[0].name), CONF_PROFILE_NAME_MAX);
    ck_assert_uint_lt(strlen(profile->manners[0].name), CONF_PROFILE_NAME_MAX);
}
END_TEST

START_TEST(a_crash_has_no_profile)
{
    conf_verdict v = {.outcome = CONF_FAILED, .class = CONF_CLASS_CRASH};
    ck_assert(!conf_profile_applies(&v));
    v.class = CONF_CLASS_LOGITS;
    ck_assert(conf_profile_applies(&v));
    v.outcome = CONF_PASSED;
    ck_assert(!conf_profile_applies(&v));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("evaluate/profile");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_rows_are_those_of_the_manner_that_fails);
    tcase_add_test(tests, a_run_in_one_manner_has_a_profile_in_that_manner);
    tcase_add_test(tests, a_session_that_was_used_before_counts_as_a_manner);
    tcase_add_test(tests, every_element_of_these_rows_is_counted_by_its_error);
    tcase_add_test(tests, tensors_are_in_the_order_in_which_they_are_computed);
    tcase_add_test(tests, a_rope_has_its_error_by_position_and_part);
    tcase_add_test(tests, what_an_engine_has_written_to_shared_memory_is_not_an_index);
    tcase_add_test(tests, a_crash_has_no_profile);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
