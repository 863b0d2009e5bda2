/* Tool parsers of formats that resemble others, for all cuts: nemotron, step3p5, poolside_v1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/tests/support.h"
#include "dialogue/tools/tests/tool_reads.h"

#define TAGGED(body)      "<tool_call>" body "</tool_call>"
#define FUNCTION(name, x) "<function=" name ">" x "</function>"
#define CALL_F            "CALL{f} ARGUMENTS{{}}"
#define CALL_G            "CALL{g} ARGUMENTS{{}}"

START_TEST(nemotron_reads_parameters_or_json_or_any_text)
{
    tool_reads(
        "nemotron",
        "a" TAGGED(" <function= f ><parameter= k > 1 </parameter><parameter=l>'x'</parameter></function>\n"),
        "C{a} CALL{f} ARGUMENTS{{\"k\": 1, \"l\": \"'x'\"}}");
    tool_reads("nemotron", TAGGED(FUNCTION("f", " {\"a\": 1} ")), "CALL{f} ARGUMENTS{{\"a\": 1}}");
    tool_reads("nemotron", TAGGED(FUNCTION("f", "{so<parameter=k>1</parameter>")),
               "CALL{f} ARGUMENTS{{\"k\": 1}}");
    tool_reads("nemotron", TAGGED(FUNCTION("f", " so ")) "b", "CALL{f} ARGUMENTS{so}");
    tool_reads("nemotron", TAGGED(FUNCTION("f", "</function> x")), "CALL{f} ARGUMENTS{</function> x}");
}
END_TEST

/* As in the whole answer of the published server; its streams drop an unclosed tag. */
START_TEST(invalid_calls_of_nemotron_are_content_without_a_valid_one)
{
    static const char *const texts[] = {TAGGED(FUNCTION("f", " ")),  TAGGED(FUNCTION("", "{}")),
                                        TAGGED(FUNCTION(" ", "{}")), TAGGED("so"),
                                        FUNCTION("f", "{}"),         "<tool_call><function=f>{}</function>",
                                        "<tool_call><func",          "<tool_call><function=f"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[128], script[128];
        (void)snprintf(script, sizeof script, "C{a%s}", texts[i]);
        (void)snprintf(text, sizeof text, "a%s", texts[i]);
        tool_reads("nemotron", text, script);
        if (i > 4) continue;
        (void)snprintf(text, sizeof text, "a%s" TAGGED(FUNCTION("g", "{}")), texts[i]);
        tool_reads("nemotron", text, i < 4 ? "C{a} " CALL_G : "C{a" FUNCTION("f", "{}") "} " CALL_G);
    }
}
END_TEST

#define OBJECT(arguments) TAGGED("{\"name\": \"f\", \"arguments\": " arguments "}")

START_TEST(step3p5_drops_a_call_that_repeats_the_previous_one)
{
    tool_reads("step3p5", "a" OBJECT("{}") " " FUNCTION("f", "") "[Calling tool: f({ })]b",
               "C{a} " CALL_F " C{ b}");
    tool_reads("step3p5",
               OBJECT("{\"a\": 1.0, \"b\": {\"x\": 2, \"y\": \"z\"}}")
                   OBJECT("{\"b\": {\"y\": \"\\u007a\", \"x\": 2}, \"a\": 1.00}"),
               "CALL{f} ARGUMENTS{{\"a\": 1.0, \"b\": {\"x\": 2, \"y\": \"z\"}}}");
    tool_reads("step3p5",
               OBJECT("{\"a\": [20000000000000000001, null], \"b\": 0}")
                   OBJECT("{\"b\": -0, \"a\": [20000000000000000001, null]}"),
               "CALL{f} ARGUMENTS{{\"a\": [20000000000000000001, null], \"b\": 0}}");
    tool_reads("step3p5", OBJECT("\"so\"") OBJECT("\"so\""), "CALL{f} ARGUMENTS{so}");
    tool_reads("step3p5", FUNCTION("f", "") FUNCTION("g", "") FUNCTION("f", ""),
               CALL_F " " CALL_G " " CALL_F);
}
END_TEST

START_TEST(step3p5_keeps_a_call_that_differs)
{
    tool_reads("step3p5", OBJECT("{\"a\": 1}") OBJECT("{\"a\": 1.0}"),
               "CALL{f} ARGUMENTS{{\"a\": 1}} CALL{f} ARGUMENTS{{\"a\": 1.0}}");
    tool_reads(
        "step3p5", OBJECT("{\"a\": 20000000000000000001}") OBJECT("{\"a\": 20000000000000000002}"),
        "CALL{f} ARGUMENTS{{\"a\": 20000000000000000001}} CALL{f} ARGUMENTS{{\"a\": 20000000000000000002}}");
    tool_reads("step3p5", OBJECT("{\"a\": [1]}") OBJECT("{\"a\": [1, 1]}") OBJECT("{\"a\": [1, 2]}"),
               "CALL{f} ARGUMENTS{{\"a\": [1]}} CALL{f} ARGUMENTS{{\"a\": [1, 1]}} CALL{f} ARGUMENTS{{\"a\": "
               "[1, 2]}}");
    tool_reads("step3p5", OBJECT("\"so\"") OBJECT("\"no\""), "CALL{f} ARGUMENTS{so} CALL{f} ARGUMENTS{no}");
    tool_reads("step3p5", OBJECT("{}") OBJECT("\"no\""), CALL_F " CALL{f} ARGUMENTS{no}");
    tool_reads("qwen", OBJECT("{}") OBJECT("{}"), CALL_F " " CALL_F);
}
END_TEST

#define ARGUMENT(key, value) "<arg_key>" key "</arg_key><arg_value>" value "</arg_value>"

/* As in the whole answer of the published server; for values other than strings its streams emit only "}". */
START_TEST(poolside_v1_keeps_strings_unchanged_and_the_first_of_two_values)
{
    const char *request = "{\"tools\": [{\"function\": {\"name\": \"f\", \"parameters\": {\"properties\": "
                          "{\"s\": {\"type\": \"string\"}, \"n\": {\"type\": \"number\"}}}}}]}",
               *text = "a" TAGGED("f\n" ARGUMENT("s", " 1 ") ARGUMENT("n", " 1 ") ARGUMENT("k", " x ")
                                      ARGUMENT("n", "2") ARGUMENT(" ", "3"));
    tool_reads_with("poolside_v1", request, text,
                    "C{a} CALL{f} ARGUMENTS{{\"s\": \" 1 \", \"n\": 1, \"k\": \"x\"}}");
    tool_reads("poolside_v1", text, "C{a} CALL{f} ARGUMENTS{{\"s\": 1, \"n\": 1, \"k\": \"x\"}}");
    tool_reads_with("poolside_v1", request, "a" TAGGED("g") "b", "C{a}");
    tool_reads_with("glm47", request, TAGGED("f" ARGUMENT("s", " 1 ") ARGUMENT("s", "2")),
                    "CALL{f} ARGUMENTS{{\"s\": 2}}");
}
END_TEST

START_TEST(nothing_after_the_first_tag_of_poolside_v1_is_content)
{
    tool_reads("poolside_v1", "a" TAGGED("f") "b" TAGGED("g") "c", "C{a} " CALL_F " " CALL_G);
    tool_reads("poolside_v1", "a<tool_call>b", "C{a}");
    tool_reads("poolside_v1", "a" TAGGED("f\ng") "b", "C{a}");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/variants");
    TCase *c = tcase_create("variants");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, nemotron_reads_parameters_or_json_or_any_text);
    tcase_add_test(c, invalid_calls_of_nemotron_are_content_without_a_valid_one);
    tcase_add_test(c, step3p5_drops_a_call_that_repeats_the_previous_one);
    tcase_add_test(c, step3p5_keeps_a_call_that_differs);
    tcase_add_test(c, poolside_v1_keeps_strings_unchanged_and_the_first_of_two_values);
    tcase_add_test(c, nothing_after_the_first_tag_of_poolside_v1_is_content);
    suite_add_tcase(s, c);
    return support_run(s);
}
