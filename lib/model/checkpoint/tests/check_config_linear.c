/* A config.json takes time in proportion to its members (counted, not timed), and memory for their names. The
 * linker puts the functions below before json-c's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "model/checkpoint/config.h"
#include "model/checkpoint/config_value.h"

static size_t n_lookups;

json_bool __real_json_object_object_get_ex(const json_object *object, const char *name, json_object **value);
json_bool __wrap_json_object_object_get_ex(const json_object *object, const char *name, json_object **value);
json_bool __wrap_json_object_object_get_ex(const json_object *object, const char *name, json_object **value)
{
    n_lookups++;
    return __real_json_object_object_get_ex(object, name, value);
}

static bool is_denied;

json_object *__real_json_object_new_object(void);
json_object *__wrap_json_object_new_object(void);
json_object *__wrap_json_object_new_object(void)
{
    return is_denied ? NULL : __real_json_object_new_object();
}

/* How often members are looked up where n of them are unread. */
static size_t count_lookups(size_t n)
{
    char name[32];
    config c;
    config_notes notes = {0};
    assay_error err = {0};
    json_object *object = json_object_new_object();
    char **allowed = calloc(n + 1, sizeof *allowed);
    ck_assert_ptr_nonnull(allowed);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "unknown_%zu", i);
        allowed[i] = strdup(name);
        ck_assert_int_eq(json_object_object_add(object, name, json_object_new_int(1)), 0);
    }
    config_begin(&c, "config.json", "", object, &notes, &err);
    c.allowed = (const char *const *)allowed;
    n_lookups = 0;
    config_end(&c);
    ck_assert_int_eq(c.status, ASSAY_OK);
    ck_assert_uint_eq(notes.n, n);
    config_notes_free(&notes);
    json_object_put(object);
    for (size_t i = 0; i < n; i++) free(allowed[i]);
    free(allowed);
    return n_lookups;
}

START_TEST(unread_members_take_linear_time)
{
    const size_t few = count_lookups(500), many = count_lookups(2000);
    ck_assert_uint_ge(few, 500);
    ck_assert_uint_le(many, 5 * few);
}
END_TEST

START_TEST(a_document_is_not_read_without_memory)
{
    config c;
    assay_error err = {0};
    json_object *object = json_object_new_object();
    is_denied = true;
    config_begin(&c, "config.json", "", object, NULL, &err);
    is_denied = false;
    ck_assert_uint_eq(config_size(&c, "hidden_size"), 0);
    config_end(&c);
    json_object_put(object);
    ck_assert_int_eq(c.status, ASSAY_ENOMEM);
    support_expect_error(&err, ASSAY_ENOMEM, "config.json: out of memory", NULL);
}
END_TEST

/* An object with so many members, read as config.json is. */
static assay_status read_members(size_t n, assay_error *err)
{
    json_object *value = NULL;
    char *text = malloc(16 * n + 16);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)sprintf(text, "{");
    for (size_t i = 0; i < n; i++) at += (size_t)sprintf(text + at, "%s\"m%zu\":0", i ? "," : "", i);
    at += (size_t)sprintf(text + at, "}");
    const char *path = support_write(support_tmpdir(), "config.json", text, at);
    const assay_status rc = config_read_document(path, &value, err);
    json_object_put(value);
    free(text);
    return rc;
}

START_TEST(a_document_has_a_limit)
{
    assay_error err = {0};
    ck_assert_int_eq(read_members(131071, &err), ASSAY_OK); /* and the object itself */
    ck_assert_int_eq(read_members(131072, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "config.json: found more than 131072 values", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/config_linear");
    TCase *all = tcase_create("all");
    tcase_add_test(all, unread_members_take_linear_time);
    tcase_add_test(all, a_document_is_not_read_without_memory);
    tcase_add_test(all, a_document_has_a_limit);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
