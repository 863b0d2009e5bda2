/* The cost of cases, by which they are divided into shards. Needs the fixtures ($top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/cost.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static uint64_t cost_of(const char *path, bool scanned)
{
    conf_found found = {.id = (char *)"x", .path = (char *)path, .scanned = scanned};
    conf_found_list list = {.at = &found, .n = 1};
    const conf_limits limits = {.seconds = 60, .mib = 4096};
    uint64_t cost = 0;
    assay_error err;
    ck_assert_msg(conf_costs_read(&list, &limits, &cost, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(found.no_case, cost == CONF_COST_NO_CASE);
    return cost;
}

static uint64_t cost_of_fixture(const char *name)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/fixtures/%s", getenv("top_srcdir"), name);
    return cost_of(path, true);
}

START_TEST(a_case_that_cannot_be_read_costs_what_every_case_costs)
{
    support_write_text(support_path("x.h5"), "no HDF5");
    ck_assert_uint_eq(cost_of(support_path("x.h5"), true), CONF_COST_CASE);
    ck_assert_uint_eq(cost_of(support_path("none.h5"), true), CONF_COST_CASE);
    ck_assert_uint_eq(cost_of(support_path("none.json"), true), CONF_COST_CASE);
}
END_TEST

START_TEST(a_byte_of_text_has_a_price)
{
    support_write_text(support_path("x.json"), "1234567890");
    ck_assert_uint_eq(cost_of(support_path("x.json"), true), CONF_COST_CASE + 10 * CONF_COST_TEXT_BYTE);
}
END_TEST

START_TEST(an_observation_in_a_directory_costs_little)
{
    const char *golden = support_write_decoder(support_path("golden.h5"), "logits", "ok");
    const char *observed = support_observe(golden, "float32", support_path("observed.h5"));
    ck_assert_uint_eq(cost_of(observed, true), CONF_COST_NO_CASE);
    ck_assert_uint_eq(cost_of(observed, false), CONF_COST_CASE);
}
END_TEST

/* The case has CASE_B samples of at most CASE_T tokens, all of the first and fewer of the second, and CASE_N
 * forced steps; its checkpoint is an empty directory. */
START_TEST(an_unknown_checkpoint_costs_half_its_bytes_for_each_token)
{
    const char *path = support_write_decoder(support_path("case.h5"), "logits", "ok");
    const uint64_t without = cost_of(path, true);
    const uint64_t n_tokens = (without - CONF_COST_CASE) / CONF_COST_TOKEN;
    ck_assert_uint_eq(without, CONF_COST_CASE + n_tokens * CONF_COST_TOKEN);
    ck_assert_uint_gt(n_tokens, CASE_T + CASE_B * CASE_N);
    ck_assert_uint_le(n_tokens, CASE_B * (CASE_T + CASE_N));
    support_write_text(support_path("ok/a.safetensors"), "01234567");
    support_write_text(support_path("ok/b.safetensors"), "0123");
    support_write_text(support_path("ok/c.bin"), "0123456789");
    ck_assert_uint_eq(cost_of(path, true), without + 6 * n_tokens);
}
END_TEST

/* Cases of one checkpoint: what they cost differs by their tokens. */
START_TEST(longer_prompts_and_more_samples_cost_more)
{
    const uint64_t one = cost_of_fixture("gemma2/base/single.h5"),
                   batch = cost_of_fixture("gemma2/base/batch.h5");
    const uint64_t lengths = cost_of_fixture("gemma2/lengths/prefill-1024.h5");
    const uint64_t longest = cost_of_fixture("gemma2/window-default/prefill-4096.h5");
    ck_assert_uint_gt(one, CONF_COST_CASE);
    ck_assert_uint_gt(batch, one);
    ck_assert_uint_gt(lengths, 4 * batch);
    ck_assert_uint_gt(longest, 3 * lengths);
}
END_TEST

START_TEST(costs_are_the_same_each_time)
{
    ck_assert_uint_eq(cost_of_fixture("qwen3/base/batch.h5"), cost_of_fixture("qwen3/base/batch.h5"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/cost");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_test(t, a_case_that_cannot_be_read_costs_what_every_case_costs);
    tcase_add_test(t, a_byte_of_text_has_a_price);
    tcase_add_test(t, an_observation_in_a_directory_costs_little);
    tcase_add_test(t, an_unknown_checkpoint_costs_half_its_bytes_for_each_token);
    tcase_add_test(t, longer_prompts_and_more_samples_cost_more);
    tcase_add_test(t, costs_are_the_same_each_time);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
