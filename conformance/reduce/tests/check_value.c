/* Shorter JSON values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/reduce/texts/value.h"

static json_object *document;

static void setup(void)
{
    document = json_tokener_parse("{\"a\":1,\"input\":{\"text\":\"z\\u00f6y\",\"list\":[1,null,\"b\"]}}");
    ck_assert_ptr_nonnull(document);
}

static void teardown(void)
{
    json_object_put(document);
}

static void assert_json(json_object *value, const char *text)
{
    ck_assert_str_eq(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), text);
}

/* Checks `value` with only the units of which `kept` has a '1'. */
static void assert_kept(json_object *value, const char *kept, const char *text)
{
    bool units[8] = {false};
    ck_assert_uint_eq(conf_value_units(value), strlen(kept));
    for (size_t i = 0; kept[i]; i++) units[i] = kept[i] == '1';
    json_object *some = conf_value_keep(value, units);
    ck_assert_ptr_nonnull(some);
    assert_json(some, text);
    json_object_put(some);
}

START_TEST(a_text_keeps_whole_characters)
{
    json_object *text = conf_value_at(document, &(conf_value_path){{1, 0}, 2});
    assert_kept(text, "101", "\"zy\"");
    assert_kept(text, "010", "\"\u00f6\"");
    assert_kept(text, "000", "\"\"");
}
END_TEST

START_TEST(arrays_keep_elements_and_objects_members)
{
    json_object *input = conf_value_at(document, &(conf_value_path){{1}, 1});
    assert_kept(conf_value_at(document, &(conf_value_path){{1, 1}, 2}), "011", "[null,\"b\"]");
    assert_kept(input, "01", "{\"list\":[1,null,\"b\"]}");
    assert_kept(input, "00", "{}");
}
END_TEST

START_TEST(numbers_and_null_have_no_units)
{
    ck_assert_uint_eq(conf_value_units(conf_value_at(document, &(conf_value_path){{0}, 1})), 0);
    ck_assert_uint_eq(conf_value_units(NULL), 0);
    ck_assert_ptr_null(conf_value_keep(NULL, NULL));
}
END_TEST

START_TEST(a_replaced_value_leaves_the_document_as_it_is)
{
    json_object *text = json_object_new_string("new");
    json_object *element = conf_value_replaced(document, &(conf_value_path){{1, 1, 1}, 3}, text);
    json_object *member = conf_value_replaced(document, &(conf_value_path){{1, 0}, 2}, text);
    assert_json(element, "{\"a\":1,\"input\":{\"text\":\"z\u00f6y\",\"list\":[1,\"new\",\"b\"]}}");
    assert_json(member, "{\"a\":1,\"input\":{\"text\":\"new\",\"list\":[1,null,\"b\"]}}");
    assert_json(document, "{\"a\":1,\"input\":{\"text\":\"z\u00f6y\",\"list\":[1,null,\"b\"]}}");
    ck_assert_ptr_null(conf_value_replaced(document, &(conf_value_path){{1, 7}, 2}, text));
    ck_assert_ptr_null(conf_value_replaced(document, &(conf_value_path){{0}, 0}, text));
    json_object_put(element);
    json_object_put(member);
    json_object_put(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reduce/value");
    TCase *values = tcase_create("values");
    tcase_add_checked_fixture(values, setup, teardown);
    tcase_add_test(values, a_text_keeps_whole_characters);
    tcase_add_test(values, arrays_keep_elements_and_objects_members);
    tcase_add_test(values, numbers_and_null_have_no_units);
    tcase_add_test(values, a_replaced_value_leaves_the_document_as_it_is);
    suite_add_tcase(suite, values);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
