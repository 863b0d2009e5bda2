/* Drawing and reading schedules: drawn programs are valid, and invalid ones are refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/draw.h"
#include "conformance/schedule/json.h"
#include "conformance/tests/support.h"

enum { N_SEEDS = 300 };

static size_t n_shapes(void)
{
    size_t n = 0;
    while (conf_shape_names[n]) n++;
    return n;
}

/* The schedule as text, for comparison: padding of structs is unspecified. The caller frees it. */
static char *text_of(const conf_schedule *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ck_assert(f != NULL);
    (void)fprintf(f, "%zu workers\n", s->n_workers);
    conf_schedule_print(f, "", s);
    (void)fclose(f);
    return text;
}

static bool are_same(const conf_schedule *a, const conf_schedule *b)
{
    char *one = text_of(a), *other = text_of(b);
    bool same = strcmp(one, other) == 0;
    free(one);
    free(other);
    return same;
}

static bool has_op(const conf_schedule *s, conf_op op)
{
    for (size_t i = 0; i < s->n_steps; i++)
        if (s->steps[i].op == op) return true;
    return false;
}

START_TEST(drawn_programs_are_valid)
{
    static conf_schedule s;
    assay_error err = {0};
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        size_t shape = seed % (n_shapes() + 1);
        const conf_schedule_draws draws = {
            .seed = seed, .shape = shape == n_shapes() ? SIZE_MAX : shape, .n_samples = 1 + seed % 5};
        conf_schedule_draw(&draws, &s);
        conf_schedule_fold(&s, 1 + seed % 16);
        ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "seed %u: %s", (unsigned)seed, err.text);
        ck_assert_uint_le(conf_schedule_threads(&s), 1 + seed % 16);
    }
}
END_TEST

START_TEST(a_program_of_all_shapes_has_every_operation_and_every_thread)
{
    static conf_schedule s;
    for (uint64_t seed = 0; seed < 20; seed++) {
        conf_schedule_draw(&(conf_schedule_draws){.seed = seed, .shape = SIZE_MAX, .n_samples = 2}, &s);
        conf_schedule_fold(&s, 16);
        ck_assert_uint_eq(conf_schedule_threads(&s), 16);
        for (conf_op op = 0; op < CONF_N_OPS; op++) ck_assert(has_op(&s, op));
    }
}
END_TEST

START_TEST(a_seed_determines_the_program)
{
    static conf_schedule a, b;
    conf_schedule_draws draws = {.seed = 5, .shape = SIZE_MAX, .n_samples = 2};
    conf_schedule_draw(&draws, &a);
    conf_schedule_draw(&draws, &b);
    ck_assert(are_same(&a, &b));
    draws.seed++;
    conf_schedule_draw(&draws, &b);
    ck_assert(!are_same(&a, &b));
}
END_TEST

#define HEAD                                                                                                 \
    "{\"schema\": \"assay/1\", \"kind\": \"schedule\", \"case\": \"a.h5\", \"engine\": \"e\", "              \
    "\"workers\": 2, \"steps\": ["
#define OPEN_0    "{\"thread\": 0, \"op\": \"open\", \"model\": 0}"
#define LOAD_0    "{\"thread\": 0, \"op\": \"load\", \"model\": 0}"
#define WAIT_0    "{\"thread\": 1, \"op\": \"wait\", \"model\": 0}"
#define SESSION_0 "{\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"samples\": [0, 0]}"
#define PREFILL_0 "{\"thread\": 1, \"op\": \"prefill\", \"session\": 0}"
#define DECODE_0  "{\"thread\": 1, \"op\": \"decode\", \"session\": 0}"
#define FREE_0    "{\"thread\": 0, \"op\": \"free\", \"session\": 0}"
#define CLOSE_0   "{\"thread\": 0, \"op\": \"close\", \"model\": 0}"
#define TAIL      "]}"

START_TEST(a_valid_file_round_trips)
{
    static conf_schedule_file first, again;
    const char *path = support_path("a.json"), *copy = support_path("b.json");
    assay_error err = {0};
    support_write_text(path,
                       HEAD LOAD_0 "," WAIT_0 "," SESSION_0
                                   ", {\"thread\": 3, \"op\": \"row\", \"session\": 0, \"row\": 1}," PREFILL_0
                                   "," DECODE_0 "," FREE_0 "," CLOSE_0 TAIL);
    ck_assert_msg(conf_schedule_read(path, &first, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(first.path, "a.h5");
    ck_assert_str_eq(first.engine, "e");
    ck_assert_uint_eq(first.schedule.n_workers, 2);
    ck_assert_uint_eq(first.schedule.n_steps, 8);
    ck_assert_uint_eq(first.schedule.sessions[0].n_samples, 2);
    ck_assert_uint_eq(conf_schedule_threads(&first.schedule), 4);
    ck_assert(!first.has_seed && !first.found && !first.kernels && first.compute == ASSAY_DTYPE_NONE);
    first.has_seed = true;
    first.seed = UINT64_MAX;
    first.kernels = strdup("./mine.so");
    first.compute = ASSAY_BF16;
    first.found = strdup("so \"it\" fails");
    ck_assert_int_eq(conf_schedule_write(copy, &first, &err), ASSAY_OK);
    ck_assert_msg(conf_schedule_read(copy, &again, &err) == ASSAY_OK, "%s", err.text);
    ck_assert(are_same(&first.schedule, &again.schedule));
    ck_assert(again.has_seed && again.seed == UINT64_MAX);
    ck_assert_str_eq(again.kernels, "./mine.so");
    ck_assert_int_eq(again.compute, ASSAY_BF16);
    ck_assert_str_eq(again.found, "so \"it\" fails");
    conf_schedule_file_free(&first);
    conf_schedule_file_free(&again);
}
END_TEST

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
    {HEAD OPEN_0 "], \"compute\": \"bf17\"}", "compute: expected f32, bf16 or int8"},
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
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"session\": 0}" TAIL, "step 1: model: expected a whole number"},
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"model\": 0, \"row\": 0}" TAIL,
     "row: expected no such member of this op"},
    {HEAD "{\"thread\": 0, \"op\": \"open\", \"model\": 0, \"samples\": [0]}" TAIL,
     "samples: expected no such member of this op"},
    {HEAD OPEN_0
     ", {\"thread\": 0, \"op\": \"session\", \"session\": 128, \"model\": 0, \"samples\": [0]}" TAIL,
     "sessions go from 0 to 127"},
    {HEAD OPEN_0 ", {\"thread\": 0, \"op\": \"session\", \"session\": 0, \"model\": 0, \"samples\": []}" TAIL,
     "samples: expected an array of 1 to 16"},
    {HEAD OPEN_0 TAIL, "model 0 is never closed"},
    {HEAD OPEN_0 "," OPEN_0 TAIL, "step 2 (thread 0, open, model 0): a model is opened once"},
    {HEAD CLOSE_0 TAIL, "the model is not open"},
    {HEAD OPEN_0 "," WAIT_0 TAIL, "the model is not being loaded"},
    {HEAD LOAD_0 "," SESSION_0 TAIL, "no thread has waited for the model"},
    {HEAD SESSION_0 TAIL, "the model is not open"},
    {HEAD OPEN_0 "," PREFILL_0 TAIL, "step 2 (thread 1, prefill, session 0): the session is not open"},
    {HEAD OPEN_0 "," SESSION_0 "," SESSION_0 TAIL, "a session is opened once"},
    {HEAD OPEN_0 "," SESSION_0 "," DECODE_0 TAIL, "the session has not been prefilled"},
    {HEAD OPEN_0 "," SESSION_0 ", {\"thread\": 0, \"op\": \"row\", \"session\": 0, \"row\": 2}" TAIL,
     "the batch has no such row"},
    {HEAD OPEN_0 "," SESSION_0 "," CLOSE_0 TAIL, "the model still has sessions"},
    {HEAD OPEN_0 "," SESSION_0 "," FREE_0 "," PREFILL_0 TAIL, "the session is not open"},
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

START_TEST(workers_are_bounded)
{
    static conf_schedule s;
    assay_error err;
    conf_schedule_draw(&(conf_schedule_draws){.seed = 1, .shape = 0, .n_samples = 1}, &s);
    conf_schedule_fold(&s, 2);
    s.n_workers = 65;
    ck_assert_int_eq(conf_schedule_check(&s, &err), ASSAY_EINVAL);
    assert_holds(err.text, "workers: found 65, expected 1 to 64");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/schedule");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_add_test(all, drawn_programs_are_valid);
    tcase_add_test(all, a_program_of_all_shapes_has_every_operation_and_every_thread);
    tcase_add_test(all, a_seed_determines_the_program);
    tcase_add_test(all, a_valid_file_round_trips);
    tcase_add_loop_test(all, invalid_files_are_refused, 0, sizeof FILES / sizeof *FILES);
    tcase_add_test(all, workers_are_bounded);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
