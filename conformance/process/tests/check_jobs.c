/* Jobs in parallel, shards, and the values of their options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/case/find.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/sound.h5"), "logits", "ok");
}

static void add_case(const char *name, const char *fault)
{
    (void)support_write_decoder(support_path("cases/%s.h5", name), "logits", fault);
}

/* Each of the two cases ends only while the other one is running. */
START_TEST(jobs_run_concurrently)
{
    add_case("a", "meet-a");
    add_case("b", "meet-b");
    const support_output *o =
        support_assay("run -e %s --jobs 2 --timeout 20 -f '[ab]' cases", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "2 passed, 0 failed, 0 skipped\n");
}
END_TEST

START_TEST(one_job_runs_one_case_at_a_time)
{
    add_case("a", "meet-a");
    add_case("b", "meet-b");
    const support_output *o =
        support_assay("run -e %s -j1 --timeout 0.5 -f '[ab]' cases", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (hang) cases/a.h5 ");
    assert_holds(o->out, "did not answer within 0.5 s and was killed in model_open\n");
    assert_holds(o->out, "1 passed, 1 failed, 0 skipped\n");
}
END_TEST

START_TEST(reports_keep_the_order_of_cases)
{
    add_case("a-slow", "slow");
    add_case("b-off", "off");
    add_case("c-slow", "slow");
    add_case("d-off", "off");
    add_case("e-skip", "unsupported");
    char one[65536], command[8192];
    const char *line = "\"$ASSAY\" run --tap tap -v -e %s -e %s -j %d cases; cat tap";
    for (int jobs = 1; jobs <= 8; jobs += 7) {
        (void)snprintf(command, sizeof command, line, support_engine("fake32"), support_engine("fake64"),
                       jobs);
        const support_output *o = support_shell(command);
        assert_holds(o->out, "\nok 1 - a-slow ");
        assert_holds(o->out, "\n1..12\n");
        if (jobs == 1) (void)snprintf(one, sizeof one, "%s", o->out);
        else ck_assert_str_eq(o->out, one);
    }
}
END_TEST

START_TEST(the_hash_is_fnv_1a)
{
    ck_assert_uint_eq(conf_find_hash(""), 0xcbf29ce484222325U);
    ck_assert_uint_eq(conf_find_hash("a"), 0xaf63dc4c8601ec8cU);
    ck_assert_uint_eq(conf_find_hash("foobar"), 0x85944171f73967e8U);
}
END_TEST

START_TEST(shards_are_disjoint_and_complete)
{
    char seen[16][8] = {{0}};
    size_t n_seen = 0;
    for (int i = 0; i < 12; i++) support_write_sizes(support_path("cases/%c.json", 'a' + i));
    for (int shard = 1; shard <= 3; shard++) {
        const support_output *o = support_assay("list --shard %d/3 -f '?' cases", shard);
        assert_code(o, 0);
        for (const char *at = o->out; *at; at += strcspn(at, "\n") + 1) {
            for (size_t i = 0; i < n_seen; i++) ck_assert_int_ne(seen[i][0], at[0]);
            seen[n_seen++][0] = at[0];
        }
    }
    ck_assert_uint_eq(n_seen, 12);
}
END_TEST

START_TEST(a_run_replays_only_its_shard)
{
    const support_output *o = support_assay("run -e %s --shard 1/2 cases", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
    o = support_assay("run -e %s --shard 2/2 cases", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: none of 1 cases is in shard 2/2\n");
}
END_TEST

static const struct {
    const char *arguments, *message;
} wrong[] = {
    {"--jobs 0", "option --jobs: found 0, expected a whole number from 1 to 4096\n"},
    {"--jobs 99999999999999999999999", "expected a whole number from 1 to 4096\n"},
    {"--seed -1", "option --seed: found -1, expected a whole number from 0 to 18446744073709551615\n"},
    {"--seed 18446744073709551616", "option --seed: found 18446744073709551616, expected"},
    {"-j 2x", "option --jobs: found 2x, expected"},
    {"--jobs=-1", "option --jobs: found -1, expected"},
    {"--memory 1.5", "option --memory: found 1.5, expected a whole number from 1 to "},
    {"--timeout x", "option --timeout: found x, expected seconds above 0 and up to 1000000\n"},
    {"--timeout 0", "option --timeout: found 0, expected"},
    {"--timeout -1", "option --timeout: found -1, expected"},
    {"--timeout inf", "option --timeout: found inf, expected"},
    {"--timeout 1.2.3", "option --timeout: found 1.2.3, expected"},
    {"--timeout .", "option --timeout: found ., expected"},
    {"--shard 3/2", "option --shard: found 3/2, expected I/N, whole numbers with 1 <= I <= N <= 1000000\n"},
    {"--shard 0/2", "option --shard: found 0/2, expected"},
    {"--shard 1", "option --shard: found 1, expected"},
    {"--shard 1/", "option --shard: found 1/, expected"},
    {"--shard /1", "option --shard: found /1, expected"},
    {"--shard 1/2/3", "option --shard: found 1/2/3, expected"},
    {"--tap - --json -",
     "options --tap and --json: found - for both, expected only one on standard output\n"},
    {"--junit - --json=-", "options --junit and --json: found - for both"},
};

START_TEST(a_wrong_value_exits_2_and_the_message_states_the_expectation)
{
    const support_output *o = support_assay("run %s cases", wrong[_i].arguments);
    assert_code(o, 2);
    ck_assert_str_eq(o->out, "");
    assert_holds(o->err, wrong[_i].message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/process/jobs");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, jobs_run_concurrently);
    tcase_add_test(t, one_job_runs_one_case_at_a_time);
    tcase_add_test(t, reports_keep_the_order_of_cases);
    tcase_add_test(t, the_hash_is_fnv_1a);
    tcase_add_test(t, shards_are_disjoint_and_complete);
    tcase_add_test(t, a_run_replays_only_its_shard);
    tcase_add_loop_test(t, a_wrong_value_exits_2_and_the_message_states_the_expectation, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
