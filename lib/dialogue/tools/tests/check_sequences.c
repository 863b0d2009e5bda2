/* Markers of tool calls in sequence, without the text of a usual reply between them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>

#include "base/tests/support.h"
#include "dialogue/tools/tests/tool_reads.h"

#define OBJECT      "{\"name\": \"f\", \"arguments\": {}}"
#define CALL        "CALL{f} ARGUMENTS{{}}"
#define IN_BRACKETS "[Calling tool: g({})]"
#define CALL_G      "CALL{g} ARGUMENTS{{}}"

START_TEST(hermes_reads_the_object_that_the_text_ends_in_after_an_open_function)
{
    tool_reads("hermes", "a<tool_call><function=f>" OBJECT, "C{a} " CALL);
    tool_reads("hermes", "<tool_call><function=" OBJECT "\n", CALL);
    tool_reads("hermes", "<tool_call><function=f><tool_call>" OBJECT, CALL);
    tool_reads("hermes", "<tool_call><function=f>" OBJECT "</tool_call>",
               "C{<tool_call><function=f>" OBJECT "</tool_call>}");
    tool_reads("hermes", "<tool_call><function=f>{\"name\"", "C{<tool_call><function=f>{\"name\"}");
}
END_TEST

START_TEST(hermes_withholds_text_between_two_open_tags)
{
    tool_reads("hermes", "a<tool_call>b<tool_call>" OBJECT, "C{a} " CALL);
    tool_reads("hermes", "<tool_call></function><tool_call>" OBJECT, CALL);
    tool_reads("hermes", "<tool_call><tool_call></tool_call><function=" OBJECT, CALL);
    tool_reads("hermes", "a<tool_call>b<tool_call>c", "C{a<tool_call>b<tool_call>c}");
    tool_reads("hermes", "<tool_call>b<tool_call>" OBJECT "</tool_call>c", "C{<tool_call>b} " CALL " C{c}");
    tool_reads("hermes", "<tool_call>b<tool_call></think>", "");
}
END_TEST

START_TEST(hermes_reads_a_bare_object_after_a_thought_that_an_open_tag_is_in)
{
    tool_reads("hermes", "<function=f></think>" OBJECT, CALL);
    tool_reads("hermes", "<tool_call>" OBJECT "</think>\n" OBJECT, CALL);
    tool_reads("hermes", "<function=f></think><tool_call" OBJECT, CALL);
    tool_reads("hermes", "<function=f></think>a" OBJECT, "C{a" OBJECT "}");
    tool_reads("hermes", "<function=f></think>a", "C{a}");
}
END_TEST

START_TEST(gemma4_reads_python_after_a_block_without_a_call)
{
    tool_reads("gemma4", "a<|tool_call><tool_call|>call:f()", "C{a} " CALL);
    tool_reads("gemma4", "<|tool_call>call:f{}</think>call:f()", CALL);
    tool_reads("gemma4", "<|tool_call><tool_call|>call:f(", "C{<|tool_call><tool_call|>call:f(}");
}
END_TEST

START_TEST(qwen_drops_the_end_of_a_thought_after_empty_tags_if_a_call_follows)
{
    tool_reads("qwen", "<tool_call></tool_call></think>" IN_BRACKETS, CALL_G);
    tool_reads("qwen", "<tool_call></tool_call></think>a", "C{</think>a}");
}
END_TEST

START_TEST(qwen_drops_the_end_of_a_thought_after_a_call)
{
    tool_reads("qwen", "</think>" IN_BRACKETS "a</think>b</think>", "C{</think>} " CALL_G " C{ab}");
    tool_reads("qwen", IN_BRACKETS "<think>a</think></think>", CALL_G " C{</think>}");
    tool_reads("step3p5", IN_BRACKETS "</think>" IN_BRACKETS, CALL_G);
}
END_TEST

START_TEST(qwen_reads_the_calls_within_a_block_before_its_own)
{
    tool_reads("qwen", "a<function=f>" IN_BRACKETS "</function>b", "C{a} " CALL_G " " CALL " C{b}");
    tool_reads("qwen", "<function=f>{\"a\": 1}" IN_BRACKETS "</function>",
               CALL_G " CALL{f} ARGUMENTS{{\"a\": 1}}");
    tool_reads("qwen", "<function=f><tool_call>{\"name\": \"g\"} </tool_call></function>", CALL_G " " CALL);
    tool_reads("qwen", "<function=f>" IN_BRACKETS "<tool_call>" OBJECT "</tool_call></function>",
               CALL_G " " CALL " " CALL);
    tool_reads("qwen", "<tool_call>" OBJECT IN_BRACKETS " </tool_call>", CALL_G " " CALL);
    tool_reads("qwen", "<tool_call>" OBJECT IN_BRACKETS "}</tool_call>", CALL_G);
    tool_reads("qwen", "<function=f>[Calling tool: g({])</function>", CALL);
    tool_reads("qwen", "<function=f>[Calling tool: g({x})]</function>", CALL);
    tool_reads("qwen", "<function=f><tool_call>a</tool_call></function>", CALL);
}
END_TEST

START_TEST(qwen_reads_an_object_after_a_call_between_the_same_tags)
{
    tool_reads("qwen", "<tool_call>" IN_BRACKETS OBJECT "</tool_call>", CALL_G " " CALL);
    tool_reads("qwen", "<tool_call> " IN_BRACKETS "\n" IN_BRACKETS " {\"a\": 1}</tool_call>b",
               CALL_G " " CALL_G " C{b}");
    tool_reads("qwen", "<tool_call>[Calling tool: g({x})]" OBJECT "</tool_call>", CALL);
    tool_reads("qwen", "<tool_call>" IN_BRACKETS OBJECT, CALL_G);
    tool_reads("qwen", "<tool_call>" IN_BRACKETS " </tool_call>a", CALL_G " C{a}");
    tool_reads("qwen", "<tool_call>" IN_BRACKETS "a" OBJECT "</tool_call>",
               CALL_G " C{<tool_call>a" OBJECT "</tool_call>}");
    tool_reads("qwen", "<tool_call>[Calling tool: g]" OBJECT "</tool_call>", "");
    tool_reads("qwen", "<tool_call>[Calling tool: g({<tool_call>" OBJECT "</tool_call>", CALL);
    tool_reads("qwen",
               "<tool_call>[Calling tool: g({<tool_call>[Calling tool: g({<tool_call>" OBJECT "</tool_call>",
               CALL);
}
END_TEST

START_TEST(qwen_reads_calls_in_brackets_first_after_a_function_without_an_end)
{
    tool_reads("qwen", "a<function=f><tool_call>" OBJECT "</tool_call>b" IN_BRACKETS "c",
               "C{a} " CALL_G " " CALL);
    tool_reads("qwen", "<function=<tool_call>" OBJECT "</tool_call>" IN_BRACKETS, CALL_G " " CALL);
}
END_TEST

START_TEST(qwen_holds_calls_after_functions_whose_ends_do_not_match)
{
    tool_reads("qwen", "</function><function=f></function>a" IN_BRACKETS "b",
               "C{</function>} " CALL_G " " CALL " C{ab}");
    tool_reads("qwen", "<function=f><function=h></function><tool_call>" OBJECT "</tool_call>" IN_BRACKETS,
               CALL_G " " CALL " " CALL);
    tool_reads("qwen", "<function=f><function=h></function>a<tool_call> <function=g></function></tool_call>b",
               CALL " " CALL_G " C{ab}");
    tool_reads("qwen", "<function=f><function=h></function>a<function=>b</function>c<function=x",
               CALL " C{a<function=>b</function>c}");
    tool_reads("qwen", "<function=f><function=h></function>a[Calling tool: g({", CALL " C{a}");
    /* Content as in the whole answer of the published server; its streams emit none. */
    tool_reads("qwen",
               "<function=f><function=h></function>a<tool_call> </tool_call>b<tool_call>c</tool_call>",
               CALL " C{ab<tool_call>c</tool_call>}");
}
END_TEST

#define TAGGED_G "<tool_call><function=g></function></tool_call>"

START_TEST(qwen3_xml_reads_tagged_calls_after_a_bare_function_that_lacks_parts)
{
    tool_reads("qwen3_xml", "<function=f></parameter></function>a" TAGGED_G "b" TAGGED_G,
               CALL " " CALL_G " C{b} " CALL_G);
    tool_reads("qwen3_xml", "<function=f></parameter></tool_call><function=h></function>" TAGGED_G,
               CALL " " CALL_G);
    tool_reads("qwen3_xml", "<function=f> <</tool_call>" TAGGED_G, CALL);
    tool_reads("qwen3_xml", "<function=f></tool_call>a" TAGGED_G, CALL " " CALL_G);
    tool_reads("qwen3_xml", "<function=f></tool_call>a" TAGGED_G "b" TAGGED_G,
               CALL " " CALL_G " C{b} " CALL_G);
}
END_TEST

START_TEST(qwen3_xml_reads_a_bare_function_after_a_call_as_content)
{
    tool_reads("qwen3_xml", TAGGED_G "a<function=f>b", CALL_G " C{<function=f>b}");
    tool_reads("qwen3_xml", "<function=f></function> <function=f>\nb", CALL " C{<function=f>\nb}");
}
END_TEST

START_TEST(step3p5_compares_calls_in_brackets_with_each_other)
{
    tool_reads("step3p5", IN_BRACKETS "<tool_call>" OBJECT "</tool_call>" IN_BRACKETS, CALL_G " " CALL);
    tool_reads("step3p5", IN_BRACKETS "[Calling tool: g({\"a\": 1})]" IN_BRACKETS,
               CALL_G " CALL{g} ARGUMENTS{{\"a\": 1}} " CALL_G);
    tool_reads("qwen", IN_BRACKETS "<tool_call>" OBJECT "</tool_call>" IN_BRACKETS,
               CALL_G " " CALL " " CALL_G);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/sequences");
    TCase *c = tcase_create("sequences");
    tcase_add_test(c, hermes_reads_the_object_that_the_text_ends_in_after_an_open_function);
    tcase_add_test(c, hermes_withholds_text_between_two_open_tags);
    tcase_add_test(c, hermes_reads_a_bare_object_after_a_thought_that_an_open_tag_is_in);
    tcase_add_test(c, gemma4_reads_python_after_a_block_without_a_call);
    tcase_add_test(c, qwen_drops_the_end_of_a_thought_after_empty_tags_if_a_call_follows);
    tcase_add_test(c, qwen_drops_the_end_of_a_thought_after_a_call);
    tcase_add_test(c, qwen_reads_the_calls_within_a_block_before_its_own);
    tcase_add_test(c, qwen_reads_an_object_after_a_call_between_the_same_tags);
    tcase_add_test(c, qwen_reads_calls_in_brackets_first_after_a_function_without_an_end);
    tcase_add_test(c, qwen_holds_calls_after_functions_whose_ends_do_not_match);
    tcase_add_test(c, qwen3_xml_reads_tagged_calls_after_a_bare_function_that_lacks_parts);
    tcase_add_test(c, qwen3_xml_reads_a_bare_function_after_a_call_as_content);
    tcase_add_test(c, step3p5_compares_calls_in_brackets_with_each_other);
    suite_add_tcase(s, c);
    return support_run(s);
}
