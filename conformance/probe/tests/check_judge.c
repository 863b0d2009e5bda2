/* Log-probabilities with planted errors, and the rule that names each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/run_noise.h"
#include "conformance/probe/checks/follow.h"
#include "conformance/probe/tests/made.h"
#include "conformance/tests/support.h"

/* Judges a row after the whole prompt. */
static void judge(probe_judge *j, const made *m)
{
    const probe_place place = {
        .prompt = made_prompt, .n_before = made_prompt->n_prompt, .greedy = true, .taken = -1};
    int32_t id;
    ck_assert(probe_judge_begin(j, &made_truth, PROBE_F32));
    probe_judge_row(j, &m->rows, 0, &place, &id);
}

/* Asserts that exactly these rules are broken. */
static void assert_broken(const probe_judge *j, unsigned rules)
{
    for (size_t i = 0; i < PROBE_N_RULES; i++)
        ck_assert_msg((j->rules[i].n_broken > 0) == ((rules >> i & 1) != 0), "%s: %zu broken: %s",
                      probe_rule_names[i], j->rules[i].n_broken, j->rules[i].first);
}

#define BIT(rule) (1U << (rule))

START_TEST(truth_has_the_prompts_of_the_case_shortest_first)
{
    ck_assert_uint_eq(made_truth.n_prompts, 3);
    ck_assert_uint_eq(made_truth.prompts[0].n_prompt, 16);
    ck_assert_uint_eq(made_truth.prompts[2].n_prompt, 24);
    ck_assert_uint_eq(made_prompt->n_greedy, 17); /* the stop id is not part of the answer */
    ck_assert(made_prompt->ends);
    ck_assert_uint_eq(made_prompt->n_safe, 18);
    ck_assert(made_prompt->readable && !made_prompt->adds);
    ck_assert_str_eq(made_truth.reasoning, "qwen3");
    ck_assert_str_eq(made_truth.tools, "hermes");
    ck_assert(made_prompt->noise[PROBE_BF16].noise > made_prompt->noise[PROBE_F32].noise);
    ck_assert(made_prompt->noise[PROBE_INT8].noise == 0);
}
END_TEST

START_TEST(row_of_the_truth_breaks_no_rule)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    judge(&j, &m);
    assert_broken(&j, 0);
    ck_assert(j.rules[PROBE_RULE_LOGPROB].n == MADE_TOP + 1);
    ck_assert(j.rules[PROBE_RULE_LOGPROB].multiple < 1e-6);
    probe_judge_end(&j);
}
END_TEST

START_TEST(value_beyond_twice_the_bound_is_named)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    m.entries[2].value += 2.2 * made_bound;
    judge(&j, &m);
    assert_broken(&j, BIT(PROBE_RULE_LOGPROB) | BIT(PROBE_RULE_DIFFERENCE));
    ck_assert_ptr_nonnull(strstr(j.rules[PROBE_RULE_LOGPROB].first, "turns, sample 0, after 16 tokens: id "));
    probe_judge_end(&j);
}
END_TEST

START_TEST(offset_within_twice_the_bound_passes_and_a_difference_of_that_size_does_not)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    for (size_t k = 0; k < MADE_TOP; k++) m.entries[k].value += 1.9 * made_bound;
    m.row.token.value += 1.9 * made_bound;
    judge(&j, &m);
    assert_broken(&j, 0);
    probe_judge_end(&j);
    m.entries[3].value -= 3.8 * made_bound; /* within twice the bound on the other side */
    judge(&j, &m);
    assert_broken(&j, BIT(PROBE_RULE_DIFFERENCE));
    probe_judge_end(&j);
}
END_TEST

START_TEST(token_that_is_not_among_the_largest_is_named)
{
    made m;
    probe_judge j;
    double *t = made_log_softmax(made_prompt->n_prompt);
    made_row(&m, made_prompt->n_prompt);
    size_t least = 0;
    for (size_t v = 0; v < made_truth.n_vocab; v++)
        if (t[v] < t[least]) least = v;
    m.entries[4] = (probe_entry){.id = (int32_t)least, .value = t[least]};
    judge(&j, &m);
    assert_broken(&j, BIT(PROBE_RULE_TOP));
    probe_judge_end(&j);
    free(t);
}
END_TEST

START_TEST(greedy_token_that_is_not_the_most_likely_is_named)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    m.row.token = m.entries[1];
    judge(&j, &m);
    assert_broken(&j, BIT(PROBE_RULE_TOKEN));
    probe_judge_end(&j);
}
END_TEST

START_TEST(value_of_another_id_is_named)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    m.row.token.value = m.entries[1].value; /* the sampled token's value is that of another id */
    judge(&j, &m);
    assert_broken(&j, BIT(PROBE_RULE_LOGPROB) | BIT(PROBE_RULE_DIFFERENCE) | BIT(PROBE_RULE_SAME));
    probe_judge_end(&j);
}
END_TEST

START_TEST(not_a_number_is_named)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    m.entries[1].value = (double)NAN;
    judge(&j, &m);
    assert_broken(&j, BIT(PROBE_RULE_LOGPROB));
    probe_judge_end(&j);
}
END_TEST

START_TEST(token_is_found_by_its_text_and_by_its_rank)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    ck_assert_int_eq(m.entries[0].id, 423);
    m.row.token.id = m.entries[0].id = -1;
    m.row.token.text = m.entries[0].text = (assay_text){"<think>", 7};
    m.entries[1].id = -1; /* neither an id nor a text: its rank is left */
    judge(&j, &m);
    assert_broken(&j, 0);
    ck_assert_uint_eq(j.n_unknown, 0);
    ck_assert_uint_eq(j.n_by_rank, 1);
    probe_judge_end(&j);
}
END_TEST

START_TEST(alternatives_without_a_name_are_those_that_the_others_leave)
{
    made m;
    probe_judge j;
    made_row(&m, made_prompt->n_prompt);
    m.entries[2].id = -1;
    m.entries[1].value = m.entries[2].value - made_bound / 4; /* as at a tie: the order is another one */
    judge(&j, &m);
    ck_assert_uint_eq(j.rules[PROBE_RULE_TOP].n_broken, 0);
    ck_assert_uint_eq(j.n_by_rank, 1);
    probe_judge_end(&j);
}
END_TEST

enum { ANSWER_MOST = 64 };

/* The rows of a recorded answer with the truth's values; the tokens of a character have one row, as those of
 * llama.cpp do. Returns how many tokens have none. */
static size_t make_joined_rows(const probe_truth *t, const probe_prompt *p, probe_row *at, probe_rows *rows,
                               buffer *texts)
{
    double *values = calloc(t->n_vocab, sizeof *values);
    size_t n_joined = 0;
    ck_assert_ptr_nonnull(values);
    ck_assert(buffer_reserve(texts, 1024)); /* texts stay where they are */
    *rows = (probe_rows){.at = at};
    for (size_t k = 0; k < p->n_greedy; k++) {
        const size_t from = k, before = texts->n;
        if (probe_vocab_is_part(t->vocab, p->greedy[k])) k += PROBE_CHARACTER_MOST - 1;
        n_joined += k - from;
        ck_assert_uint_lt(k, p->n_greedy);
        ck_assert_uint_lt(rows->n, ANSWER_MOST);
        ck_assert_int_eq(probe_vocab_decode(t->vocab, p->greedy + from, k + 1 - from, false, texts, NULL),
                         ASSAY_OK);
        probe_log_softmax(probe_truth_row(p, p->n_prompt + k), t->n_vocab, values);
        at[rows->n++] = (probe_row){.token = {.id = p->greedy[k],
                                              .text = {texts->data + before, texts->n - before},
                                              .value = values[p->greedy[k]]},
                                    .has_token = true};
    }
    free(values);
    return n_joined;
}

START_TEST(character_of_several_tokens_may_have_one_row)
{
    probe_truth bundle;
    assay_error err;
    char path[4096];
    size_t n_followed = 0;
    (void)snprintf(path, sizeof path, "%s/fixtures/bundle/qwen3/prompts.h5",
                   getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    const char *const paths[] = {path};
    ck_assert_msg(probe_truth_read(paths, 1, PROBE_F32, &bundle, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < bundle.n_prompts; i++) {
        const probe_prompt *p = &bundle.prompts[i];
        const probe_asked asked = {.prompt = p, .n_before = p->n_prompt, .is_recorded = true};
        probe_row at[ANSWER_MOST];
        probe_rows rows;
        probe_judge j;
        buffer texts = {0};
        const size_t n_joined = make_joined_rows(&bundle, p, at, &rows, &texts);
        ck_assert(probe_judge_begin(&j, &bundle, PROBE_F32));
        const probe_follow f = probe_follow_answer(&j, &rows, &asked);
        assert_broken(&j, 0);
        ck_assert_uint_eq(f.n_followed, rows.n);
        ck_assert_uint_eq(f.n_joined, n_joined);
        ck_assert_uint_eq(f.n_skipped, 0);
        if (n_joined) n_followed++;
        probe_judge_end(&j);
        buffer_free(&texts);
    }
    ck_assert_uint_ge(n_followed, 1);
    probe_truth_free(&bundle);
}
END_TEST

START_TEST(token_that_ends_a_character_is_found_by_the_character)
{
    probe_vocab *vocab;
    assay_error err;
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/fixtures/bundle/qwen3/model",
                   getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    ck_assert_msg(probe_vocab_open(path, 425, &vocab, &err) == ASSAY_OK, "%s", err.text);
    int32_t *ids;
    size_t n;
    const assay_text fog = {"\xF0\x9F\x8C\xAB", 4}, other = {"\xEF\xBF\xBD", 3};
    ck_assert_int_eq(probe_vocab_encode(vocab, fog, false, &ids, &n, &err), ASSAY_OK);
    ck_assert_uint_eq(n, 4);
    ck_assert_int_eq(probe_vocab_find_joined(vocab, ids, 3, fog), ids[3]);
    ck_assert_int_eq(probe_vocab_find_joined(vocab, ids, 2, fog), -1);
    ck_assert_int_eq(probe_vocab_find_joined(vocab, ids, 1, other), -1);
    free(ids);
    probe_vocab_free(vocab);
}
END_TEST

START_TEST(completions_may_list_the_token_beside_the_largest)
{
    made m;
    probe_judge j;
    double *t = made_log_softmax(made_prompt->n_prompt);
    const probe_place place = {.prompt = made_prompt, .n_before = made_prompt->n_prompt, .taken = -1};
    int32_t id;
    made_row(&m, made_prompt->n_prompt);
    m.entries[MADE_TOP] = (probe_entry){.id = 3, .value = t[3]};
    m.row.token = m.entries[MADE_TOP];
    m.row.n_top = MADE_TOP + 1;
    ck_assert(probe_judge_begin(&j, &made_truth, PROBE_F32));
    probe_judge_row(&j, &m.rows, 0, &place, &id);
    assert_broken(&j, 0);
    ck_assert_uint_eq(j.rules[PROBE_RULE_TOP].n, 1);
    probe_judge_end(&j);
    free(t);
}
END_TEST

/* The noise in q8_K is that of the run with the cache of llama.cpp. */
START_TEST(a_gguf_file_has_the_noise_of_llama_cpp)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/fixtures/llama/gguf-q4_k_m/single.h5",
                   getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    const char *const paths[] = {path};
    probe_truth t;
    assay_error err;
    ck_assert_int_eq(probe_truth_read(paths, 1, PROBE_Q8_K, &t, &err), ASSAY_OK);
    ck_assert_uint_eq(t.n_prompts, 1);
    const conf_rows *rows = &t.cases[0]->decoder.rows;
    const conf_run *cached = conf_run_find(rows, conf_compute_of("q8_K+f16"));
    ck_assert_ptr_nonnull(cached);
    ck_assert_double_eq_tol(t.prompts[0].noise[PROBE_Q8_K].noise, cached->noise.max_abs, 1e-9);
    ck_assert(t.prompts[0].noise[PROBE_Q8_K].noise > 100 * t.prompts[0].noise[PROBE_F32].noise);
    probe_truth_free(&t);
}
END_TEST

START_TEST(safe_tokens_have_margins_of_the_claimed_type)
{
    char path[4096];
    size_t n_safe[PROBE_TYPES] = {0};
    (void)snprintf(path, sizeof path, "%s/fixtures/bundle/qwen3/prompts.h5",
                   getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    const char *const paths[] = {path};
    for (probe_type type = 0; type < PROBE_TYPES; type++) {
        probe_truth t;
        assay_error err;
        const assay_status rc = probe_truth_read(paths, 1, type, &t, &err);
        const bool recorded = type != PROBE_INT8 && type < PROBE_Q8_0;
        ck_assert_int_eq(rc, recorded ? ASSAY_OK : ASSAY_EINVAL);
        for (size_t i = 0; rc == ASSAY_OK && i < t.n_prompts; i++) {
            const probe_prompt *p = &t.prompts[i];
            n_safe[type] += p->n_safe;
            for (size_t k = 0; k < p->n_safe; k++) {
                double first = -INFINITY, second = -INFINITY;
                const double *row = probe_truth_row(p, p->n_prompt + k);
                for (size_t v = 0; v < t.n_vocab; v++) {
                    if (row[v] > first) {
                        second = first;
                        first = row[v];
                    } else if (row[v] > second) second = row[v];
                }
                ck_assert_double_gt(first - second, 2 * p->noise[type].bound);
            }
        }
        probe_truth_free(&t);
    }
    ck_assert_uint_gt(n_safe[PROBE_BF16], 0);
    ck_assert_uint_lt(n_safe[PROBE_BF16], n_safe[PROBE_F32]);
    ck_assert_uint_lt(n_safe[PROBE_AFFINE4], n_safe[PROBE_F32]);
}
END_TEST

START_TEST(cases_of_several_checkpoints_are_refused)
{
    const char *srcdir = getenv("top_srcdir");
    probe_truth both;
    char one[4096], other[4096];
    assay_error err;
    (void)snprintf(one, sizeof one, "%s/fixtures/trained/qwen3/turns.h5", srcdir ? srcdir : ".");
    (void)snprintf(other, sizeof other, "%s/fixtures/trained/gemma4/turns.h5", srcdir ? srcdir : ".");
    const char *const paths[] = {one, other};
    ck_assert_int_eq(probe_truth_read(paths, 2, PROBE_F32, &both, &err), ASSAY_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "expected "));
    probe_truth_free(&both);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("judge");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, made_setup, made_teardown);
    tcase_add_test(c, truth_has_the_prompts_of_the_case_shortest_first);
    tcase_add_test(c, row_of_the_truth_breaks_no_rule);
    tcase_add_test(c, value_beyond_twice_the_bound_is_named);
    tcase_add_test(c, offset_within_twice_the_bound_passes_and_a_difference_of_that_size_does_not);
    tcase_add_test(c, token_that_is_not_among_the_largest_is_named);
    tcase_add_test(c, greedy_token_that_is_not_the_most_likely_is_named);
    tcase_add_test(c, value_of_another_id_is_named);
    tcase_add_test(c, not_a_number_is_named);
    tcase_add_test(c, token_is_found_by_its_text_and_by_its_rank);
    tcase_add_test(c, alternatives_without_a_name_are_those_that_the_others_leave);
    tcase_add_test(c, character_of_several_tokens_may_have_one_row);
    tcase_add_test(c, token_that_ends_a_character_is_found_by_the_character);
    tcase_add_test(c, completions_may_list_the_token_beside_the_largest);
    tcase_add_test(c, safe_tokens_have_margins_of_the_claimed_type);
    tcase_add_test(c, a_gguf_file_has_the_noise_of_llama_cpp);
    tcase_add_test(c, cases_of_several_checkpoints_are_refused);
    Suite *suite = suite_create("probe/judge");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
