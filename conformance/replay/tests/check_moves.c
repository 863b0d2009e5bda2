/* What happens to the rows of a batch in each manner of evaluation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/judge/verdict.h"
#include "conformance/replay/manner.h"
#include "conformance/tests/support.h"

/* manner, row of n_rows, tokens of the prompt, further tokens, moves, tokens that a stateless engine
 * evaluates
 */
static const struct row {
    conf_manner manner;
    size_t index, n_rows, n_prompt, n_more;
    const char *moves;
    size_t cost;
} rows[] = {
    {CONF_MANNER_WHOLE, 1, 3, 5, 2, "5, 1 x 2", 5 + 6 + 7},
    {CONF_MANNER_WHOLE, 0, 1, 5, 0, "5", 5},
    {CONF_MANNER_LAST, 1, 3, 5, 2, "5, 1 x 2", 5 + 6 + 7},
    {CONF_MANNER_STOPPED, 1, 3, 5, 1, "5, 1", 5 + 6},
    {CONF_MANNER_REFUSED, 1, 3, 5, 1, "5, 1", 5 + 6},
    {CONF_MANNER_CHUNK_1, 1, 3, 3, 1, "1 x 4", 1 + 2 + 3 + 4},
    {CONF_MANNER_CHUNK_7, 0, 3, 15, 2, "7 x 2, 1 x 3", 7 + 14 + 15 + 16 + 17},
    {CONF_MANNER_CHUNK_7, 0, 3, 7, 1, "7, 1", 7 + 8},
    {CONF_MANNER_CHUNK_64, 0, 3, 65, 0, "64, 1", 64 + 65},
    {CONF_MANNER_CHUNK_512, 0, 1, 1029, 1, "512 x 2, 5, 1", 512 + 1024 + 1029 + 1030},
    {CONF_MANNER_APART, 1, 2, 5, 1, "5, 1", 5 + 6},
    {CONF_MANNER_REST, 0, 2, 5, 2, "5, rest, 1, rest, 1", 5 + 6 + 7},
    {CONF_MANNER_REST, 1, 2, 5, 2, "rest, 5, rest, 1, rest, 1", 5 + 6 + 7},
    {CONF_MANNER_REST, 2, 3, 5, 0, "5", 5},
    {CONF_MANNER_LATE, 0, 3, 5, 1, "5, 1", 5 + 6},
    {CONF_MANNER_LATE, 1, 3, 5, 1, "rest, join, 5, 1", 5 + 6},
    {CONF_MANNER_LATE, 2, 3, 5, 1, "rest x 2, join, 5, 1", 5 + 6},
    {CONF_MANNER_EARLY, 0, 2, 5, 2, "5, 1 x 2", 5 + 6 + 7},
    {CONF_MANNER_EARLY, 1, 2, 5, 2, "5, 1, leave, join, 5, 1 x 2", 5 + 6 + 5 + 6 + 7},
    {CONF_MANNER_EARLY, 1, 2, 5, 0, "5, leave, join, 5", 5 + 5},
    {CONF_MANNER_EARLY, 0, 1, 5, 1, "5, 1, leave, join, 5, 1", 5 + 6 + 5 + 6},
    {CONF_MANNER_REWIND, 0, 2, 5, 3, "5, 1 x 2, rewind to 2 x 2, 3, 1 x 3", 5 + 6 + 7 + 5 + 6 + 7 + 8},
    {CONF_MANNER_REWIND, 1, 2, 5, 1, "5, 1, rewind to 0 x 2, 5, 1", 5 + 6 + 5 + 6},
    {CONF_MANNER_REWIND, 0, 2, 1, 0, "1, rewind to 0 x 2, 1", 1 + 1},
    {CONF_MANNER_FORK, 0, 2, 5, 1, "2, fork, 3, 1", 2 + 2 * (5 + 6)},
    {CONF_MANNER_FORK, 1, 2, 5, 1, "2, fork, 3, 1", 2 + 2 * (5 + 6)},
    {CONF_MANNER_FORK, 2, 3, 5, 1, "fork, 5, 1", 2 * (5 + 6)},
};

/* The same for prompts that are not divisible. */
static const struct row whole_rows[] = {
    {CONF_MANNER_WHOLE, 0, 2, 5, 1, "5, 1", 5 + 6},
    {CONF_MANNER_REWIND, 0, 2, 5, 3, "5, 1 x 2, rewind to 5 x 2, 1 x 3", 5 + 6 + 7 + 6 + 7 + 8},
    {CONF_MANNER_REWIND, 1, 2, 5, 1, "5, 1, rewind to 0 x 2, 5, 1", 5 + 6 + 5 + 6},
    {CONF_MANNER_REWIND, 0, 2, 5, 0, "5, rewind to 0 x 2, 5", 5 + 5},
    {CONF_MANNER_FORK, 0, 2, 5, 2, "5, fork, 1 x 2", 5 + 2 * (6 + 7)},
    {CONF_MANNER_FORK, 1, 2, 5, 0, "5", 5},
};

/* Spans, in the order of their kinds: a video whose frames enclose an image, and an image before it. */
static const conf_span spans[] = {{9, 10}, {2, 6}, {8, 13}};
enum { N_SPANS = sizeof spans / sizeof *spans };

/* The same for prompts with these spans, and for those whose spans are not divided. */
static const struct row divided_rows[] = {
    {CONF_MANNER_WHOLE, 0, 2, 15, 1, "15, 1", 15 + 16},
    {CONF_MANNER_CHUNK_7, 0, 2, 15, 1, "7 x 2, 1 x 2", 7 + 14 + 15 + 16},
    {CONF_MANNER_REWIND, 0, 2, 15, 3, "15, 1 x 2, rewind to 4 x 2, 11, rewind to 9 x 2, 6, 1 x 3",
     15 + 16 + 17 + 15 + 15 + 16 + 17 + 18},
    {CONF_MANNER_REWIND, 1, 2, 15, 0, "15, rewind to 4 x 2, 11, rewind to 9 x 2, 6, rewind to 0 x 2, 15",
     4 * 15},
    {CONF_MANNER_FORK, 0, 3, 15, 0, "9, fork, 6", 9 + 2 * 15},
    {CONF_MANNER_FORK, 2, 3, 15, 0, "fork, 15", 2 * 15},
};
static const struct row kept_rows[] = {
    {CONF_MANNER_CHUNK_1, 0, 2, 15, 1, "1 x 2, 4, 1 x 2, 5, 1 x 3", 1 + 2 + 6 + 7 + 8 + 13 + 14 + 15 + 16},
    {CONF_MANNER_CHUNK_7, 0, 2, 15, 1, "7 x 2, 1 x 2", 7 + 14 + 15 + 16},
    {CONF_MANNER_REWIND, 0, 2, 15, 0, "15, rewind to 2 x 2, 13, rewind to 8 x 2, 7", 3 * 15},
    {CONF_MANNER_FORK, 0, 3, 15, 0, "8, fork, 7", 8 + 2 * 15},
};

static void assert_moves(const struct row *is, const conf_manner_row *how)
{
    conf_manner_row row = *how;
    conf_moves moves;
    row.index = is->index;
    row.n_rows = is->n_rows;
    row.n_prompt = is->n_prompt;
    row.n_more = is->n_more;
    ck_assert(conf_manner_moves(is->manner, &row, &moves));
    char text[512];
    conf_moves_print(&moves, text, sizeof text);
    ck_assert_str_eq(text, is->moves);
    ck_assert_uint_eq(conf_moves_cost(&moves), is->cost);
    free(moves.at);
}

START_TEST(each_manner_has_its_moves_and_their_cost)
{
    assert_moves(&rows[_i], &(conf_manner_row){.divisible = true});
}
END_TEST

START_TEST(a_prompt_that_is_not_divisible_comes_in_one_step)
{
    assert_moves(&whole_rows[_i], &(conf_manner_row){.divisible = false});
}
END_TEST

START_TEST(rewinds_and_forks_go_into_spans_and_rewinds_before_them)
{
    assert_moves(&divided_rows[_i],
                 &(conf_manner_row){.divisible = true, .spans = spans, .n_spans = N_SPANS});
}
END_TEST

START_TEST(a_span_that_is_kept_is_not_divided)
{
    assert_moves(
        &kept_rows[_i],
        &(conf_manner_row){.divisible = true, .spans = spans, .n_spans = N_SPANS, .keeps_spans = true});
}
END_TEST

/* Follows the moves of a sample, and asserts that each is possible. Returns how many tokens the sample has at
 * the end. */
static size_t follow_moves(const conf_moves *moves, bool joined)
{
    size_t n_tokens = 0, n_forks = 0;
    for (size_t i = 0; i < moves->n; i++) {
        const conf_move *m = &moves->at[i];
        ck_assert(joined || m->kind == CONF_MOVE_REST || m->kind == CONF_MOVE_JOIN);
        ck_assert(!joined || m->kind != CONF_MOVE_JOIN);
        if (m->kind == CONF_MOVE_STEP) ck_assert_uint_ge(m->n, 1);
        if (m->kind == CONF_MOVE_REWIND) ck_assert_uint_le(m->n, n_tokens);
        n_forks += m->kind == CONF_MOVE_FORK;
        if (m->kind == CONF_MOVE_LEAVE) n_tokens = 0;
        if (m->kind == CONF_MOVE_REWIND) n_tokens = m->n;
        if (m->kind == CONF_MOVE_STEP) n_tokens += m->n;
        if (m->kind == CONF_MOVE_JOIN || m->kind == CONF_MOVE_LEAVE) joined = m->kind == CONF_MOVE_JOIN;
    }
    ck_assert_uint_le(n_forks, 1);
    ck_assert(moves->at[moves->n - 1].kind == CONF_MOVE_STEP);
    return n_tokens;
}

START_TEST(every_row_ends_with_all_of_its_tokens)
{
    const conf_manner manner = (conf_manner)(_i / 2);
    const bool divisible = _i % 2;
    if (conf_manner_of(manner)->divides && !divisible) return;
    for (size_t n_rows = 1; n_rows <= 4; n_rows++)
        for (size_t row = 0; row < n_rows; row++)
            for (size_t n_prompt = 1; n_prompt < 70; n_prompt += 3)
                for (size_t n_more = 0; n_more < 4; n_more++) {
                    const conf_manner_row of = {.index = row,
                                                .n_rows = n_rows,
                                                .n_prompt = n_prompt,
                                                .n_more = n_more,
                                                .divisible = divisible};
                    conf_moves moves;
                    ck_assert(conf_manner_moves(manner, &of, &moves));
                    const bool late = manner == CONF_MANNER_LATE && row > 0;
                    ck_assert_uint_eq(follow_moves(&moves, !late), n_prompt + n_more);
                    free(moves.at);
                }
}
END_TEST

START_TEST(a_prompt_comes_in_parts_in_the_manners_that_say_so)
{
    const conf_manner_info *is = conf_manner_of((conf_manner)_i);
    const conf_manner_row row = {.n_rows = 2, .n_prompt = 513, .divisible = is->divides};
    conf_moves moves;
    ck_assert(conf_manner_moves((conf_manner)_i, &row, &moves));
    bool divided = false;
    for (size_t i = 0; i < moves.n; i++)
        divided = divided || (moves.at[i].kind == CONF_MOVE_STEP && moves.at[i].n < 513);
    ck_assert_int_eq(divided, is->divides);
    free(moves.at);
}
END_TEST

/* Names are unique, fit the verdict, and lead back to their manner. */
START_TEST(names_and_manners_correspond)
{
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) {
        ck_assert_int_eq(conf_manner_find(conf_manner_of(m)->name), m);
        ck_assert_uint_lt(strlen(conf_manner_of(m)->name), CONF_MANNER_NAME_MAX);
    }
    ck_assert_int_eq(conf_manner_find("chunk-8"), CONF_N_MANNERS);
}
END_TEST

static assay_status some_join(assay_session *s, size_t *sample, assay_error *err)
{
    (void)s;
    (void)sample;
    (void)err;
    return ASSAY_OK;
}

static assay_status some_leave(assay_session *s, size_t sample, assay_error *err)
{
    (void)s;
    (void)sample;
    (void)err;
    return ASSAY_OK;
}

static const char *const lacking[CONF_N_MANNERS] = {
    [CONF_MANNER_LATE] = "join", [CONF_MANNER_EARLY] = "join",  [CONF_MANNER_REWIND] = "rewind",
    [CONF_MANNER_FORK] = "fork", [CONF_MANNER_STOPPED] = "tap",
};

START_TEST(the_function_that_an_engine_lacks_is_named)
{
    const assay_engine minimal = {.abi = ASSAY_ENGINE_ABI}, joins = {.join = some_join},
                       leaves = {.join = some_join, .leave = some_leave};
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++)
        ck_assert_pstr_eq(conf_manner_lacks(m, &minimal), lacking[m]);
    ck_assert_ptr_null(conf_manner_lacks(CONF_MANNER_LATE, &joins));
    ck_assert_pstr_eq(conf_manner_lacks(CONF_MANNER_EARLY, &joins), "leave");
    ck_assert_ptr_null(conf_manner_lacks(CONF_MANNER_EARLY, &leaves));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/replay/moves");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, each_manner_has_its_moves_and_their_cost, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_loop_test(t, rewinds_and_forks_go_into_spans_and_rewinds_before_them, 0,
                        (int)(sizeof divided_rows / sizeof *divided_rows));
    tcase_add_loop_test(t, a_span_that_is_kept_is_not_divided, 0,
                        (int)(sizeof kept_rows / sizeof *kept_rows));
    tcase_add_loop_test(t, a_prompt_that_is_not_divisible_comes_in_one_step, 0,
                        (int)(sizeof whole_rows / sizeof *whole_rows));
    tcase_add_loop_test(t, every_row_ends_with_all_of_its_tokens, 0, 2 * CONF_N_MANNERS);
    tcase_add_loop_test(t, a_prompt_comes_in_parts_in_the_manners_that_say_so, 0, CONF_N_MANNERS);
    tcase_add_test(t, names_and_manners_correspond);
    tcase_add_test(t, the_function_that_an_engine_lacks_is_named);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
