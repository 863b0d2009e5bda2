/* The XML tool parser on small texts, for all cuts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/tests/support.h"
#include "dialogue/tools/tests/tool_reads.h"

static const char request[] =
    "{\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": {\"properties\": {"
    "\"s\": {\"type\": \"string\"}, \"i\": {\"type\": \"integer\"}, \"n\": {\"type\": \"number\"},"
    "\"b\": {\"type\": \"boolean\"}, \"l\": {\"type\": \"array\"}, \"o\": {\"type\": \"object\"}}}}}]}";

/* A call of f with one parameter, in the format of qwen3_xml. */
static void value_reads(const char *key, const char *value, const char *json)
{
    char text[256], script[256];
    (void)snprintf(text, sizeof text, "<function=f><parameter=%s>%s</parameter></function>", key, value);
    (void)snprintf(script, sizeof script, "CALL{f} ARGUMENTS{{\"%s\": %s}}", key, json);
    tool_reads_with("qwen3_xml", request, text, script);
}

START_TEST(reads_functions_with_and_without_outer_tags)
{
    tool_reads("qwen3_xml", "a<tool_call><function=f><parameter=x>\n1\n</parameter></function></tool_call>b",
               "C{a} CALL{f} ARGUMENTS{{\"x\": \"1\"}}");
    tool_reads("qwen3_xml", "<function=f> </function>a<function=g></function>",
               "CALL{f} ARGUMENTS{{}} C{a} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f> so", "C{<function=f> so}");
    tool_reads("qwen3_xml", "<function=f> < so>", "C{<function=f> < so>}");
    tool_reads("qwen3_xml", "<function=f> <so< so", "C{<function=f> <so< so}");
    tool_reads("qwen3_xml", "<function=f> \r\r\n<b>\r\n", "C{<function=f> \n\n<b>\r\n}");
    tool_reads("qwen3_xml", "a<function=f>\r<tool_call><function=g></function></tool_call>",
               "C{a} CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads(
        "qwen3_xml",
        "<tool_call><parameter=s>a</parameter><function=f><parameter=x>b</parameter></function></tool_call>",
        "CALL{f} ARGUMENTS{{\"s\": \"a\", \"x\": \"b\"}}");
    tool_reads("qwen3_xml", "<tool_call><function=f></function><parameter=s>a</parameter></tool_call>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f <b>", "C{<function=f <b>}");
    tool_reads("qwen3_xml", "<tool_call><function=f>", "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f></function>a<tool_call><function=g>",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<tool_call>so</tool_call>", "C{a<tool_call>so</tool_call>}");
}
END_TEST

/* Outside of calls, and after anything. */
START_TEST(reads_nothing_after_a_tag_that_another_breaks_off)
{
    static const char *const BROKEN[] = {
        "<function=", "<function=g", "<parameter=\n", "<tool_call", "</tool_c", "<p", "</", "<"};
    for (size_t i = 0; i < sizeof BROKEN / sizeof BROKEN[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "a %s<tool_call><function=f></function></tool_call>b", BROKEN[i]);
        tool_reads("qwen3_xml", text, "C{a }");
        (void)snprintf(text, sizeof text, "<function=f></function>a%s<function=f></function>", BROKEN[i]);
        tool_reads("qwen3_xml", text, "CALL{f} ARGUMENTS{{}}");
    }
    tool_reads("qwen3_xml", "a <parameter=x<b>", "C{a }");
    tool_reads("qwen3_xml", "a <parameter=x>b", "C{a <parameter=x>b}");
    tool_reads("qwen3_xml", "a <parameter=x", "C{a <parameter=x}");
    tool_reads("qwen3_xml", "a <function=><b>", "C{a <b>}");
    tool_reads("qwen3_xml", "a << b <t<u> </b</tool", "C{a << b <t<u> </b</tool}");
    tool_reads("qwen3_xml", "<function=<tool_call>b", "C{<function=}");
    tool_reads("qwen3_xml", "<<function=f></function>", "C{<} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f> <</parameter></function>b", "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f><function=<b></function>b", "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f> <</tool_call>b<function=g></function>",
               "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f> <</parameter></tool</function", "C{a}");
    tool_reads("qwen3_xml", "a<function=f> <b<function=g></function>",
               "C{a<function=f> <b} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f> << b</function>", "C{a} CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(an_end_makes_a_bare_function_a_call)
{
    tool_reads("qwen3_xml", "a<function=f>\n</tool_call>b<function=g></function>",
               "C{a} CALL{f} ARGUMENTS{{}} C{b} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a</function><function=f>\n", "C{a</function>} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "</tool_call><function=f><tool", "C{</tool_call>} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "</parameter><function=f>", "C{</parameter>}");
    tool_reads("qwen3_xml", "<function=f></function><function=g>", "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "</function><function=f><parameter=x></tool_call>",
               "C{</function>} CALL{f} ARGUMENTS{{\"x\": \"</tool_call>\"}}");
}
END_TEST

START_TEST(reads_the_name_alone_after_an_end_of_what_has_not_begun)
{
    tool_reads("qwen3_xml", "a<function=f></parameter>b<parameter=x>1</parameter>", "C{a}");
    tool_reads("qwen3_xml", "<function=f></parameter><parameter=x>1</function>b<function=g></function>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f><parameter=></tool_call>", "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f></parameter><tool_call><function=g></tool_call>",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f></parameter><parameter=x><tool_call>", "C{a}");
    tool_reads("qwen3_xml", "a<function=f></parameter><parameter=><tool_call>", "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "a<function=f></parameter><function=g<tool_call>", "C{a}");
    tool_reads("qwen3_xml", "a<tool_call></parameter><function=f></function>", "C{a}");
    tool_reads("qwen3_xml", "a<tool_call> </function><function=f>", "C{a}");
}
END_TEST

START_TEST(reads_no_tag_after_one_without_a_name)
{
    tool_reads("qwen3_xml", "a<function=>b<function=f>c<tool_call>d<parameter=x>e", "C{abcde}");
    tool_reads("qwen3_xml", "a<function=>b</tool_call><tool_", "C{ab}");
    tool_reads("qwen3_xml", "<function=>a<function=<b>", "C{a}");
    tool_reads("qwen3_xml", "a<parameter=>b", "C{a<parameter=>b}");
}
END_TEST

START_TEST(drops_what_begins_like_a_tag_after_a_function_that_was_none)
{
    tool_reads("qwen3_xml", "<function=f>a</tool_call>b", "C{<function=f>ab}");
    tool_reads("qwen3_xml", "<function=f>a</tool", "C{<function=f>a}");
    tool_reads("qwen3_xml", "<function=f>a<parameter=", "C{<function=f>a}");
    tool_reads("qwen3_xml", "<function=f>a<parameter=>b", "C{<function=f>ab}");
    tool_reads("qwen3_xml", "<function=f>a<<b>", "C{<function=f>a}");
}
END_TEST

START_TEST(reads_only_ends_after_a_tag_in_a_call_that_another_breaks_off)
{
    tool_reads("qwen3_xml", "a<tool_call><<function=f></function></tool_call>",
               "C{a<tool_call><<function=f></function></tool_call>}");
    tool_reads("qwen3_xml", "<tool_call><function=f><parameter=</function><function=g></tool_call>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<tool_call><function=f><parameter=x>a << b</parameter></function></tool_call>",
               "CALL{f} ARGUMENTS{{\"x\": \"a << b\"}}");
}
END_TEST

START_TEST(keeps_all_of_a_text_that_begins_with_a_broken_tag)
{
    tool_reads("qwen3_xml", "\n<<</function>", "C{\n<<</function>}");
    tool_reads("qwen3_xml", "<tool_<<parameter=x>a", "C{<tool_<<parameter=x>a}");
    tool_reads("qwen3_xml", "<parameter=><parameter=<b>", "C{<parameter=><parameter=<b>}");
}
END_TEST

START_TEST(an_open_object_keeps_a_parameter_that_comes_twice)
{
    tool_reads("qwen3_xml", "<function=f><parameter=x>a<parameter=x>b",
               "CALL{f} ARGUMENTS{{\"x\": \"a\", \"x\": \"b}");
}
END_TEST

START_TEST(reads_tags_as_text_at_the_beginning_of_a_value_and_in_lists)
{
    tool_reads("qwen3_xml",
               "<tool_call><function=f><parameter=s></tool_call></parameter></function></tool_call>",
               "CALL{f} ARGUMENTS{{\"s\": \"</tool_call>\"}}");
    tool_reads("qwen3_xml",
               "<tool_call><function=f><parameter=s>x</tool_call>a<tool_call><function=g></tool_call>",
               "CALL{f} ARGUMENTS{{\"s\": \"x\"}} C{a} CALL{g} ARGUMENTS{{}}");
    value_reads("l", "['</function>']", "[\"</function>\"]");
    tool_reads("qwen3_xml", "<tool_call><function=f><tool_call><function=g>",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(gives_values_the_types_of_the_request)
{
    value_reads("s", "5", "\"5\"");
    value_reads("s", "null", "\"\"");
    value_reads("s", "\r\na\r\n\rb\r\n", "\"a\\n\\nb\"");
    value_reads("s", "\r\n", "\"\"");
    value_reads("s", "\n\r\n\n", "\"\\n\"");
    value_reads("s", "\r\n\n\r\n", "\"\\n\"");
    value_reads("s", "\n\n\n\r", "\"\\n\\n\"");
    value_reads("s", "\n\r", "\"\"");
    value_reads("l", "a\r", "\"a\\r\"");
    value_reads("l", "\n\r\n", "\"\\n\\r\\n\"");
    value_reads("l", "[1]\r", "[1]");
    value_reads("i", "-07", "-7");
    value_reads("i", "+007", "7");
    value_reads("i", "0_0_1", "1");
    value_reads("i", "00", "0");
    value_reads("i", "0__1", "\"0__1\"");
    value_reads("i", "_1", "\"_1\"");
    value_reads("i", "--1", "\"--1\"");
    value_reads("i", "- 1", "\"- 1\"");
    value_reads("i", "-", "\"-\"");
    value_reads("n", "-00.5", "-0.5");
    value_reads("n", ".5", "0.5");
    value_reads("i", " 12 ", "12");
    value_reads("i", "x", "\"x\"");
    value_reads("n", "2.5", "2.5");
    value_reads("n", "-2.0", "-2");
    value_reads("n", "-0.0", "0");
    value_reads("n", "1e22", "10000000000000000000000");
    value_reads("n", "12345678901234567890123", "12345678901234567741440");
    value_reads("n", "1e-7", "1e-07");
    value_reads("n", "null", "null");
    /* Both answers of the published server omit such a value, `{"n": }`, which is not JSON. */
    value_reads("n", "NULL", "null");
    value_reads("b", "null", "null");
    value_reads("b", "True", "true");
    value_reads("b", "so", "false");
    value_reads("b", "\n\n", "false");
    value_reads("b", "", "\"\"");
    value_reads("l", "[1, 'x']", "[1, \"x\"]");
    value_reads("l", "[true]", "\"[true]\"");
    value_reads("o", "{\"x\": 1}", "{\"x\": 1}");
    value_reads("o", "{'x': 1}", "{\"x\": 1}");
    value_reads("o", "so", "\"so\"");
    value_reads("o", "<['\r", "\"<['\\r\"");
    value_reads("o", "<['>\n", "\"<['>\\n\"");
    value_reads("o", "<>['\n", "\"<>['\"");
    value_reads("o", "<<['\n", "\"<<['\"");
    value_reads("o", "<[\n", "\"<[\"");
    value_reads("x", "5", "\"5\"");
    value_reads("i", "", "\"\"");
}
END_TEST

/* As the XML parser reports it: separately, and as a line of its own. */
START_TEST(drops_a_line_that_a_lone_return_before_a_tag_ends)
{
    value_reads("s", "\n\n\r", "\"\"");
    value_reads("s", "\r\n\r\r", "\"\"");
    value_reads("s", "\n\r<b>", "\"<b>\"");
    value_reads("s", "\r\r\r<b>", "\"\\n<b>\"");
    value_reads("s", "\r<b>", "\"<b>\"");
    value_reads("s", "\n\ra<b>", "\"\\na<b>\"");
    value_reads("s", "\n\n\r\n<b>", "\"\\n\\n<b>\"");
    value_reads("s", "\n\n\n\r<b>", "\"\\n\\n\\n<b>\"");
    value_reads("b", "\n\n\r", "false");
    value_reads("l", "\n\n\r", "\"\\n\\n\\r\"");
}
END_TEST

START_TEST(finds_types_if_a_schema_is_missing)
{
    const char *schemaless =
        "{\"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\", \"parameters\": "
        "{\"i\": {\"type\": \"integer\"}, \"s\": 1}}}]}";
    tool_reads_with(
        "qwen3_xml", schemaless,
        "<tool_call><function=f><parameter=i>1</parameter><parameter=s>1</parameter></function></tool_call>",
        "CALL{f} ARGUMENTS{{\"i\": 1, \"s\": \"1\"}}");
}
END_TEST

/* A call of f that the end of the text cuts off: the text after its name, and its arguments. */
static void cut_reads(const char *text, const char *arguments)
{
    char all[256], script[256];
    (void)snprintf(all, sizeof all, "<tool_call><function=f>%s", text);
    (void)snprintf(script, sizeof script, "CALL{f} ARGUMENTS{%s}", arguments);
    tool_reads_with("qwen3_xml", request, all, script);
}

START_TEST(arguments_are_left_open_if_the_text_ends_within_a_call)
{
    cut_reads("<parameter=s", "{}");
    cut_reads("<parameter=s>", "{\"s\": ");
    cut_reads("<parameter=s>\n", "{\"s\": \"");
    cut_reads("<parameter=s>\na\"\n", "{\"s\": \"a\\\"");
    cut_reads("<parameter=s>a\n</parameter", "{\"s\": \"a");
    cut_reads("<parameter=s>a < b", "{\"s\": \"a ");
    cut_reads("<parameter=s>a < b < c", "{\"s\": \"a < b ");
    cut_reads("<parameter=s>a > b", "{\"s\": \"a > b");
    cut_reads("<parameter=s>null", "{\"s\": \"");
    cut_reads("<parameter=s>a</parameter>", "{\"s\": \"a\"");
    cut_reads("<parameter=s>a</parameter>\n<", "{\"s\": \"a\"");
    cut_reads("<parameter=s>a</parameter></function", "{\"s\": \"a\"");
    cut_reads("<parameter=s>a</parameter></function>", "{\"s\": \"a\"}");
    cut_reads("<parameter=s>a</parameter>b<parameter=i>\n", "{\"s\": \"a\", \"i\": ");
    cut_reads("<parameter=i>\n12\n", "{\"i\": 12");
    cut_reads("<parameter=i>x\"", "{\"i\": x\"");
    cut_reads("<parameter=n>2.5", "{\"n\": 2.5");
    cut_reads("<parameter=n>null", "{\"n\": ");
    cut_reads("<parameter=b>tr", "{\"b\": false");
    cut_reads("<parameter=b>\n", "{\"b\": ");
    cut_reads("<parameter=l>[1, 2", "{\"l\": ");
    cut_reads("<parameter=x>\r\r<b>", "{\"x\": \"<b>");
    cut_reads("<parameter=l></function></parameter>a", "{\"l\": \"</function>\"}");
    cut_reads("<parameter=s>\r", "{\"s\": ");
    cut_reads("<parameter=s>a\r", "{\"s\": \"a");
    cut_reads("<parameter=s>a]]", "{\"s\": \"a");
    cut_reads("<parameter=s>a]]]", "{\"s\": \"a]");
    cut_reads("<parameter=s>a]]<", "{\"s\": \"a");
    cut_reads("<parameter=o>{\"x\": 1", "{\"o\": {\"x\": 1");
    cut_reads("<parameter=s></function>", "{\"s\": \"</function>\"}");
    cut_reads("<parameter=l>a</function>", "{\"l\": \"a</function>\"}");
    tool_reads("qwen3_xml", "<function=f><parameter=x>1\r\r<tool_call><function=g></function></tool_call>",
               "CALL{f} ARGUMENTS{{\"x\": \"1\"}} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f><parameter=x>1</parameter><tool_call><function=g><parameter=y>2",
               "CALL{f} ARGUMENTS{{\"x\": \"1\"}} CALL{g} ARGUMENTS{{\"y\": \"2}");
}
END_TEST

START_TEST(a_function_without_outer_tags_that_the_text_ends_in_is_dropped)
{
    static const char *const ENDS[] = {"",
                                       "f",
                                       "f>",
                                       "f>\n",
                                       "f> <",
                                       "f> < so",
                                       "f><par",
                                       "f><parameter=",
                                       "f><parameter=x",
                                       "f></function",
                                       "f>\n<tool_c"};
    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "a<function=%s", ENDS[i]);
        tool_reads("qwen3_xml", text, "C{a}");
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/xml");
    TCase *c = tcase_create("texts");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, reads_functions_with_and_without_outer_tags);
    tcase_add_test(c, reads_nothing_after_a_tag_that_another_breaks_off);
    tcase_add_test(c, an_end_makes_a_bare_function_a_call);
    tcase_add_test(c, reads_the_name_alone_after_an_end_of_what_has_not_begun);
    tcase_add_test(c, reads_no_tag_after_one_without_a_name);
    tcase_add_test(c, drops_what_begins_like_a_tag_after_a_function_that_was_none);
    tcase_add_test(c, reads_only_ends_after_a_tag_in_a_call_that_another_breaks_off);
    tcase_add_test(c, keeps_all_of_a_text_that_begins_with_a_broken_tag);
    tcase_add_test(c, an_open_object_keeps_a_parameter_that_comes_twice);
    tcase_add_test(c, reads_tags_as_text_at_the_beginning_of_a_value_and_in_lists);
    tcase_add_test(c, gives_values_the_types_of_the_request);
    tcase_add_test(c, drops_a_line_that_a_lone_return_before_a_tag_ends);
    tcase_add_test(c, finds_types_if_a_schema_is_missing);
    tcase_add_test(c, arguments_are_left_open_if_the_text_ends_within_a_call);
    tcase_add_test(c, a_function_without_outer_tags_that_the_text_ends_in_is_dropped);
    suite_add_tcase(s, c);
    return support_run(s);
}
