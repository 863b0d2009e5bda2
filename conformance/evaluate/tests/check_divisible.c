/* Prompts of a checkpoint that cannot be read are not divided. Needs the fixtures ($top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/tests/deny.h"
#include "conformance/evaluate/checkpoint.h"
#include "conformance/tests/support.h"

/* A prompt that is longer than the ropes allow must not be divided because memory was short. */
START_TEST(without_memory_no_prompt_is_divided)
{
    char model[4096];
    size_t n_unknown = 0;
    (void)snprintf(model, sizeof model, "%s/fixtures/phi3/longrope/model", getenv("top_srcdir"));
    const conf_case c = {.kind = CONF_LOGITS, .model = model};
    const conf_checkpoint expected = conf_checkpoint_check(&c);
    ck_assert_int_eq(expected.state, CONF_CHECKPOINT_VALID);
    ck_assert_str_eq(expected.reason, "");
    ck_assert_uint_gt(expected.n_divisible, 0);
    ck_assert_uint_lt(expected.n_divisible, SIZE_MAX);
    bool denied = true;
    for (long n = 0; denied; n++) {
        deny(n);
        const conf_checkpoint found = conf_checkpoint_check(&c);
        denied = deny_end();
        ck_assert_msg(found.n_divisible == 0 || found.n_divisible == expected.n_divisible, "request %ld: %zu",
                      n, found.n_divisible);
        ck_assert_msg((found.n_divisible == 0) == (found.reason[0] != '\0'), "request %ld: %s", n,
                      found.reason);
        n_unknown += denied && found.n_divisible == 0 && found.state == CONF_CHECKPOINT_VALID;
    }
    ck_assert_uint_gt(n_unknown, 0);
}
END_TEST

/* The directory exists; the path of a file in it is longer than the system allows. */
START_TEST(where_the_config_cannot_be_read_no_prompt_is_divided)
{
    char model[4090];
    for (size_t i = 0; i < sizeof model; i++) model[i] = i % 2 ? '/' : '.';
    model[sizeof model - 1] = '\0';
    const conf_case c = {.kind = CONF_LOGITS, .model = model};
    const conf_checkpoint found = conf_checkpoint_check(&c);
    ck_assert_int_eq(found.state, CONF_CHECKPOINT_BROKEN);
    ck_assert_uint_eq(found.n_divisible, 0);
    ck_assert_str_ne(found.reason, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/divisible");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, without_memory_no_prompt_is_divided);
    tcase_add_test(t, where_the_config_cannot_be_read_no_prompt_is_divided);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
