/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stop.h"

#include "model/tests/support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes the documents (NULL: none) to a directory of their own and reads the set. */
static assay_status read_set(const char *config, const char *generation, stop_set **out, assay_error *err)
{
    static int count;
    char name[32];
    (void)snprintf(name, sizeof name, "%d-%d", (int)getpid(), count++);
    const char *dir = support_mkdir(support_tmpdir(), name);
    if (config) (void)support_write(dir, "config.json", config, strlen(config));
    if (generation) (void)support_write(dir, "generation_config.json", generation, strlen(generation));
    return stop_set_read(dir, out, err);
}

static void expect_ids(const char *config, const char *generation, size_t n, const int32_t *ids,
                       const unsigned *origin)
{
    stop_set *s = NULL;
    assay_error err;
    size_t found;
    ck_assert_int_eq(read_set(config, generation, &s, &err), ASSAY_OK);
    const int32_t *got = stop_set_ids(s, &found);
    ck_assert_uint_eq(found, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(got[i], ids[i]);
        ck_assert_uint_eq(stop_set_origin(s, i), origin[i]);
    }
    stop_set_free(s);
}

START_TEST(the_set_is_the_union_of_both_documents)
{
    expect_ids("{\"eos_token_id\": 1}", "{\"eos_token_id\": [106, 1, 50]}", 3, (const int32_t[]){1, 50, 106},
               (const unsigned[]){STOP_CONFIG | STOP_GENERATION_CONFIG, STOP_GENERATION_CONFIG,
                                  STOP_GENERATION_CONFIG});
}
END_TEST

START_TEST(null_absent_and_empty_add_nothing)
{
    expect_ids("{\"eos_token_id\": null}", "{\"eos_token_id\": []}", 0, NULL, NULL);
    expect_ids("{}", "{}", 0, NULL, NULL);
    expect_ids("{}", NULL, 0, NULL, NULL);
}
END_TEST

START_TEST(a_nested_config_counts_where_the_top_level_has_none)
{
    expect_ids("{\"text_config\": {\"eos_token_id\": 7}}", NULL, 1, (const int32_t[]){7},
               (const unsigned[]){STOP_CONFIG});
    expect_ids("{\"eos_token_id\": 3, \"text_config\": {\"eos_token_id\": 7}}", NULL, 1, (const int32_t[]){3},
               (const unsigned[]){STOP_CONFIG});
}
END_TEST

static const char *const ODD[] = {"\"2\"",     "2.0",   "-1",         "true",
                                  "[1, null]", "[[1]]", "{\"a\": 1}", "4294967296"};

START_TEST(any_other_value_is_refused_by_name)
{
    char text[64];
    stop_set *s = NULL;
    assay_error err;
    (void)snprintf(text, sizeof text, "{\"eos_token_id\": %s}", ODD[_i]);
    ck_assert_int_eq(read_set("{}", text, &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "generation_config.json", "eos_token_id", "expected a token id",
                         NULL);
    ck_assert_ptr_null(s);
}
END_TEST

START_TEST(documents_that_are_no_json_are_refused)
{
    stop_set *s = NULL;
    assay_error err;
    ck_assert_int_eq(read_set("{}", "{\"eos_token_id\": 1", &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "generation_config.json", NULL);
    ck_assert_int_eq(read_set("[]", NULL, &s, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "config.json", "expected an object", NULL);
    ck_assert_int_eq(read_set(NULL, "{}", &s, &err), ASSAY_EIO);
    support_expect_error(&err, ASSAY_EIO, "config.json", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/stop");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_set_is_the_union_of_both_documents);
    tcase_add_test(all, null_absent_and_empty_add_nothing);
    tcase_add_test(all, a_nested_config_counts_where_the_top_level_has_none);
    tcase_add_loop_test(all, any_other_value_is_refused_by_name, 0, (int)(sizeof ODD / sizeof *ODD));
    tcase_add_test(all, documents_that_are_no_json_are_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
