/* Tool parsers on small texts, for all cuts: formats of tags and of functions, and properties of all formats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/tests/pieces.h"
#include "dialogue/tools/formats.h"
#include "dialogue/tools/tests/tool_reads.h"

static const char *const all[] = {"gemma4", "glm47",   "harmony", "hermes",
                                  "llama",  "mistral", "qwen",    "qwen3_xml"};

enum { N_ALL = sizeof all / sizeof all[0] };

START_TEST(text_without_markers_is_content)
{
    for (size_t i = 0; i < N_ALL; i++) {
        tool_reads(all[i], "a < b, x|y [z] {1} \xE5\x8C\x97\xE4\xBA\xAC \xF0\x9F\x8C\xA6",
                   "C{a < b, x|y [z] {1} \xE5\x8C\x97\xE4\xBA\xAC \xF0\x9F\x8C\xA6}");
        tool_reads(all[i], "", "");
        tool_reads(all[i], " \n", "C{ \n}");
        tool_reads(all[i], "\xFF\xE5 ", "C{\xFF\xE5 }");
    }
}
END_TEST

START_TEST(beginnings_of_markers_are_content)
{
    tool_reads("hermes", "<tool_cal <funct </tool", "C{<tool_cal <funct </tool}");
    tool_reads("gemma4", "<|tool_cal <|", "C{<|tool_cal <|}");
    tool_reads("mistral", "[TOOL_CALL [TO", "C{[TOOL_CALL [TO}");
    tool_reads("llama", "<|python_ta <|", "C{<|python_ta <|}");
    tool_reads("qwen", "[Calling too <tool_", "C{[Calling too <tool_}");
    tool_reads("glm47", "<tool_call", "C{<tool_call}");
    tool_reads("harmony", "<|chan <|", "C{<|chan <|}");
    tool_reads("qwen3_xml", "<function", "C{<function}");
}
END_TEST

START_TEST(a_call_is_handed_out_as_soon_as_it_ends)
{
    static const char *const calls[][2] = {
        {"gemma4", "<|tool_call>call:f{a:<|\"|>x<|\"|>}<tool_call|>"},
        {"hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\"}}</tool_call>"},
        {"qwen", "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"x\"}}</tool_call>"},
        {"qwen3_xml", "<tool_call><function=f><parameter=a>x</parameter></function></tool_call>"},
        {"glm47", "<tool_call>f<arg_key>a</arg_key><arg_value>x</arg_value></tool_call>"},
        {"harmony", "<|channel|>commentary to=functions.f<|message|>{\"a\":\"x\"}<|call|>"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        pieces p = {0};
        serve_tools *t;
        const assay_sink sink = pieces_sink(&p);
        ck_assert_int_eq(serve_tools_open(calls[i][0], (assay_text){0}, &t, NULL), ASSAY_OK);
        for (const char *at = calls[i][1]; *at; at++)
            ck_assert_int_eq(serve_tools_feed(t, at, 1, &sink, NULL), ASSAY_OK);
        ck_assert_uint_eq(p.n_pieces, 2);
        serve_tools_free(t);
        pieces_free(&p);
    }
}
END_TEST

START_TEST(unknown_names_are_refused_with_the_known_ones)
{
    serve_tools *t = NULL;
    assay_error err;
    ck_assert_int_eq(serve_tools_open("nope", (assay_text){0}, &t, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "'nope'", "gemma4", "gpt-oss", "qwen3_coder", NULL);
    ck_assert_ptr_null(t);
    const char *name;
    for (size_t i = 0; (name = serve_tools_name_at(i)); i++) ck_assert_ptr_nonnull(strstr(err.text, name));
    ck_assert_uint_eq(strlen(strrchr(err.text, ' ')), strlen(" generic"));
}
END_TEST

START_TEST(aliases_are_known)
{
    static const char *const names[] = {"nous",       "qwen3",     "qwen3.5",  "qwen3_coder", "llama3",
                                        "llama4",     "glm4",      "gpt-oss",  "deepseek_v3", "deepseek_r1",
                                        "dsml",       "meetkai",   "granite3", "kimi_k2",     "moonshot",
                                        "minimax_m2", "nemotron3", "step",     "generic"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) tool_reads(names[i], "a", "C{a}");
}
END_TEST

START_TEST(requests_that_are_no_object_are_refused)
{
    static const char *const requests[] = {"[]", "{", "5", ""};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        serve_tools *t = NULL;
        assay_error err;
        const assay_text request = {.at = requests[i], .n = strlen(requests[i])};
        ck_assert_int_eq(serve_tools_open("hermes", request, &t, &err), ASSAY_EFORMAT);
        support_expect_error(&err, ASSAY_EFORMAT, "request", NULL);
        ck_assert_ptr_null(t);
    }
}
END_TEST

START_TEST(hermes_reads_objects_between_tags)
{
    tool_reads("hermes", "a<tool_call>\n{\"name\":\"f\",\"arguments\":{\"x\":[1]}} </tool_call>b",
               "C{a} CALL{f} ARGUMENTS{{\"x\":[1]}} C{b}");
    tool_reads("hermes", "<tool_call>{\"name\": \"f\"}</tool_call><tool_call>{\"name\": \"g\"}</tool_call>",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("hermes", "<tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"x\\\": 1}\"}</tool_call>",
               "CALL{f} ARGUMENTS{{\"x\": 1}}");
    tool_reads("hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":\"</tool_call>\"}}</tool_call>",
               "CALL{f} ARGUMENTS{{\"x\":\"</tool_call>\"}}");
}
END_TEST

START_TEST(hermes_reads_functions_until_a_tag_is_seen)
{
    tool_reads("hermes", "<tool_call><function=f><parameter=x> 1 </parameter></function></tool_call>",
               "CALL{f} ARGUMENTS{{\"x\": 1}}");
    tool_reads("hermes", "a<function=f></function>b", "C{a} CALL{f} ARGUMENTS{{}} C{b}");
    tool_reads("hermes", "<tool_call>{\"name\":\"f\"}</tool_call><function=g></function>",
               "CALL{f} ARGUMENTS{{}} C{<function=g></function>}");
    tool_reads("hermes", "</function><function=g></function>", "C{</function><function=g></function>}");
}
END_TEST

START_TEST(hermes_drops_malformed_calls_and_keeps_other_text)
{
    tool_reads("hermes", "a<tool_call>{\"name\": }</tool_call>b", "C{ab}");
    tool_reads("hermes", "a<tool_call>no</tool_call>b", "C{a<tool_call>no</tool_call>b}");
    tool_reads("hermes", "<tool_call>{\"na", "C{<tool_call>{\"na}");
    tool_reads("hermes", "<tool_call>no <tool_call>{\"name\":\"f\"}</tool_call>",
               "C{<tool_call>no } CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(hermes_reads_a_complete_object_without_its_closing_tag)
{
    tool_reads("hermes", "<tool_call>{\"name\":\"f\",\"arguments\":{}}\n", "CALL{f} ARGUMENTS{{}}");
    tool_reads("hermes", "<tool_call>so {\"name\":\"f\",\"arguments\":{}}", "CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(values_of_functions_are_json_or_python_or_text)
{
    tool_reads("hermes",
               "<function=f><parameter=a>True</parameter><parameter=b>'x'</parameter><parameter=c>x\"</"
               "parameter></function>",
               "CALL{f} ARGUMENTS{{\"a\": true, \"b\": \"x\", \"c\": \"x\\\"\"}}");
    tool_reads("hermes", "<function= f ><parameter= a >1</parameter></function>",
               "CALL{f} ARGUMENTS{{\"a\": 1}}");
    tool_reads("hermes", "<function=f><parameter=a>1</parameter><parameter=a>2</parameter></function>",
               "CALL{f} ARGUMENTS{{\"a\": 2}}");
    tool_reads("qwen", "<function=f><parameter=a>\n 1 x \n</parameter></function>",
               "CALL{f} ARGUMENTS{{\"a\": \" 1 x \"}}");
    tool_reads("qwen", "<function=f> {\"a\": 1} </function>", "CALL{f} ARGUMENTS{{\"a\": 1}}");
}
END_TEST

START_TEST(qwen_reads_three_formats)
{
    tool_reads("qwen", "a<tool_call>{\"name\":\"f\"}</tool_call>b", "C{a} CALL{f} ARGUMENTS{{}} C{b}");
    tool_reads("qwen", "a[Calling tool: f({\"x\": \")]\"})]b",
               "C{a} CALL{f} ARGUMENTS{{\"x\": \")]\"}} C{b}");
    tool_reads("qwen", "<tool_call>\n<function=f></function>\n</tool_call>b", "CALL{f} ARGUMENTS{{}} C{b}");
    tool_reads("qwen", "a<tool_call> </tool_call>b", "C{ab}");
}
END_TEST

START_TEST(qwen_drops_what_the_text_ends_in_but_for_calls)
{
    tool_reads("qwen", "a<tool_call>{\"name", "C{a}");
    tool_reads("qwen", "a<tool_call>so ", "C{a}");
    tool_reads("qwen", "a<function=f>so[Calling tool: g({})]b", "C{a} CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen", "a[Calling tool: so", "C{a}");
    tool_reads("qwen", "a<tool_call><function=f></function> b", "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen", "a<function=> b", "C{a}");
    tool_reads("qwen", "a<function=> b<function=f></function>c", "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen", "a<function=><function=f></function>b</function>c",
               "C{a} CALL{f} ARGUMENTS{{}} C{<function=>b</function>c}");
}
END_TEST

START_TEST(qwen_emits_text_that_begins_no_call)
{
    tool_reads("qwen", "a<tool_call>so</tool_call>b", "C{a<tool_call>so</tool_call>b}");
    tool_reads("qwen", "a[Calling tool: so)]b", "C{a[Calling tool: so)]b}");
    tool_reads("qwen", "<function=></think>[Calling tool: f({\"</function>a", "C{<function=></think>}");
    tool_reads("qwen", "<function=></think>[Calling tool: f({\"</function>a<function=f></function>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen", "a<function=> so</function>b", "C{a<function=> so</function>b}");
    tool_reads("qwen", "a<tool_call>so<function=f></function></tool_call>b",
               "C{a} CALL{f} ARGUMENTS{{}} C{<tool_call>so</tool_call>b}");
}
END_TEST

/* Both answers of the published server remove them before they read a call. */
START_TEST(thoughts_within_a_block_are_no_part_of_its_calls)
{
    tool_reads("hermes",
               "<tool_call>{\"name\":\"f<think>g</think>\",\"arguments\":{\"x\":\"<think>\"}}</tool_call>",
               "CALL{f} ARGUMENTS{{\"x\":\"<think>\"}}");
    tool_reads("qwen", "[Calling tool: f({\"x\": \"a<think>b</think>c<think></think>\"})]",
               "CALL{f} ARGUMENTS{{\"x\": \"ac\"}}");
    tool_reads("glm47",
               "<tool_call>f<arg_key>a</arg_key><arg_value><think>1</think>2</arg_value></tool_call>",
               "CALL{f} ARGUMENTS{{\"a\": 2}}");
    tool_reads("gemma4", "<|tool_call>call:f{x:<|\"|>a<think>}</think><|\"|>}<tool_call|>",
               "CALL{f} ARGUMENTS{{\"x\":\"a\"}}");
    tool_reads("mistral", "[TOOL_CALLS]f[ARGS]{\"x\": \"<think>b</think>\"}",
               "CALL{f} ARGUMENTS{{\"x\": \"<think>b</think>\"}}");
}
END_TEST

#define THOUGHT_IN_CALL "<function=f><parameter=a>x</think>y</parameter></function>"

START_TEST(the_end_of_a_thought_takes_along_what_is_before_it_after_a_marker)
{
    tool_reads("qwen", "a[Calling tool:\n" THOUGHT_IN_CALL, "C{a}");
    tool_reads("qwen", "a<function=f></think>", "C{a}");
    tool_reads("qwen", "a<function=f>[Calling tool: f({})]</think>", "C{a}");
    tool_reads("qwen", "<function=f>b</think>[Calling tool: g({})]</function>",
               "CALL{g} ARGUMENTS{{}} C{</function>}");
    tool_reads("qwen", "<tool_call>{</think><tool_call><function=g></function>", "CALL{g} ARGUMENTS{{}}");
    tool_reads("qwen", "<function=f></think>a<tool_call><function=g></function></tool_call>b",
               "CALL{g} ARGUMENTS{{}} C{ab}");
    tool_reads("qwen", "<tool_call>{</think>a<tool_call>b<function=g></function></tool_call>",
               "CALL{g} ARGUMENTS{{}} C{a<tool_call>b</tool_call>}");
    tool_reads("hermes", "<tool_call><function=f></function></think>", "");
    tool_reads("hermes", "<tool_call>{</think><function=g></function>", "CALL{g} ARGUMENTS{{}}");
    tool_reads("hermes", "<tool_call>so</tool_call></think>a", "C{<tool_call>so</tool_call>a}");
    tool_reads("gemma4", "<|tool_call><tool_call|>a</think>b<|tool_call>call:f{}<tool_call|>",
               "C{b} CALL{f} ARGUMENTS{{}}");
    tool_reads("gemma4", "<|tool_call>call:f{x:<|\"|></think><|tool_call>call:g{}<tool_call|>",
               "CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(text_absorbed_by_the_end_of_a_thought_is_content_without_a_call)
{
    tool_reads("qwen", "a" THOUGHT_IN_CALL "b", "C{a" THOUGHT_IN_CALL "b}");
    tool_reads("qwen", "[Calling tool: f({\"a\": \"</think>\"})]b",
               "C{[Calling tool: f({\"a\": \"</think>\"})]b}");
    tool_reads("qwen", "<tool_call>{\"a\": \"</think>\"}</tool_call>b",
               "C{<tool_call>{\"a\": \"</think>\"}</tool_call>b}");
    tool_reads("gemma4", "<|tool_call>call:f{x:</think>}<tool_call|>b",
               "C{<|tool_call>call:f{x:</think>}<tool_call|>b}");
}
END_TEST

START_TEST(the_end_of_a_thought_takes_nothing_along_but_once_and_before_a_call)
{
    tool_reads("qwen", "<function=g></function>" THOUGHT_IN_CALL,
               "CALL{g} ARGUMENTS{{}} CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("qwen", "<tool_call>a</think>" THOUGHT_IN_CALL, "CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("qwen", "<tool_call><think></think>" THOUGHT_IN_CALL,
               "CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("qwen", "<function=g><think></think></think></function>", "CALL{g} ARGUMENTS{{}}");
    tool_reads("hermes", "<function=g></function></think>" THOUGHT_IN_CALL,
               "CALL{g} ARGUMENTS{{}} C{</think>} CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("gemma4", "<|tool_call>call:g{}<tool_call|></think>", "CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(thoughts_are_content_before_a_marker_and_none_after_it)
{
    tool_reads("qwen", "<think>a</think>b</think>", "C{<think>a</think>b</think>}");
    tool_reads("qwen", ")]</tool_call></function><think></think>",
               "C{)]</tool_call></function><think></think>}");
    tool_reads("qwen", "<function=f></function>a<think>b<function=g></function></think>c",
               "CALL{f} ARGUMENTS{{}} C{ac}");
    tool_reads("qwen", "<function=f></function>a<think>b<function=g></function>",
               "CALL{f} ARGUMENTS{{}} C{a<think>b} CALL{g} ARGUMENTS{{}}");
    tool_reads("hermes", "<function=f></function>a<think>b</think>c<thin",
               "CALL{f} ARGUMENTS{{}} C{ac<thin}");
}
END_TEST

START_TEST(a_call_of_glm47_does_not_end_within_a_thought)
{
    tool_reads("glm47",
               "<tool_call>f<arg_key>a</arg_key><arg_value>1<think></arg_value></tool_call> x "
               "</think>2</arg_value></tool_call>"
               "<tool_call>g</tool_call>",
               "CALL{f} ARGUMENTS{{\"a\": 12}} CALL{g} ARGUMENTS{{}}");
    tool_reads(
        "glm47",
        "<tool_call>f<arg_key>a</arg_key><arg_value><think></arg_value></tool_call><tool_call>g</tool_call>",
        "CALL{f} ARGUMENTS{{\"a\": \"<think>\"}} CALL{g} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>f<think>g</tool_call></think></tool_call>", "CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(the_end_of_a_thought_takes_the_first_call_of_glm47_along)
{
    tool_reads("glm47",
               "<tool_call>f<arg_key>a</arg_key><arg_value></think>1</arg_value></tool_call><tool_call>g</"
               "tool_call>",
               "CALL{g} ARGUMENTS{{}}");
    tool_reads(
        "glm47",
        "<tool_call>g</tool_call><tool_call>f<arg_key>a</arg_key><arg_value></think></arg_value></tool_call>",
        "CALL{g} ARGUMENTS{{}} CALL{f} ARGUMENTS{{\"a\": \"</think>\"}}");
}
END_TEST

#define STRAY "<tool_call>f<arg_key>a</arg_key><arg_value>x</think>y</arg_value></tool_call>"

START_TEST(a_whole_thought_gives_the_first_call_of_glm47_back)
{
    const char *both = "CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}} CALL{g} ARGUMENTS{{}}";
    tool_reads("glm47", STRAY "<think></think>", "CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("glm47", STRAY "b<tool_call>g<think></tool_call></think></tool_call>c", both);
    tool_reads("glm47", STRAY "<tool_call>g</tool_call><think></think>", "CALL{g} ARGUMENTS{{}}");
    tool_reads("glm47", STRAY "<tool_call>g\nh</tool_call><think></think><tool_call>g</tool_call>", both);
    tool_reads("glm47", "<tool_call><think>b</think>" STRAY, "CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("glm47", "<tool_call>so</think><tool_call>g</tool_call>", "CALL{g} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>s\no</tool_call></think>a" STRAY,
               "CALL{f} ARGUMENTS{{\"a\": \"x</think>y\"}}");
    tool_reads("glm47", "a<tool_call>so</think>b</think>", "C{ab</think>}");
    tool_reads("glm47", "a" STRAY "b", "C{ay</arg_value></tool_call>b}");
}
END_TEST

START_TEST(no_call_of_glm47_is_within_a_thought_after_the_first_tag)
{
    tool_reads("glm47",
               "<tool_call>f</tool_call>a<think><tool_call>h</tool_call></think><tool_call>g</tool_call>",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>f</tool_call><think><tool_call>g</tool_call>",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>f\nh</tool_call> <think>a</think><tool_call",
               "C{<tool_call>f\nh</tool_call> <tool_call}");
}
END_TEST

START_TEST(glm47_reads_keys_and_values_of_known_tools)
{
    tool_reads("glm47",
               "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value><arg_key>b</"
               "arg_key><arg_value>x</arg_value></tool_call>",
               "CALL{f} ARGUMENTS{{\"a\": 1, \"b\": \"x\"}}");
    tool_reads("glm47", "<tool_call>f</tool_call>so<tool_call>g</tool_call>so",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    const char *request = "{\"tools\": [{\"function\": {\"name\": \"g\"}}]}";
    tool_reads_with("glm47", request, "<tool_call>f</tool_call>", "C{<tool_call>f</tool_call>}");
    tool_reads_with("glm47", request, "<tool_call>f</tool_call><tool_call>g</tool_call>",
                    "CALL{g} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>Well. <tool_call>f</tool_call>", "CALL{f} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>\n<arg_key><tool_call>f</tool_call>", "CALL{f} ARGUMENTS{{}}");
    tool_reads("glm47", "<tool_call>\n <arg_key><tool_call>f</tool_call>",
               "C{<tool_call>\n <arg_key><tool_call>f</tool_call>}");
    tool_reads("glm47", "a<tool_call>f\ng</tool_call>b", "C{a<tool_call>f\ng</tool_call>b}");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/tools");
    TCase *c = tcase_create("tags");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, text_without_markers_is_content);
    tcase_add_test(c, beginnings_of_markers_are_content);
    tcase_add_test(c, a_call_is_handed_out_as_soon_as_it_ends);
    tcase_add_test(c, unknown_names_are_refused_with_the_known_ones);
    tcase_add_test(c, aliases_are_known);
    tcase_add_test(c, requests_that_are_no_object_are_refused);
    tcase_add_test(c, hermes_reads_objects_between_tags);
    tcase_add_test(c, hermes_reads_functions_until_a_tag_is_seen);
    tcase_add_test(c, hermes_drops_malformed_calls_and_keeps_other_text);
    tcase_add_test(c, hermes_reads_a_complete_object_without_its_closing_tag);
    tcase_add_test(c, values_of_functions_are_json_or_python_or_text);
    tcase_add_test(c, qwen_reads_three_formats);
    tcase_add_test(c, qwen_drops_what_the_text_ends_in_but_for_calls);
    tcase_add_test(c, qwen_emits_text_that_begins_no_call);
    tcase_add_test(c, thoughts_within_a_block_are_no_part_of_its_calls);
    tcase_add_test(c, the_end_of_a_thought_takes_along_what_is_before_it_after_a_marker);
    tcase_add_test(c, text_absorbed_by_the_end_of_a_thought_is_content_without_a_call);
    tcase_add_test(c, the_end_of_a_thought_takes_nothing_along_but_once_and_before_a_call);
    tcase_add_test(c, thoughts_are_content_before_a_marker_and_none_after_it);
    tcase_add_test(c, a_call_of_glm47_does_not_end_within_a_thought);
    tcase_add_test(c, the_end_of_a_thought_takes_the_first_call_of_glm47_along);
    tcase_add_test(c, a_whole_thought_gives_the_first_call_of_glm47_back);
    tcase_add_test(c, no_call_of_glm47_is_within_a_thought_after_the_first_tag);
    tcase_add_test(c, glm47_reads_keys_and_values_of_known_tools);
    suite_add_tcase(s, c);
    return support_run(s);
}
