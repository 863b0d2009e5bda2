/* A stop set copies memory in proportion to its ids: counted, not timed. The linker puts the functions below
 * before those that copy.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/checkpoint/token_ids.h"

static size_t n_copied; /* bytes, at most */

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n)
{
    n_copied += n;
    return __real_memmove(to, from, n);
}

void *__real_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n)
{
    n_copied += n;
    return __real_realloc(old, n);
}

/* {"eos_token_id": [n, …, 2, 1]}: each id lies before all that came before. Freed by the caller. */
static char *descending(size_t n, size_t *length)
{
    char *text = malloc(12 * n + 64);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)sprintf(text, "{\"eos_token_id\":[");
    for (size_t i = n; i > 0; i--) at += (size_t)sprintf(text + at, "%zu%s", i, i > 1 ? "," : "]}");
    *length = at;
    return text;
}

static assay_status parse(size_t n, stop_set **out, assay_error *err)
{
    assay_stop_documents documents = {0};
    char *text = descending(n, &documents.config.n);
    documents.config.at = text;
    const assay_status rc = stop_set_parse(&documents, out, err);
    free(text);
    return rc;
}

static size_t count_copied(size_t n)
{
    stop_set *s = NULL;
    assay_error err = {0};
    size_t found = 0;
    n_copied = 0;
    ck_assert_msg(parse(n, &s, &err) == ASSAY_OK, "%s", err.text);
    const size_t copied = n_copied;
    const int32_t *ids = stop_set_ids(s, &found);
    ck_assert_uint_eq(found, n);
    for (size_t i = 0; i < n; i++) ck_assert_int_eq(ids[i], (int32_t)i + 1);
    stop_set_free(s);
    return copied;
}

START_TEST(ids_are_copied_a_bounded_number_of_times)
{
    const size_t few = count_copied(1000), many = count_copied(8000);
    ck_assert_msg(many <= 10 * few, "%zu bytes for 1000 ids, %zu for 8000", few, many);
}
END_TEST

START_TEST(a_stop_set_has_a_limit)
{
    stop_set *s = NULL;
    assay_error err = {0};
    ck_assert_int_eq(parse(TOKEN_IDS_MAX, &s, &err), ASSAY_OK);
    stop_set_free(s);
    ck_assert_int_eq(parse(TOKEN_IDS_MAX + 1, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED,
                         "config.json: eos_token_id: found a list of 65537 ids, expected at most 65536",
                         NULL);
    ck_assert_int_eq(parse(131072, &s, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "config.json: found more than 131072 values", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/stop_linear");
    TCase *all = tcase_create("all");
    tcase_add_test(all, ids_are_copied_a_bounded_number_of_times);
    tcase_add_test(all, a_stop_set_has_a_limit);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
