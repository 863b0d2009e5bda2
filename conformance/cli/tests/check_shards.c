/* The shard that the environment asks for, as Bazel does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <unistd.h>

#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    for (int i = 0; i < 4; i++)
        (void)support_write_decoder(support_path("cases/%c.h5", 'a' + i), "logits", "ok");
}

/* Runs the cases with variables in the environment. */
static const support_output *run(const char *variables, const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command, "env %s \"$ASSAY\" run -e %s %s cases", variables,
                   support_engine("fake32"), arguments);
    return support_shell(command);
}

START_TEST(the_environment_divides_as_the_option_does)
{
    const support_output *o = run("TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=1", "--tap -");
    char found[sizeof o->out];
    assert_code(o, 0);
    (void)snprintf(found, sizeof found, "%s", o->out);
    assert_holds(found, "\n1..2\n");
    o = run("", "--shard 2/2 --tap -");
    ck_assert_str_eq(o->out, found);
    o = run("TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0", "--shard 2/2 --tap -");
    ck_assert_str_eq(o->out, found);
}
END_TEST

START_TEST(the_status_file_is_made)
{
    const char *file = support_path("status");
    const support_output *o = run("TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0 TEST_SHARD_STATUS_FILE=status", "");
    assert_code(o, 0);
    ck_assert_int_eq(access(file, F_OK), 0);
    (void)unlink(file);
    o = run("TEST_SHARD_STATUS_FILE=status", "");
    assert_code(o, 0);
    ck_assert_int_ne(access(file, F_OK), 0);
    o = run("TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0 TEST_SHARD_STATUS_FILE=no/status", "");
    assert_code(o, 99);
    assert_holds(o->err, "assay: variable TEST_SHARD_STATUS_FILE: no/status: No such file or directory\n");
}
END_TEST

START_TEST(an_empty_shard_of_bazel_is_no_failure)
{
    const support_output *o = run("TEST_TOTAL_SHARDS=9 TEST_SHARD_INDEX=8", "");
    assert_code(o, 0);
    assert_holds(o->err, "assay: none of 4 cases is in shard 9/9\n");
    o = run("", "--shard 9/9");
    assert_code(o, 77);
    o = run("TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0", "--filter nothing");
    assert_code(o, 77);
}
END_TEST

static const struct {
    const char *variables, *message;
} wrong[] = {
    {"TEST_TOTAL_SHARDS=0 TEST_SHARD_INDEX=0",
     "variable TEST_TOTAL_SHARDS: found 0, expected a whole number from 1 to 1000000\n"},
    {"TEST_TOTAL_SHARDS=-1 TEST_SHARD_INDEX=0", "variable TEST_TOTAL_SHARDS: found -1, expected"},
    {"TEST_TOTAL_SHARDS=1000001 TEST_SHARD_INDEX=0", "variable TEST_TOTAL_SHARDS: found 1000001, expected"},
    {"TEST_TOTAL_SHARDS=99999999999999999999999 TEST_SHARD_INDEX=0", "variable TEST_TOTAL_SHARDS: found 9"},
    {"TEST_TOTAL_SHARDS=2",
     "variable TEST_SHARD_INDEX: found nothing, expected a whole number from 0 to 1\n"},
    {"TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=2",
     "variable TEST_SHARD_INDEX: found 2, expected a whole number from 0 to 1\n"},
    {"TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=1x", "variable TEST_SHARD_INDEX: found 1x, expected"},
};

START_TEST(wrong_variables_are_refused)
{
    const support_output *o = run(wrong[_i].variables, "");
    assert_code(o, 2);
    assert_holds(o->err, wrong[_i].message);
    ck_assert_str_eq(o->out, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/shards");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, the_environment_divides_as_the_option_does);
    tcase_add_test(t, the_status_file_is_made);
    tcase_add_test(t, an_empty_shard_of_bazel_is_no_failure);
    tcase_add_loop_test(t, wrong_variables_are_refused, 0, (int)(sizeof wrong / sizeof *wrong));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
