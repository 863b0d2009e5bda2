/* The tool parser auto on calls in the formats of other parsers, for all cuts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/tests/support.h"
#include "dialogue/tools/tests/tool_reads.h"

#define TAGGED(body)         "<tool_call>" body "</tool_call>"
#define FUNCTION(name, x)    "<function=" name ">" x "</function>"
#define CALL_F               "CALL{f} ARGUMENTS{{}}"
#define CALL_G               "CALL{g} ARGUMENTS{{}}"
#define ARGUMENT(key, value) "<arg_key>" key "</arg_key><arg_value>" value "</arg_value>"
#define DSML                 INVOKES("<｜DSML｜invoke name=\"f\">")
#define INVOKES(inside)      "<｜DSML｜tool_calls>" inside

START_TEST(auto_reads_the_calls_of_one_format)
{
    tool_reads("auto", "a<|tool_call>call:f{}<tool_call|>b<|tool_call>call:g{}<tool_call|>", "C{a} " CALL_F);
    tool_reads("auto", "a" DSML "b", "C{a} " CALL_F);
    tool_reads("auto", "a" TAGGED("f") TAGGED("g" ARGUMENT("k", "1")),
               "C{a} " CALL_F " CALL{g} ARGUMENTS{{\"k\": 1}}");
    tool_reads("auto", TAGGED(" f.g_1\n"), "CALL{f.g_1} ARGUMENTS{{}}");
    tool_reads("auto", "a[TOOL_CALLS]f{}b[TOOL_CALLS] [{\"name\": \"g\"}] ",
               "C{a} CALL{f} ARGUMENTS{{}b} " CALL_G);
}
END_TEST

START_TEST(a_later_marker_of_auto_counts_more)
{
    tool_reads("auto", FUNCTION("f", "{}") "<|tool_call>call:g{}<tool_call|>", CALL_G);
    tool_reads("auto", FUNCTION("f", "{}") "[TOOL_CALLS]g{}", CALL_G);
    tool_reads("auto", FUNCTION("f", "{}") "<|tool_call>so<tool_call|>", CALL_F);
    tool_reads("auto", FUNCTION("f", "{}") "<｜DSML｜tool_calls>so", CALL_F " C{<｜DSML｜tool_calls>so}");
    tool_reads("auto", FUNCTION("f", "{}") "so <｜DSML｜tool_calls", CALL_F " C{<｜DSML｜tool_calls}");
    tool_reads("auto", "<tool_call>" DSML, CALL_F);
}
END_TEST

START_TEST(auto_reads_several_formats_together)
{
    tool_reads("auto", "a[Calling tool: f({\"x\": \")]\"})]b", "C{a} CALL{f} ARGUMENTS{{\"x\": \")]\"}}");
    tool_reads("auto", "a [f({})][g({so})] b", "C{a } " CALL_F " CALL{g} ARGUMENTS{{so}}");
    tool_reads("auto", TAGGED(FUNCTION(" f ", "<parameter= k > 1 </parameter>")),
               "CALL{f} ARGUMENTS{{\"k\": \"1\"}}");
    tool_reads("auto", TAGGED(" {\"name\": \"f\"} ") TAGGED("{so}") TAGGED("{\"name\": \"g\"}"),
               CALL_F " " CALL_G);
    tool_reads("auto", "<function=><function=f>so" FUNCTION("g", "{so}"), "CALL{g} ARGUMENTS{{so}}");
    tool_reads("auto", FUNCTION("g", "{}") "[f({})]", CALL_F " " CALL_G);
    tool_reads("auto", TAGGED(FUNCTION(" ", "")) FUNCTION(" ", "{}") FUNCTION("f", "{}"), CALL_F);
}
END_TEST

START_TEST(auto_drops_tags_before_calls_of_glm47_and_objects_without_markers)
{
    tool_reads("auto", " </tool_call>\n<tool_call_reasoning><" TAGGED("f"), "C{ } " CALL_F);
    tool_reads("auto", "<[{\"name\": \"f\"}]", CALL_F);
    tool_reads("auto", "<｜DSML[{\"name\": \"f\"}]</tool_call>", CALL_F);
    tool_reads("auto", "</tool_call><tool_call>{\"name\": \"f\"}", CALL_F);
    tool_reads("auto", "</tool_call>" FUNCTION("f", "{}"), CALL_F " C{</tool_call>}");
    tool_reads("auto", "</tool_call>a[{\"name\": \"f\"}]", "C{</tool_call>a[{\"name\": \"f\"}]}");
    tool_reads("auto", "a<[{\"name\": \"f\"}]", "C{a<[{\"name\": \"f\"}]}");
    tool_reads("auto", "a<" TAGGED("f"), "C{a<} " CALL_F);
    tool_reads("auto", "</tool_call><tool_ca", "C{</tool_call><tool_ca}");
    tool_reads("auto", "</tool_call><[so", "C{</tool_call><[so}");
}
END_TEST

START_TEST(auto_reads_objects_without_a_format_only_after_a_marker)
{
    tool_reads("auto", "<tool_call>{\"name\": \"f\"} } {\"x\": {}} {\"type\": \"g\"}", CALL_F " " CALL_G);
    tool_reads("auto", "{\"name\": \"f\"}", "C{{\"name\": \"f\"}}");
    tool_reads("auto", TAGGED("[{\"type\": \"f\"}]"), "CALL{f} ARGUMENTS{{}}");
    tool_reads("auto", "<function={\"name\": \"f\"}<｜DSML｜tool_calls>", CALL_F);
    tool_reads("auto", TAGGED("{so}") "[{\"name\": \"f\"}]", CALL_F);
}
END_TEST

START_TEST(text_that_begins_no_call_is_content_of_auto)
{
    static const char *const texts[] = {"a[1] [f] [f( [TOOL_",
                                        "[Calling tool: f(",
                                        "[(",
                                        "<tool_call>so",
                                        "<tool_call><function=f",
                                        "<tool_call><function=f>",
                                        "[f({",
                                        "<tool_call>{",
                                        "<function=f>{",
                                        "[TOOL_CALLS]",
                                        "[TOOL_CALLS]{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char script[64];
        (void)snprintf(script, sizeof script, "C{%s}", texts[i]);
        tool_reads("auto", texts[i], script);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/auto");
    TCase *c = tcase_create("auto");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, auto_reads_the_calls_of_one_format);
    tcase_add_test(c, a_later_marker_of_auto_counts_more);
    tcase_add_test(c, auto_reads_several_formats_together);
    tcase_add_test(c, auto_drops_tags_before_calls_of_glm47_and_objects_without_markers);
    tcase_add_test(c, auto_reads_objects_without_a_format_only_after_a_marker);
    tcase_add_test(c, text_that_begins_no_call_is_content_of_auto);
    suite_add_tcase(s, c);
    return support_run(s);
}
