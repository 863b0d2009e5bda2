/* Saved schedules among cases: a directory argument ignores them, and a schedule named as a case is
 * skipped with the reason.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "conformance/tests/support.h"

/* The members that the lister of cases reads. */
#define HEAD "{\"schema\": \"assay/1\", \"kind\": \"schedule\", "
#define REST                                                                                                 \
    "\"case\": \"a.h5\", \"engine\": \"mine\", \"workers\": 2, \"steps\": ["                                 \
    "{\"thread\": 0, \"op\": \"open\", \"model\": 0}, "                                                      \
    "{\"thread\": 3, \"op\": \"session\", \"session\": 4, \"model\": 0, \"prompts\": [1, 0]}, "              \
    "{\"thread\": 1, \"op\": \"step\", \"session\": 4, \"samples\": [0, 1], \"rows\": \"all\"}, "            \
    "{\"thread\": 2, \"op\": \"rewind\", \"session\": 4, \"sample\": 1, \"tokens\": 1}, "                    \
    "{\"thread\": 2, \"op\": \"join\", \"session\": 4, \"sample\": 9, \"prompt\": 1}, "                      \
    "{\"thread\": 2, \"op\": \"fork\", \"session\": 4, \"sample\": 2, \"from\": 4, \"origin\": 1}, "         \
    "{\"thread\": 2, \"op\": \"row\", \"session\": 4, \"sample\": 2}, "                                      \
    "{\"thread\": 1, \"op\": \"step\", \"session\": 4, \"samples\": [2, 9], \"tokens\": 2, "                 \
    "\"rows\": \"last\"}, "                                                                                  \
    "{\"thread\": 2, \"op\": \"leave\", \"session\": 4, \"sample\": 0}, "                                    \
    "{\"thread\": 1, \"op\": \"free\", \"session\": 4}, {\"thread\": 0, \"op\": \"close\", \"model\": 0}]}"

#define REFUSAL "a schedule: assay schedule --replay runs it"

static const char *engine;

static void setup(void)
{
    support_setup();
    support_write_cases();
    engine = support_engine("fake32");
    support_write_text(support_path("sound/schedule-mine-a-7.json"),
                       HEAD "\"seed\": 18446744073709551615, \"found\": \"step \\u001b[31mfailed\", " REST);
}

START_TEST(schedules_in_a_directory_are_ignored)
{
    const support_output *o = support_assay("run -v -e %s --tap tap sound", engine);
    assert_code(o, 0);
    assert_lacks(o->out, "schedule");
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "2 passed, 0 failed, 0 skipped\n");
    assert_code(support_shell("! grep schedule tap && grep 1..2 tap"), 0);
    o = support_assay("list sound");
    assert_code(o, 0);
    assert_lacks(o->out, "schedule");
    o = support_assay("schedule -e %s --shape handover --threads 2 sound", engine);
    assert_code(o, 0);
    assert_lacks(o->out, "schedule-mine");
}
END_TEST

START_TEST(a_directory_with_only_schedules_has_nothing_to_run)
{
    support_mkdir(support_path("saved"));
    support_write_text(support_path("saved/a.json"), HEAD REST);
    const support_output *o = support_assay("run -e %s saved", engine);
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing could be run\n");
}
END_TEST

START_TEST(a_named_schedule_is_skipped_with_its_reason)
{
    static const char *const options[] = {"", "--compute bf16", "--vector g/1"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const support_output *o =
            support_assay("run -e %s %s sound/schedule-mine-a-7.json", engine, options[i]);
        assert_code(o, 77);
        assert_holds(o->out, "skipped: " REFUSAL ":\n  sound/schedule-mine-a-7\n");
        ck_assert_str_eq(o->err, "assay: nothing could be run\n");
    }
    const support_output *o =
        support_assay("run -e %s sound/generate.h5 sound/schedule-mine-a-7.json", engine);
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 1 skipped\n");
    o = support_assay("schedule -e %s sound/schedule-mine-a-7.json", engine);
    assert_code(o, 77);
    assert_holds(o->out, REFUSAL "\n");
    o = support_assay("list sound/schedule-mine-a-7.json");
    assert_code(o, 0);
    ck_assert_str_eq(o->out, "sound/schedule-mine-a-7  schedule    \n");
}
END_TEST

START_TEST(info_prints_a_schedule)
{
    const support_output *o = support_assay("info sound/schedule-mine-a-7.json");
    assert_code(o, 0);
    ck_assert_str_eq(o->out,
                     "file       sound/schedule-mine-a-7.json\n"
                     "kind       schedule\n"
                     "case       a.h5\n"
                     "engine     mine\n"
                     "workers    2\n"
                     "seed       18446744073709551615\n"
                     "found      step \\u001B[31mfailed\n"
                     "steps      11\n"
                     "  1  thread 0   open      model 0\n"
                     "  2  thread 3   session   session 4 of model 0: prompts 1,0\n"
                     "  3  thread 1   step      session 4: samples 0,1, rest of the prompt, all rows\n"
                     "  4  thread 2   rewind    session 4: sample 1, to 1 token\n"
                     "  5  thread 2   join      session 4: sample 9, prompt 1\n"
                     "  6  thread 2   fork      session 4: sample 2, of sample 1 of session 4\n"
                     "  7  thread 2   row       session 4: sample 2\n"
                     "  8  thread 1   step      session 4: samples 2,9, 2 tokens, last row\n"
                     "  9  thread 2   leave     session 4: sample 0\n"
                     " 10  thread 1   free      session 4\n"
                     " 11  thread 0   close     model 0\n");
    support_write_text(support_path("bare.json"), HEAD REST);
    o = support_assay("info bare.json");
    assert_code(o, 0);
    assert_lacks(o->out, "seed");
    assert_lacks(o->out, "found");
}
END_TEST

START_TEST(info_reports_an_invalid_schedule)
{
    support_write_text(support_path("bad.json"), HEAD "\"hue\": 7, " REST);
    const support_output *o = support_assay("info bad.json");
    assert_code(o, 99);
    assert_holds(o->err, "bad.json: hue: expected no such member\n");
    ck_assert_str_eq(o->out, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/files");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, support_teardown);
    tcase_set_timeout(all, 120);
    tcase_add_test(all, schedules_in_a_directory_are_ignored);
    tcase_add_test(all, a_directory_with_only_schedules_has_nothing_to_run);
    tcase_add_test(all, a_named_schedule_is_skipped_with_its_reason);
    tcase_add_test(all, info_prints_a_schedule);
    tcase_add_test(all, info_reports_an_invalid_schedule);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
