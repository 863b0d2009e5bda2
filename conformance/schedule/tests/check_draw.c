/* Drawing programs: they are valid, and have all operations that the engine offers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/draw.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/schedule/check.h"
#include "conformance/schedule/tests/helpers.h"
#include "conformance/tests/support.h"

enum { N_SEEDS = 300 };

static size_t n_shapes(void)
{
    size_t n = 0;
    while (conf_shape_names[n]) n++;
    return n;
}

/* An engine with all optional functions, or with those whose bits are set. */
#define EVERYTHING 15U
static conf_offer offer_of(unsigned bits)
{
    return (conf_offer){
        .join = bits & 1, .leave = bits >> 1 & 1, .rewind = bits >> 2 & 1, .fork = bits >> 3 & 1};
}

START_TEST(drawn_programs_are_valid)
{
    static conf_schedule s;
    assay_error err = {0};
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        size_t shape = seed % (n_shapes() + 1);
        const conf_schedule_draws draws = {.seed = seed,
                                           .shape = shape == n_shapes() ? SIZE_MAX : shape,
                                           .n_samples = 1 + seed % 5,
                                           .n_prompt = 1 + seed % 7,
                                           .offer = offer_of((unsigned)seed % 16)};
        conf_schedule_draw(&draws, &s);
        conf_schedule_fold(&s, 1 + seed % 16);
        ck_assert_msg(conf_schedule_check(&s, &err) == ASSAY_OK, "seed %u: %s", (unsigned)seed, err.text);
        ck_assert_uint_le(conf_schedule_threads(&s), 1 + seed % 16);
    }
}
END_TEST

START_TEST(a_program_of_all_shapes_has_every_thread)
{
    static conf_schedule s;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const conf_schedule_draws draws = {
            .seed = seed, .shape = SIZE_MAX, .n_samples = 2, .n_prompt = 4, .offer = offer_of(EVERYTHING)};
        conf_schedule_draw(&draws, &s);
        conf_schedule_fold(&s, 16);
        ck_assert_uint_eq(conf_schedule_threads(&s), 16);
    }
}
END_TEST

/* Whether one of the programs of a shape has the operation. */
static bool is_drawn(size_t shape, conf_op op)
{
    static conf_schedule s;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const conf_schedule_draws draws = {
            .seed = seed, .shape = shape, .n_samples = 2, .n_prompt = 4, .offer = offer_of(EVERYTHING)};
        conf_schedule_draw(&draws, &s);
        if (has_op(&s, op)) return true;
    }
    return false;
}

START_TEST(every_shape_steps_joins_leaves_rewinds_and_forks)
{
    for (size_t shape = 0; shape < n_shapes(); shape++)
        for (conf_op op = CONF_OP_STEP; op <= CONF_OP_FORK; op++)
            ck_assert_msg(is_drawn(shape, op), "%s: no %s", conf_shape_names[shape], conf_op_names[op]);
}
END_TEST

START_TEST(programs_of_all_shapes_load_wait_and_write_rows)
{
    static const conf_op ops[] = {CONF_OP_LOAD, CONF_OP_WAIT, CONF_OP_ROW};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) ck_assert(is_drawn(SIZE_MAX, ops[k]));
}
END_TEST

START_TEST(no_program_calls_a_function_that_the_engine_lacks)
{
    static conf_schedule s;
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const conf_offer offer = offer_of((unsigned)seed % 16);
        const conf_schedule_draws draws = {
            .seed = seed, .shape = SIZE_MAX, .n_samples = 2, .n_prompt = 4, .offer = offer};
        conf_schedule_draw(&draws, &s);
        for (size_t i = 0; i < s.n_steps; i++) ck_assert(conf_offer_has(&offer, s.steps[i].op));
    }
}
END_TEST

/* bits 2 and 4: leave and rewind. */
START_TEST(sessions_that_can_get_no_other_samples_begin_with_some)
{
    static conf_schedule s;
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        const conf_schedule_draws draws = {.seed = seed,
                                           .shape = SIZE_MAX,
                                           .n_samples = 2,
                                           .n_prompt = 4,
                                           .offer = offer_of((unsigned)(seed % 4) * 2)};
        conf_schedule_draw(&draws, &s);
        for (size_t i = 0; i < s.n_steps; i++)
            if (s.steps[i].op == CONF_OP_SESSION)
                ck_assert_uint_ge(s.sessions[s.steps[i].session].n_samples, 1);
    }
}
END_TEST

START_TEST(programs_have_chunks_both_kinds_of_rows_and_forks_between_sessions)
{
    static conf_schedule s;
    bool chunk = false, all = false, last = false, copied = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const conf_schedule_draws draws = {
            .seed = seed, .shape = SIZE_MAX, .n_samples = 2, .n_prompt = 4, .offer = offer_of(EVERYTHING)};
        conf_schedule_draw(&draws, &s);
        for (size_t i = 0; i < s.n_steps; i++) {
            const conf_step *a = &s.steps[i];
            chunk = chunk || (a->op == CONF_OP_STEP && a->n_tokens > 1);
            all = all || (a->op == CONF_OP_STEP && a->all_rows);
            last = last || (a->op == CONF_OP_STEP && !a->all_rows);
            copied = copied || (a->op == CONF_OP_FORK && a->from != a->session);
        }
    }
    ck_assert(chunk && all && last && copied);
}
END_TEST

START_TEST(a_seed_determines_the_program)
{
    static conf_schedule a, b;
    conf_schedule_draws draws = {
        .seed = 5, .shape = SIZE_MAX, .n_samples = 2, .n_prompt = 4, .offer = offer_of(EVERYTHING)};
    conf_schedule_draw(&draws, &a);
    conf_schedule_draw(&draws, &b);
    ck_assert(are_same(&a, &b));
    draws.seed++;
    conf_schedule_draw(&draws, &b);
    ck_assert(!are_same(&a, &b));
}
END_TEST

START_TEST(workers_are_bounded)
{
    static conf_schedule s;
    assay_error err;
    conf_schedule_draw(&(conf_schedule_draws){.seed = 1, .shape = 0, .n_samples = 1, .n_prompt = 4}, &s);
    conf_schedule_fold(&s, 2);
    s.n_workers = 65;
    ck_assert_int_eq(conf_schedule_check(&s, &err), ASSAY_EINVAL);
    assert_holds(err.text, "workers: found 65, expected 1 to 64");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/schedule/draw");
    TCase *all = tcase_create("all");
    tcase_add_test(all, drawn_programs_are_valid);
    tcase_add_test(all, a_program_of_all_shapes_has_every_thread);
    tcase_add_test(all, every_shape_steps_joins_leaves_rewinds_and_forks);
    tcase_add_test(all, programs_of_all_shapes_load_wait_and_write_rows);
    tcase_add_test(all, no_program_calls_a_function_that_the_engine_lacks);
    tcase_add_test(all, sessions_that_can_get_no_other_samples_begin_with_some);
    tcase_add_test(all, programs_have_chunks_both_kinds_of_rows_and_forks_between_sessions);
    tcase_add_test(all, a_seed_determines_the_program);
    tcase_add_test(all, workers_are_bounded);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
