/* assay schedule with engines that have concurrency bugs: each bug is caught, its program is reduced
 * to a few steps and reproduced from the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/tests/helpers.h"
#include "conformance/tests/stateful.h"

/* Replays the program that schedule() has saved. */
static const support_output *replay(const char *options)
{
    return support_assay("schedule --engine %s %s --replay schedule-threaded-case-1.json", engine, options);
}

/* The number after "cut down to ". */
static long cut_down_to(const support_output *o)
{
    const char *at = strstr(o->out, "cut down to ");
    ck_assert_msg(at != NULL, "%s%s", o->out, o->err);
    return strtol(at + strlen("cut down to "), NULL, 10);
}

static const struct {
    const char *fault, *options;
    long n_steps; /* upper limit after the reduction */
    const char *says[3];
} FAULTS[] = {
    /* open, session, step, step, free, close */
    {"decode-fails",
     "--seed 1",
     6,
     {"step failed: There is no Stream(cpu, 2) in current thread.", ", step, session 0)", ""}},
    {"decode-exits",
     "--seed 1",
     6,
     {"the engine ended the process with exit status 3", "in step 4 (thread 1, step, session 0)", ""}},
    {"decode-hangs",
     "--seed 1 --timeout 1 --threads 2 --shape handover",
     6,
     {"did not answer within 1 s", "in step 4 (thread 1, step, session 0)", ""}},
    /* open, session, free, close */
    {"free-crashes",
     "--seed 1",
     4,
     {"was terminated by SIGSEGV", "in step 3 (thread 1, free, session 0)", ""}},
    /* open (or load, wait), session, step, free, close; on one thread */
    {"workers",
     "--seed 1",
     5,
     {"the serial run gives ", "1 thread with ASSAY_WORKERS=2", "step 3 (thread 0, step"}},
    {"builder-only",
     "--seed 1",
     6,
     {"step", "There is no Stream(cpu, 2) in current thread.", ", session 0)"}},
    /* two sessions, a step of one between two of the other, and steps that the reduction did not remove by
     * chance */
    {"scratch", "--seed 1", 40, {"the serial run gives ", "ASSAY_WORKERS=", ", step, session "}},
    /* two sessions, a step of each, and steps that the reduction did not remove by chance */
    {"one-prefill",
     "--seed 1",
     40,
     {"step failed: another prefill is under way", "(thread ", ", step, session "}},
    /* open, open, close, close; fails in the serial run, too */
    {"one-model", "--seed 1", 4, {"open failed: the engine is open already", "(thread ", ", open, model "}},
    /* open, session, join, leave or rewind, free, close; the sample may have to join first */
    {"join-fails",
     "--seed 1",
     5,
     {"join failed: There is no Stream(cpu, 2) in current thread.", ", join, session 0)", ""}},
    {"leave-fails",
     "--seed 1",
     6,
     {"leave failed: There is no Stream(cpu, 2) in current thread.", ", leave, session 0)", ""}},
    {"rewind-fails",
     "--seed 1",
     6,
     {"rewind failed: There is no Stream(cpu, 2) in current thread.", ", rewind, session 0)", ""}},
    /* that and another session */
    {"fork-fails",
     "--seed 1",
     8,
     {"fork failed: There is no Stream(cpu, 2) in current thread.", ", fork, session ", ""}},
    /* a sample, its copy in another session, and a step of each at once */
    {"copies-share", "--seed 1 --shape prefix", 40, {"the serial run gives ", ", step, session ", "fork "}},
};

START_TEST(concurrency_faults_are_caught_and_reduced)
{
    write_case(FAULTS[_i].fault);
    const support_output *o = schedule(FAULTS[_i].options);
    assert_code(o, 1);
    for (size_t k = 0; k < 3; k++) assert_holds(o->out, FAULTS[_i].says[k]);
    ck_assert_msg(cut_down_to(o) <= FAULTS[_i].n_steps, "%s", o->out);
    assert_holds(o->out, "  REPRO: assay schedule ");
    o = support_shell("grep -c 'kind.*schedule' schedule-threaded-case-1.json");
    assert_code(o, 0);
    /* A race has an effect in few runs, in fewer on a busy machine; a hang lasts until its timeout. */
    bool hangs = strstr(FAULTS[_i].options, "--timeout") != NULL;
    o = replay(hangs ? "--timeout 1 --times 2" : "--times 1000");
    assert_code(o, 1);
    assert_holds(o->out, FAULTS[_i].says[0]);
}
END_TEST

START_TEST(a_correct_engine_passes)
{
    write_case("sound");
    const support_output *o = schedule("--draws 20");
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped; 20 programs, 80 runs\n");
}
END_TEST

START_TEST(another_engine_can_replay_a_program)
{
    write_case("decode-fails");
    (void)schedule("--seed 1");
    const support_output *o = support_assay(
        "schedule --times 5 --engine %s --replay schedule-threaded-case-1.json", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "5 runs agree with the serial run\n");
    assert_holds(o->out, "  1  thread 0   open      model 0\n");
}
END_TEST

/* The engine refuses a step whose placeholder tokens and images do not match. */
START_TEST(samples_with_images_get_them_with_their_prompt)
{
    (void)stateful_write_images("");
    const support_output *o =
        support_assay("schedule image.h5 --draws 50 --seed 3 --engine %s", support_engine("stateful"));
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped; 50 programs, 200 runs\n");
}
END_TEST

START_TEST(unsupported_models_are_skipped)
{
    write_case("unsupported");
    const support_output *o = schedule("");
    assert_code(o, 77);
    assert_holds(o->out, "sinks are not implemented");
}
END_TEST

START_TEST(a_vocabulary_other_than_the_recorded_one_fails)
{
    write_case("vocab");
    const support_output *o = schedule("--shape handover");
    assert_code(o, 1);
    assert_holds(o->out, "the engine's vocabulary has 20 ids, expected 19");
    assert_holds(o->out, "on one thread, in the order of the list");
}
END_TEST

START_TEST(reports_describe_the_failure)
{
    write_case("decode-fails");
    char repro[512];
    (void)snprintf(repro, sizeof repro, "assay schedule --engine %s --replay ./schedule-threaded-case-1.json",
                   engine);
    const support_output *o = schedule("--seed 1 --tap tap --json -");
    assert_code(o, 1);
    assert_holds(o->out, "\"schema\":\"assay-schedules/1\"");
    assert_holds(o->out, "\"class\":\"refused\"");
    assert_holds(o->out, "\"steps\":6");
    assert_holds(o->out, "\"repro\":\"assay schedule ");
    assert_holds(o->out, repro);
    o = support_shell("cat tap");
    assert_holds(o->out, "not ok 1 - case threaded.so, ");
    assert_holds(o->out, "#   REPRO: assay schedule ");
    assert_holds(o->out, repro);
    assert_holds(o->out, "1..1\n");
}
END_TEST

START_TEST(stress_draws_new_seeds_until_a_failure)
{
    write_case("sound");
    const support_output *o = schedule("--for 1.5 --shape handover --threads 2");
    assert_code(o, 0);
    assert_lacks(o->out, "; 1 programs");
    write_case("decode-fails");
    o = schedule("--for 100 --shape handover --threads 2");
    assert_code(o, 1);
    assert_holds(o->out, "0 passed, 1 failed, 0 skipped; 1 programs");
}
END_TEST

START_TEST(programs_are_saved_in_the_given_directory)
{
    write_case("decode-fails");
    assert_code(schedule("--seed 1 --save kept/here --threads 2"), 1);
    assert_code(support_shell("test -f kept/here/schedule-threaded-case-1.json && ! ls schedule-*"), 0);
}
END_TEST

START_TEST(a_program_that_cannot_be_saved_still_fails)
{
    write_case("decode-fails");
    const support_output *o = schedule("--seed 1 --save /dev/null --threads 2");
    assert_code(o, 1);
    assert_holds(o->out, "not saved: /dev/null/schedule-threaded-case-1.json: Not a directory");
    assert_holds(o->out, "  REPRO: assay schedule --engine ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/run");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, schedule_setup, support_teardown);
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, concurrency_faults_are_caught_and_reduced, 0, sizeof FAULTS / sizeof *FAULTS);
    tcase_add_test(all, a_correct_engine_passes);
    tcase_add_test(all, another_engine_can_replay_a_program);
    tcase_add_test(all, samples_with_images_get_them_with_their_prompt);
    tcase_add_test(all, unsupported_models_are_skipped);
    tcase_add_test(all, a_vocabulary_other_than_the_recorded_one_fails);
    tcase_add_test(all, reports_describe_the_failure);
    tcase_add_test(all, stress_draws_new_seeds_until_a_failure);
    tcase_add_test(all, programs_are_saved_in_the_given_directory);
    tcase_add_test(all, a_program_that_cannot_be_saved_still_fails);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
