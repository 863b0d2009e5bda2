/* Schedules: what is read is what was written, invalid programs are refused, and steps that use the same
 * objects wait for one another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/check.h"
#include "conformance/schedule/json_write.h"
#include "conformance/schedule/rewrite.h"
#include "conformance/schedule/samples.h"
#include "conformance/schedule/tests/helpers.h"

#define HEAD                                                                                                 \
    "{\"schema\": \"assay/1\", \"kind\": \"schedule\", \"case\": \"a.h5\", \"engine\": \"e\", "              \
    "\"workers\": 2, \"steps\": ["
#define OPEN_0    "{\"thread\": 0, \"op\": \"open\", \"model\": 0}"
#define LOAD_0    "{\"thread\": 0, \"op\": \"load\", \"model\": 0}"
#define WAIT_0    "{\"thread\": 1, \"op\": \"wait\", \"model\": 0}"
#define SESSION_0 "{\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"prompts\": [0, 0]}"
#define SESSION_1 "{\"thread\": 0, \"op\": \"session\", \"session\": 1, \"model\": 0, \"prompts\": []}"
#define STEP_0    "{\"thread\": 1, \"op\": \"step\", \"session\": 0, \"samples\": [0, 1], \"rows\": \"all\"}"
#define CHUNK_0                                                                                              \
    "{\"thread\": 1, \"op\": \"step\", \"session\": 0, \"samples\": [1], \"tokens\": 3, \"rows\": \"last\"}"
#define ON_0(op, sample) "{\"thread\": 3, \"op\": \"" op "\", \"session\": 0, \"sample\": " #sample "}"
#define JOIN_0(sample)                                                                                       \
    "{\"thread\": 2, \"op\": \"join\", \"session\": 0, \"sample\": " #sample ", \"prompt\": 1}"
#define REWIND_0(sample)                                                                                     \
    "{\"thread\": 2, \"op\": \"rewind\", \"session\": 0, \"sample\": " #sample ", \"tokens\": 2}"
#define FORK(into, sample, from, origin)                                                                     \
    "{\"thread\": 2, \"op\": \"fork\", \"session\": " #into ", \"sample\": " #sample ", \"from\": " #from    \
    ", \"origin\": " #origin "}"
#define FREE_0  "{\"thread\": 0, \"op\": \"free\", \"session\": 0}"
#define FREE_1  "{\"thread\": 0, \"op\": \"free\", \"session\": 1}"
#define CLOSE_0 "{\"thread\": 0, \"op\": \"close\", \"model\": 0}"
#define TAIL    "]}"

START_TEST(a_valid_file_round_trips)
{
    static conf_schedule_file first, again;
    const char *path = support_path("a.json"), *copy = support_path("b.json");
    assay_error err = {0};
    support_write_text(path, HEAD LOAD_0
                       "," WAIT_0 "," SESSION_0 "," SESSION_1
                       "," ON_0("row", 1) "," STEP_0 "," CHUNK_0 "," JOIN_0(7) "," REWIND_0(0) "," FORK(
                           1, 0, 0, 7) "," ON_0("leave", 0) "," FREE_0 "," FREE_1 "," CLOSE_0 TAIL);
    ck_assert_msg(conf_schedule_read(path, &first, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(first.path, "a.h5");
    ck_assert_str_eq(first.engine, "e");
    ck_assert_uint_eq(first.schedule.n_workers, 2);
    ck_assert_uint_eq(first.schedule.n_steps, 14);
    ck_assert_uint_eq(first.schedule.steps[5].n_tokens, 0);
    ck_assert_uint_eq(first.schedule.steps[6].samples, 2);
    ck_assert_uint_eq(first.schedule.steps[6].n_tokens, 3);
    ck_assert(first.schedule.steps[5].all_rows && !first.schedule.steps[6].all_rows);
    ck_assert_uint_eq(first.schedule.sessions[1].n_samples, 0);
    ck_assert_uint_eq(first.schedule.sessions[0].n_samples, 2);
    ck_assert_uint_eq(conf_schedule_threads(&first.schedule), 4);
    ck_assert(!first.has_seed && !first.found && !first.kernels && first.compute == CONF_COMPUTE_NONE);
    first.has_seed = true;
    first.seed = UINT64_MAX;
    first.kernels = strdup("./mine.so");
    first.compute = CONF_COMPUTE_BF16;
    first.found = strdup("so \"it\" fails");
    ck_assert_int_eq(conf_schedule_write(copy, &first, &err), ASSAY_OK);
    ck_assert_msg(conf_schedule_read(copy, &again, &err) == ASSAY_OK, "%s", err.text);
    ck_assert(are_same(&first.schedule, &again.schedule));
    ck_assert(again.has_seed && again.seed == UINT64_MAX);
    ck_assert_str_eq(again.kernels, "./mine.so");
    ck_assert_int_eq(again.compute, CONF_COMPUTE_BF16);
    ck_assert_str_eq(again.found, "so \"it\" fails");
    conf_schedule_file_free(&first);
    conf_schedule_file_free(&again);
}
END_TEST

#define OPEN_1       "{\"thread\": 0, \"op\": \"open\", \"model\": 1}"
#define SESSION_OF_1 "{\"thread\": 0, \"op\": \"session\", \"session\": 1, \"model\": 1, \"prompts\": []}"
#define STEP_OF(samples, tokens)                                                                             \
    "{\"thread\": 1, \"op\": \"step\", \"session\": 0, \"samples\": " samples tokens ", \"rows\": \"last\"}"

/* Of files for version 1 of the engine ABI. */
#define FORMER_SESSION                                                                                       \
    "{\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"samples\": [0, 0]}"
#define FORMER(op) "{\"thread\": 1, \"op\": \"" op "\", \"session\": 0}"

static const struct {
    const char *text, *says;
} FILES[] = {
    {"", "found"},
    {"[]", "document: expected an object"},
    {"{\"schema\": \"assay/2\"}", "schema: expected \"assay/1\""},
    {"{\"schema\": \"assay/1\", \"kind\": \"threads\"}", "kind: expected \"schedule\""},
    {"{\"schema\": \"assay/1\", \"kind\": \"schedule\", \"extra\": 1}", "extra: expected no such member"},
    {"{\"schema\": \"assay/1\", \"kind\": \"schedule\"}", "case: expected a text"},
    {"{\"schema\": \"assay/1\", \"kind\": \"schedule\", \"case\": \"a\\u0000b\"}", "case: expected a text"},
    {HEAD TAIL, "steps: expected an array of 1 to 512"},
    {HEAD OPEN_0 "], \"compute\": \"bf17\"}", "compute: expected the name of a compute type"},
    {HEAD OPEN_0 "], \"kernels\": \"\"}", "kernels: expected a text"},
    {HEAD OPEN_0 "], \"found\": 7}", "found: expected a text"},
    {HEAD OPEN_0 "], \"seed\": -1}", "seed: expected a whole number from 0 to 2^64 - 1"},
    {HEAD OPEN_0 "], \"seed\": \"7\"}", "seed: expected a whole number"},
    {HEAD "7" TAIL, "step 1: step: expected an object"},
    {HEAD "{\"op\": \"open\", \"model\": 0}" TAIL, "step 1: thread: expected a whole number"},
    {HEAD "{\"thread\": 0.5, \"op\": \"open\", \"model\": 0}" TAIL,
     "step 1: thread: expected a whole number"},
    {HEAD "{\"thread\": -1, \"op\": \"open\", \"model\": 0}" TAIL, "step 1: thread: expected a whole number"},
    {HEAD "{\"thread\": 64, \"op\": \"open\", \"model\": 0}" TAIL, "threads go from 0 to 63"},
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"model\": 32}" TAIL, "models go from 0 to 31"},
    {HEAD "{\"thread\": 0, \"op\": \"oven\", \"model\": 0}" TAIL, "step 1: op: expected open, load"},
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"session\": 0}" TAIL,
     "step 1: session: expected no such member of this op"},
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"model\": 0, \"sample\": 0}" TAIL,
     "sample: expected no such member of this op"},
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"model\": 0, \"samples\": [0]}" TAIL,
     "samples: expected no such member of this op"},
    {HEAD OPEN_0
     ", {\"thread\": 0, \"op\": \"session\", \"session\": 128, \"model\": 0, \"prompts\": [0]}" TAIL,
     "sessions go from 0 to 127"},
    {HEAD OPEN_0 ", {\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0}" TAIL,
     "step 2: prompts: expected an array of at most 16"},
    {HEAD OPEN_0 ", {\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"prompts\": "
                 "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}" TAIL,
     "prompts: expected an array of at most 16"},
    {HEAD OPEN_0 TAIL, "model 0 is never closed"},
    {HEAD OPEN_0 "," OPEN_0 TAIL, "step 2 (thread 0, open, model 0): a model is opened once"},
    {HEAD CLOSE_0 TAIL, "the model is not open"},
    {HEAD OPEN_0 "," WAIT_0 TAIL, "the model is not being loaded"},
    {HEAD LOAD_0 "," SESSION_0 TAIL, "no thread has waited for the model"},
    {HEAD SESSION_0 TAIL, "the model is not open"},
    {HEAD OPEN_0 "," STEP_0 TAIL, "step 2 (thread 1, step, session 0): the session is not open"},
    {HEAD OPEN_0 "," SESSION_0 "," SESSION_0 TAIL, "a session is opened once"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("row", 2) TAIL, "row, session 0): the session has no such sample"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("leave", 2) TAIL,
     "leave, session 0): the session has no such sample"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("row", 16) TAIL, "samples go from 0 to 15"},
    {HEAD OPEN_0 "," SESSION_0 "," REWIND_0(2) TAIL, "the session has no such sample"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("rewind", 0) TAIL, "step 3: tokens: expected a whole number"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("join", 2) TAIL, "step 3: prompt: expected a whole number"},
    {HEAD OPEN_0 "," SESSION_0 "," JOIN_0(1) TAIL, "the session has a sample of this number"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("fork", 2) TAIL, "step 3: from: expected a whole number"},
    {HEAD OPEN_0 "," SESSION_0 "," FORK(0, 1, 0, 0) TAIL, "the session has a sample of this number"},
    {HEAD OPEN_0 "," SESSION_0 "," FORK(0, 2, 0, 2) TAIL, "there is no such sample to copy"},
    {HEAD OPEN_0 "," SESSION_0 "," FORK(0, 2, 1, 0) TAIL, "the session that it copies from is not open"},
    {HEAD OPEN_0 "," SESSION_0 "," SESSION_1 "," FREE_0 "," FORK(1, 0, 0, 0) TAIL,
     "the session that it copies from is not open"},
    {HEAD OPEN_0 "," SESSION_0 "," OPEN_1 "," SESSION_OF_1 "," FORK(1, 0, 0, 0) TAIL,
     "the sessions have different models"},
    {HEAD OPEN_0 "," SESSION_0 "," FORK(0, 2, 128, 0) TAIL, "sessions go from 0 to 127"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("leave", 1) "," CHUNK_0 TAIL, "the session has no such sample"},
    {HEAD OPEN_0 "," SESSION_0 "," STEP_OF("[]", "") TAIL, "a step has at least one sample"},
    {HEAD OPEN_0 "," SESSION_0 "," STEP_OF("[0, 0]", "") TAIL,
     "step 3: samples: expected different numbers from 0 to 15"},
    {HEAD OPEN_0 "," SESSION_0 "," STEP_OF("[16]", "") TAIL, "different numbers from 0 to 15"},
    {HEAD OPEN_0 "," SESSION_0 "," STEP_OF("[0]", ", \"tokens\": 257") TAIL,
     "the steps of a sample have at most 256 tokens"},
    {HEAD OPEN_0 "," SESSION_0 "," STEP_OF("[1]", ", \"tokens\": 200") "," FORK(0, 2, 0, 1) "," STEP_OF(
         "[2]", ", \"tokens\": 57") TAIL,
     "the steps of a sample have at most 256 tokens"},
    {HEAD OPEN_0 "," SESSION_0 "," ON_0("step", 0) TAIL,
     "step 3: sample: expected no such member of this op"},
    {HEAD OPEN_0
     ", {\"thread\": 1, \"op\": \"step\", \"session\": 0, \"samples\": [0], \"rows\": \"some\"}" TAIL,
     "step 2: rows: expected all or last"},
    {HEAD OPEN_0 ", {\"thread\": 1, \"op\": \"step\", \"session\": 0, \"rows\": \"all\"}" TAIL,
     "step 2: samples: expected an array of at most 16"},
    {HEAD OPEN_0 "," FORMER_SESSION "," FORMER("prefill") TAIL,
     "step 3: op: found prefill, of a schedule for version 1 of the engine ABI, expected step"},
    {HEAD OPEN_0 "," FORMER_SESSION "," FORMER("prefill_last") TAIL, "step 3: op: found prefill_last, of a"},
    {HEAD OPEN_0 "," FORMER_SESSION "," FORMER("decode") TAIL, "step 3: op: found decode, of a"},
    {HEAD OPEN_0 "," SESSION_0 "," CLOSE_0 TAIL, "the model still has sessions"},
    {HEAD OPEN_0 "," SESSION_0 "," FREE_0 "," STEP_0 TAIL, "the session is not open"},
    {HEAD OPEN_0 "," SESSION_0 "," FREE_0 "," CLOSE_0 "," SESSION_0 TAIL, "a session is opened once"},
    {HEAD OPEN_0 "," SESSION_0 TAIL, "session 0 is never freed"},
};

START_TEST(invalid_files_are_refused)
{
    static conf_schedule_file file;
    const char *path = support_path("bad.json");
    assay_error err = {0};
    support_write_text(path, FILES[_i].text);
    ck_assert_msg(conf_schedule_read(path, &file, &err) == ASSAY_EFORMAT, "%s", FILES[_i].text);
    assert_holds(err.text, "bad.json");
    assert_holds(err.text, FILES[_i].says);
}
END_TEST

/* Steps of two sessions of a model, with a fork from one into the other. */
static void set_forked_program(conf_schedule *s)
{
    static const conf_step steps[] = {
        {.op = CONF_OP_OPEN},
        {.op = CONF_OP_SESSION},
        {.op = CONF_OP_SESSION, .session = 1},
        {.op = CONF_OP_JOIN, .session = 1, .sample = 3},
        {.op = CONF_OP_STEP, .samples = 3},
        {.op = CONF_OP_STEP, .session = 1, .samples = 8},
        {.op = CONF_OP_FORK, .session = 1, .sample = 5, .from = 0, .origin = 1},
        {.op = CONF_OP_STEP, .samples = 3, .n_tokens = 1},
        {.op = CONF_OP_STEP, .session = 1, .samples = 32, .n_tokens = 1},
        {.op = CONF_OP_STEP, .session = 1, .samples = 40, .n_tokens = 1},
        {.op = CONF_OP_FREE},
        {.op = CONF_OP_FREE, .session = 1},
        {.op = CONF_OP_CLOSE},
    };
    assay_error err = {0};
    *s = (conf_schedule){.n_workers = 1, .n_steps = sizeof steps / sizeof *steps};
    s->sessions[0].n_samples = 2;
    memcpy(s->steps, steps, sizeof steps);
    ck_assert_msg(conf_schedule_check(s, &err) == ASSAY_OK, "%s", err.text);
}

START_TEST(a_fork_waits_for_both_sessions_and_both_wait_for_it)
{
    static conf_schedule s;
    set_forked_program(&s);
    for (size_t k = 1; k < 6; k++) ck_assert(conf_schedule_waits(&s, 6, k));
    for (size_t i = 7; i < 12; i++) ck_assert(conf_schedule_waits(&s, i, 6));
    ck_assert(!conf_schedule_waits(&s, 5, 4));
    ck_assert(!conf_schedule_waits(&s, 8, 7));
}
END_TEST

/* Two prompts of 3 tokens, without a continuation. */
START_TEST(a_copy_has_the_tokens_of_its_origin_and_goes_on_with_others)
{
    static conf_schedule s;
    static conf_schedule_samples samples;
    int32_t tokens[] = {10, 11, 12, 20, 21, 22}, lengths[] = {3, 3};
    conf_case c = {.decoder = {.n_samples = 2,
                               .n_tokens = 3,
                               .tokens = {.data = tokens, .n = 6},
                               .length = {.data = lengths, .n = 2}}};
    conf_items items;
    size_t first[CONF_SCHEDULE_STEPS_MAX + 1];
    set_forked_program(&s);
    s.sessions[0].prompts[1] = 1;
    s.steps[4].all_rows = true;
    ck_assert_int_eq(conf_items_divide("a", &c.decoder, &items, NULL), ASSAY_OK);
    for (size_t i = 0; i < 7; i++) conf_schedule_samples_apply(&samples, &s, &c, &items, i);
    const conf_schedule_sample *origin = &samples.of[0][1], *copy = &samples.of[1][5];
    ck_assert_uint_eq(copy->n_tokens, 3);
    ck_assert_uint_eq(copy->prompt, 1);
    ck_assert_int_eq(conf_schedule_sample_token(origin, 2, &c, &items), 22);
    ck_assert_int_eq(conf_schedule_sample_token(origin, 3, &c, &items), 20);
    ck_assert_int_eq(conf_schedule_sample_token(copy, 3, &c, &items), 21);
    conf_schedule_rows(&s, &c, &items, first);
    ck_assert_uint_eq(first[5] - first[4], 6); /* both samples, all rows */
    ck_assert_uint_eq(first[6] - first[5], 1);
    ck_assert_uint_eq(first[10] - first[9], 2);
    conf_items_free(&items);
}
END_TEST

START_TEST(without_a_session_its_copies_are_gone)
{
    static conf_schedule s;
    assay_error err = {0};
    conf_omission what = {.step = SIZE_MAX};
    set_forked_program(&s);
    what.sessions[0] = true;
    conf_schedule_omit(&s, &what);
    ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(s.n_steps, 7); /* open, session, join, step, step, free, close */
    ck_assert(!has_op(&s, CONF_OP_FORK));
    ck_assert_uint_eq(s.steps[4].samples, 1);
}
END_TEST

START_TEST(without_a_sample_its_copies_are_gone_and_numbers_start_from_0)
{
    static conf_schedule s;
    assay_error err = {0};
    set_forked_program(&s);
    conf_schedule_omit(&s, &(conf_omission){.step = 1, .sample = 1});
    ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(s.n_steps, 11); /* without the fork, and the step of the copy alone */
    ck_assert_uint_eq(s.sessions[0].n_samples, 1);
    ck_assert_uint_eq(s.steps[3].sample, 0);
    ck_assert_uint_eq(s.steps[4].samples, 1);
    set_forked_program(&s);
    conf_schedule_omit(&s, &(conf_omission){.step = 3, .sample = 3});
    ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(s.n_steps, 11); /* without the join, and the step of the sample alone */
    ck_assert_uint_eq(s.steps[4].sample, 0);
}
END_TEST

START_TEST(a_program_that_is_cut_off_frees_and_closes_what_it_opened)
{
    static conf_schedule s;
    assay_error err = {0};
    set_forked_program(&s);
    conf_schedule_cut(&s, 6);
    ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(s.n_steps, 9); /* without the fork and the steps after it */
    ck_assert(!has_op(&s, CONF_OP_FORK));
    conf_schedule_cut(&s, 2);
    ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(s.n_steps, 4); /* open, session, free, close */
    conf_schedule_cut(&s, 0);
    ck_assert_uint_eq(s.n_steps, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/schedule");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_add_test(all, a_valid_file_round_trips);
    tcase_add_loop_test(all, invalid_files_are_refused, 0, sizeof FILES / sizeof *FILES);
    tcase_add_test(all, a_fork_waits_for_both_sessions_and_both_wait_for_it);
    tcase_add_test(all, a_copy_has_the_tokens_of_its_origin_and_goes_on_with_others);
    tcase_add_test(all, without_a_session_its_copies_are_gone);
    tcase_add_test(all, without_a_sample_its_copies_are_gone_and_numbers_start_from_0);
    tcase_add_test(all, a_program_that_is_cut_off_frees_and_closes_what_it_opened);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
