/* Batches in drawn arrangements (--seed).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/case/prompt.h"
#include "conformance/kinds/read.h"
#include "conformance/replay/arrange.h"
#include "conformance/tests/support.h"

static conf_case *c;

static void setup(void)
{
    support_setup();
    (void)support_write_decoder(support_path("sound.h5"), "generate", "ok");
    ck_assert_int_eq(conf_case_read(support_path("sound.h5"), &c, NULL), ASSAY_OK);
}

static void teardown(void)
{
    conf_case_free(c);
    support_teardown();
}

static conf_arrangement arrange_case(uint64_t seed)
{
    conf_arrangement a;
    ck_assert_int_eq(conf_arrange(c, &seed, &a, NULL), ASSAY_OK);
    return a;
}

static bool is_same(const conf_arrangement *a, const conf_arrangement *b)
{
    bool same = a->n_rows == b->n_rows && a->n_tokens == b->n_tokens &&
                memcmp(a->row, b->row, CASE_B * sizeof *a->row) == 0;
    for (size_t i = 0; same && i < a->n_rows; i++)
        same = a->rows[i].sample == b->rows[i].sample && a->rows[i].n_tokens == b->rows[i].n_tokens &&
               a->rows[i].judged == b->rows[i].judged;
    return same;
}

START_TEST(without_a_seed_the_batch_is_as_recorded)
{
    conf_arrangement a;
    ck_assert_int_eq(conf_arrange(c, NULL, &a, NULL), ASSAY_OK);
    ck_assert_uint_eq(a.n_rows, CASE_B);
    ck_assert_uint_eq(a.n_tokens, CASE_T);
    for (size_t b = 0; b < CASE_B; b++) {
        ck_assert_uint_eq(a.row[b], b);
        ck_assert_uint_eq(a.rows[b].sample, b);
        ck_assert_uint_eq(a.rows[b].n_tokens, conf_prompt_length(&c->decoder, b));
        ck_assert(a.rows[b].judged);
    }
    conf_arrangement_free(&a);
}
END_TEST

START_TEST(arrangements_depend_only_on_the_seed)
{
    conf_arrangement a = arrange_case(7), again = arrange_case(7), other = arrange_case(8);
    ck_assert(is_same(&a, &again));
    ck_assert(!is_same(&a, &other));
    conf_arrangement_free(&a);
    conf_arrangement_free(&again);
    conf_arrangement_free(&other);
}
END_TEST

START_TEST(every_prompt_is_complete_in_a_judged_row_of_its_own)
{
    conf_arrangement a = arrange_case((uint64_t)_i);
    size_t n_judged = 0;
    ck_assert_uint_ne(a.row[0], a.row[1]);
    for (size_t b = 0; b < CASE_B; b++) {
        ck_assert_uint_lt(a.row[b], a.n_rows);
        const conf_batch_row *row = &a.rows[a.row[b]];
        ck_assert_uint_eq(row->sample, b);
        ck_assert_uint_eq(row->n_tokens, conf_prompt_length(&c->decoder, b));
        ck_assert(row->judged);
    }
    for (size_t i = 0; i < a.n_rows; i++) {
        ck_assert_uint_ge(a.rows[i].n_tokens, 1);
        ck_assert_uint_le(a.rows[i].n_tokens, conf_prompt_length(&c->decoder, a.rows[i].sample));
        n_judged += a.rows[i].judged;
    }
    ck_assert_uint_eq(n_judged, CASE_B);
    conf_arrangement_free(&a);
}
END_TEST

START_TEST(seeds_draw_every_order_batch_size_and_padding)
{
    bool rows[CONF_NEIGHBOURS_MAX + 1] = {0}, columns[CONF_PADDING_DRAWN_MAX + 1] = {0}, swapped = false;
    for (uint64_t seed = 0; seed < 200; seed++) {
        conf_arrangement a = arrange_case(seed);
        ck_assert_uint_le(a.n_rows, CASE_B + CONF_NEIGHBOURS_MAX);
        ck_assert_uint_le(a.n_tokens, CASE_T + CONF_PADDING_DRAWN_MAX);
        rows[a.n_rows - CASE_B] = columns[a.n_tokens - CASE_T] = true;
        swapped = swapped || a.row[0] > a.row[1];
        conf_arrangement_free(&a);
    }
    for (size_t i = 0; i <= CONF_NEIGHBOURS_MAX; i++) ck_assert(rows[i]);
    for (size_t i = 0; i <= CONF_PADDING_DRAWN_MAX; i++) ck_assert(columns[i]);
    ck_assert(swapped);
}
END_TEST

/* The inputs of a row are those of its whole prompt. */
START_TEST(neighbours_with_other_inputs_are_whole_prompts)
{
    size_t n_neighbours = 0, n_swapped = 0;
    edit_i32(support_path("sound.h5"), "/input/pixel_values", 1, (size_t[]){CASE_B}, (const int32_t[]){1, 2});
    conf_case_free(c);
    ck_assert_int_eq(conf_case_read(support_path("sound.h5"), &c, NULL), ASSAY_OK);
    for (uint64_t seed = 0; seed < 50; seed++) {
        conf_arrangement a = arrange_case(seed);
        n_swapped += a.row[0] > a.row[1];
        n_neighbours += a.n_rows - CASE_B;
        for (size_t i = 0; i < a.n_rows; i++)
            ck_assert_uint_eq(a.rows[i].n_tokens, conf_prompt_length(&c->decoder, a.rows[i].sample));
        conf_arrangement_free(&a);
    }
    ck_assert(n_neighbours > 0 && n_swapped > 0);
}
END_TEST

START_TEST(a_correct_engine_agrees_in_every_arrangement)
{
    const char *const engines[] = {"fake32", "fake64"};
    for (size_t e = 0; e < 2; e++)
        for (unsigned seed = 0; seed < 12; seed++) {
            const support_output *o =
                support_assay("run -e %s --seed %u sound.h5", support_engine(engines[e]), seed);
            ck_assert_msg(o->code == 0, "seed %u: %s", seed, o->out);
        }
}
END_TEST

/* The fault shows only with more padding than the two columns of the recorded batch. */
START_TEST(a_fault_that_needs_more_padding_is_found_and_reproduced)
{
    const char *engine = support_engine("fake32");
    (void)support_write_decoder(support_path("deep.h5"), "logits", "deep-padding");
    const support_output *o = support_assay("run -e %s --manner whole deep.h5", engine);
    ck_assert_int_eq(o->code, 0);
    o = support_assay("run -e %s --seed 1 --manner whole deep.h5", engine);
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, " --seed 1 deep.h5\n");
    assert_holds(o->out, "  first:  sample 0, prefill, position 0, id 0: expected ");
    assert_holds(o->out, "seed 1: rows ");
    assert_holds(o->out, "2 of 2 recorded tensors compared");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/replay/arrange");
    TCase *arrange = tcase_create("arrange");
    tcase_add_checked_fixture(arrange, setup, teardown);
    tcase_set_timeout(arrange, 60);
    tcase_add_test(arrange, without_a_seed_the_batch_is_as_recorded);
    tcase_add_test(arrange, arrangements_depend_only_on_the_seed);
    tcase_add_loop_test(arrange, every_prompt_is_complete_in_a_judged_row_of_its_own, 0, 20);
    tcase_add_test(arrange, seeds_draw_every_order_batch_size_and_padding);
    tcase_add_test(arrange, neighbours_with_other_inputs_are_whole_prompts);
    tcase_add_test(arrange, a_correct_engine_agrees_in_every_arrangement);
    tcase_add_test(arrange, a_fault_that_needs_more_padding_is_found_and_reproduced);
    suite_add_tcase(suite, arrange);

    return support_run(suite);
}
