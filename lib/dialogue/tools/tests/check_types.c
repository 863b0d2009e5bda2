/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/types.h"

#include "base/tests/support.h"

#include <stdio.h>
#include <string.h>

/* The type of the parameter p; a value, and the converted value: NULL if it is unchanged. */
static const struct {
    const char *type, *value, *becomes;
} ROWS[] = {
    {"\"integer\"", "\"3\"", "3"},
    {"\"integer\"", "\" -7\\n\"", "-7"},
    {"\"integer\\u0000\"", "\"3\"", NULL},
    {"\"integer\"", "\"3.0\"", NULL},
    {"\"integer\"", "\"3e2\"", NULL},
    {"\"integer\"", "\"007\"", NULL},
    {"\"integer\"", "\"\"", NULL},
    {"\"integer\"", "\" \"", NULL},
    {"\"integer\"", "\"\\u00a03\"", NULL},
    {"\"integer\"", "\"true\"", NULL},
    {"\"integer\"", "\"12345678901234567890123\"", "12345678901234567890123"},
    {"\"integer\"", "2.5", NULL},
    {"\"number\"", "\"3\"", "3"},
    {"\"number\"", "\"2.5\"", "2.5"},
    {"\"number\"", "\"1e400\"", NULL},
    {"\"number\"", "\"NaN\"", NULL},
    {"\"number\"", "7", NULL},
    {"\"boolean\"", "\"false\"", "false"},
    {"\"boolean\"", "\"False\"", NULL},
    {"\"boolean\"", "1", NULL},
    {"\"null\"", "\"null\"", "null"},
    {"\"array\"", "\"[1, [2]]\"", "[1, [2]]"},
    {"\"array\"", "\"[1, 2\"", NULL},
    {"\"array\"", "\"[1e400]\"", NULL},
    {"\"array\"", "{}", NULL},
    {"\"object\"", "\"{\\\"x\\\": \\\"\\u00e9\\\"}\"", "{\"x\": \"é\"}"},
    {"\"object\"", "\"[1]\"", NULL},
    {"\"string\"", "3", NULL},
    {"\"string\"", "null", NULL},
    {"\"string\"", "[]", "\"[]\""},
    {"\"string\"", "[ 1 , \"a\\n\" , true, null , [ ] ]", "\"[1,\\\"a\\\\n\\\",true,null,[]]\""},
    {"\"string\"", "{\"x\": {\"y\": false}, \"\\u00e9\": []}",
     "\"{\\\"x\\\":{\\\"y\\\":false},\\\"é\\\":[]}\""},
    {"\"string\"", "[1.50, 1e3, 1e15, 1e16, 2E-5, 0.0001, 123456789.125, -0, -0.0]",
     "\"[1.5,1000.0,1000000000000000.0,1e+16,2e-05,0.0001,123456789.125,0,-0.0]\""},
    {"\"string\"", "[10000000000000000000000, 1e22, 5e-324, 1.7976931348623157e308, 9007199254740993.0]",
     "\"[10000000000000000000000,1e+22,5e-324,1.7976931348623157e+308,9007199254740992.0]\""},
    {"\"string\"", "[1e400]", NULL},
    {"[\"integer\", \"null\"]", "\"null\"", "null"},
    {"[\"integer\", \"null\"]", "\"4\"", "4"},
    {"[\"string\", \"integer\"]", "\"4\"", NULL},
    {"[\"string\", \"integer\"]", "[1]", "\"[1]\""},
    {"[\"string\", \"array\"]", "[1]", NULL},
    {"[7, \"number\"]", "\"1\"", "1"},
    {"[]", "\"1\"", NULL},
    {"null", "\"1\"", NULL},
    {"\"Integer\"", "\"1\"", NULL},
    {"{\"integer\": 1}", "\"1\"", NULL},
};

static void expect(const char *request, const char *arguments, const char *becomes)
{
    buffer out = {0};
    serve_tools_request *r;
    buffer_append_string(&out, "before");
    ck_assert_int_eq(serve_tools_request_open((assay_text){request, strlen(request)}, &r, NULL), ASSAY_OK);
    const bool changed =
        serve_tools_types(r, (assay_text){"f", 1}, (assay_text){arguments, strlen(arguments)}, &out);
    ck_assert_int_eq(changed, becomes != NULL);
    buffer_append(&out, "", 1);
    ck_assert_str_eq(out.data + strlen("before"), becomes ? becomes : "");
    serve_tools_request_free(r);
    buffer_free(&out);
}

START_TEST(values_get_the_types_of_the_request_if_nothing_is_lost)
{
    char request[512], arguments[512], becomes[512];
    (void)snprintf(request, sizeof request,
                   "{\"tools\": [{\"function\": {\"name\": \"f\", \"parameters\": {\"properties\": "
                   "{\"p\": {\"type\": %s}}}}}]}",
                   ROWS[_i].type);
    (void)snprintf(arguments, sizeof arguments, "{\"a\":1, \"p\" : %s }", ROWS[_i].value);
    (void)snprintf(becomes, sizeof becomes, "{\"a\": 1, \"p\": %s}",
                   ROWS[_i].becomes ? ROWS[_i].becomes : "");
    expect(request, arguments, ROWS[_i].becomes ? becomes : NULL);
}
END_TEST

START_TEST(arguments_without_a_schema_stay_unchanged)
{
#define WITH(parameters) "{\"tools\": [{\"function\": {\"name\": \"f\"" parameters "}}]}"
    static const char *const requests[] = {"{}",
                                           "{\"tools\": [{\"function\": {\"name\": \"g\"}}]}",
                                           WITH(""),
                                           WITH(", \"parameters\": {}"),
                                           WITH(", \"parameters\": {\"properties\": []}"),
                                           WITH(", \"parameters\": {\"properties\": {}}"),
                                           WITH(", \"parameters\": {\"properties\": {\"p\": 1}}"),
                                           WITH(", \"parameters\": {\"properties\": {\"p\": {}}}"),
                                           WITH(", \"parameters\": {\"p\": {\"type\": \"integer\"}}")};
#undef WITH
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        expect(requests[i], "{\"p\": \"1\"}", NULL);
}
END_TEST

START_TEST(only_an_object_has_parameters_by_their_unescaped_names)
{
    static const char REQUEST[] =
        "{\"tools\": [{\"function\": {\"name\": \"f\", \"parameters\": {\"properties\": "
        "{\"é\": {\"type\": \"integer\"}, \"p\": {\"type\": \"integer\"}}}}}]}";
    expect(REQUEST, "{\"\\u00e9\": \"1\", \"p\": \"2\"}", "{\"\\u00e9\": 1, \"p\": 2}");
    expect(REQUEST, "[\"1\"]", NULL);
    expect(REQUEST, "\"1\"", NULL);
    expect(REQUEST, "{\"p\": \"1\"", NULL);
    expect(REQUEST, "{\"p\": \"1\"} 2", NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/types");
    TCase *tc = tcase_create("tools_types");
    tcase_add_loop_test(tc, values_get_the_types_of_the_request_if_nothing_is_lost, 0,
                        sizeof ROWS / sizeof *ROWS);
    tcase_add_test(tc, arguments_without_a_schema_stay_unchanged);
    tcase_add_test(tc, only_an_object_has_parameters_by_their_unescaped_names);
    suite_add_tcase(s, tc);
    return support_run(s);
}
