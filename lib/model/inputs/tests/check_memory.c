/* Adding items and opening a model with a tower while allocations fail in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/tests/deny.h"
#include "base/tests/support.h"
#include "model/inputs/media_list.h"
#include "model/inputs/tests/sample.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

START_TEST(items_without_memory_leave_the_list_as_it_was)
{
    const plan p = {.vision = sample_tower, .positions = PLAN_POSITIONS_GRID};
    sample_medium own[] = {{.grid = {1, 2, 2}}, {.grid = {1, 2, 4}}, {.grid = {1, 2, 2}}};
    const assay_item before = sample_item(&own[0], ASSAY_ITEM_IMAGE);
    const assay_item items[] = {sample_item(&own[1], ASSAY_ITEM_IMAGE),
                                sample_item(&own[2], ASSAY_ITEM_VIDEO)};
    int32_t tokens[SAMPLE_MOST];
    const size_t n = sample_tokens("iaiiav", tokens);
    const assay_step first = {.tokens = tokens, .n_tokens = 2, .items = &before, .n_items = 1};
    const assay_step step = {.tokens = tokens + 2, .n_tokens = n - 2, .items = items, .n_items = 2};
    media_list list = {0}, copy;
    ck_assert_int_eq(media_list_add(&list, &p, &first, 0, tokens, false, NULL), ASSAY_OK);
    size_t n_denied = 0;
    for (;; n_denied++) {
        assay_error err;
        deny((long)n_denied);
        const assay_status rc = media_list_add(&list, &p, &step, 2, tokens, false, &err);
        if (!deny_end()) {
            ck_assert_int_eq(rc, ASSAY_OK);
            break;
        }
        ck_assert_int_eq(rc, ASSAY_ENOMEM);
        support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
        ck_assert_uint_eq(list.n, 1);
    }
    ck_assert_uint_ge(n_denied, 4); /* two arrays, two media */
    ck_assert_uint_eq(list.n, 3);
    deny(0);
    ck_assert(!media_list_copy(&copy, &list));
    ck_assert(deny_end());
    ck_assert_uint_eq(copy.n, 0);
    media_list_free(&list);
}
END_TEST

static const char *const FIXTURES[] = {"qwen3_vl/base", "gemma4/tower-clipped"};

START_TEST(a_model_with_a_tower_opens_or_fails_as_a_whole)
{
    char *dir = checkpoint_fixture(FIXTURES[_i]);
    for (long n = 0;; n++) {
        plan *p = NULL;
        assay_error err;
        deny(n);
        const assay_status rc = plan_open(dir, &p, &err);
        if (!deny_end()) {
            ck_assert_int_eq(rc, ASSAY_OK);
            ck_assert_int_gt(n, 100);
            plan_free(p);
            break;
        }
        ck_assert_msg(rc != ASSAY_OK ? p == NULL : p != NULL, "allocation %ld", n);
        plan_free(p);
    }
    free(dir);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/inputs/memory");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_test(all, items_without_memory_leave_the_list_as_it_was);
    tcase_add_loop_test(all, a_model_with_a_tower_opens_or_fails_as_a_whole, 0, 2);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
