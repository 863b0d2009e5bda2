/* Tool parsers on small texts, for all cuts: the formats except XML.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/tests/pieces.h"
#include "dialogue/tools/tests/tool_reads.h"

#define Q "<|\"|>"

START_TEST(gemma4_reads_objects_of_its_own)
{
    tool_reads("gemma4",
               "<|tool_call>call:f{x:\xe5\x8c\x97,y:a\xe5\x8c\x97}call:f{x:a\xe2\x80\xa8"
               "b}call:f{x:a\xf0\x9f\x8c\xa6}call:\xc3\xa9{\xc3\xa9:_1}<tool_call|>",
               "CALL{\xc3\xa9} ARGUMENTS{{\"\xc3\xa9\":\"_1\"}}");
    tool_reads("gemma4", "a<|tool_call>call:f{x:" Q "{\"" Q ",y:[1,word],z:{}}<tool_call|>b",
               "C{a} CALL{f} ARGUMENTS{{\"x\":\"{\\\"\",\"y\":[1,\"word\"],\"z\":{}}}");
    tool_reads("gemma4", "<|tool_call>call:f{}call:g{x:true}",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{\"x\":true}}");
    tool_reads("gemma4", "<|tool_call>call:f{x:a-b}<tool_call|>", "CALL{f} ARGUMENTS{{\"x\":\"a-b\"}}");
    tool_reads("gemma4", "<|tool_call>call:f{x:} call:g{}<tool_call|>", "CALL{g} ARGUMENTS{{}}");
    tool_reads("gemma4", "<|tool_call>call:f{ call:g{}<tool_call|>", "CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(gemma4_reads_python_if_there_is_no_object)
{
    tool_reads("gemma4", "<|tool_call>call:f(x='(', y=[True])<tool_call|>",
               "CALL{f} ARGUMENTS{{\"x\": \"(\", \"y\": [true]}}");
    tool_reads("gemma4", "<|tool_call>call:f(1, x=2)", "CALL{f} ARGUMENTS{{\"x\": 2}}");
    tool_reads("gemma4", "<|tool_call>call:f(x=y)", "C{<|tool_call>call:f(x=y)}");
    tool_reads("gemma4", "<|tool_call>call:f(x=1, 2)", "C{<|tool_call>call:f(x=1, 2)}");
    tool_reads("gemma4", "call:f(x=1)", "C{call:f(x=1)}");
    tool_reads("gemma4", "<|tool_call>call:f{}call:g(x=1)<tool_call|>", "CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(gemma4_keeps_no_content_after_a_call_and_no_unfinished_one)
{
    tool_reads("gemma4", "<|tool_call>call:f{}<tool_call|>a<|tool_call>call:g{}<tool_call|>b",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("gemma4", "<|tool_call>call:f{}<tool_call|><|tool_call>call:g{}", "CALL{f} ARGUMENTS{{}}");
    tool_reads("gemma4", "<|tool_call>so<tool_call|>a", "C{<|tool_call>so<tool_call|>a}");
}
END_TEST

START_TEST(mistral_reads_names_and_lists)
{
    tool_reads("mistral", "a[TOOL_CALLS]f[ARGS]{\"x\": \"[TOOL_CALLS]\"}[TOOL_CALLS] g{}",
               "C{a} CALL{f} ARGUMENTS{{\"x\": \"[TOOL_CALLS]\"}} CALL{g} ARGUMENTS{{}}");
    tool_reads("mistral", "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {\"x\": 1}}, {\"name\": \"g\"}]",
               "CALL{f} ARGUMENTS{{\"x\": 1}} CALL{g} ARGUMENTS{{}}");
    tool_reads("mistral", "[TOOL_CALLS][{\"name\": \"f\"}] so", "CALL{f} ARGUMENTS{{}}");
    tool_reads("mistral", "[TOOL_CALLS]f[ARGS]{\"x\": \"\\\"[TOOL_CALLS]\"}",
               "CALL{f} ARGUMENTS{{\"x\": \"\\\"[TOOL_CALLS]\"}}");
    tool_reads("mistral", "[TOOL_CALLS]f{} so", "CALL{f} ARGUMENTS{{} so}");
}
END_TEST

START_TEST(mistral_keeps_other_text_only_if_there_is_no_call)
{
    tool_reads("mistral", "a[TOOL_CALLS]f[ARGS]{", "C{a[TOOL_CALLS]f[ARGS]{}");
    tool_reads("mistral", "a[TOOL_CALLS]f g[ARGS]{}", "C{a[TOOL_CALLS]f g[ARGS]{}}");
    tool_reads("mistral", "a[TOOL_CALLS]so[TOOL_CALLS]f{}", "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("mistral", "[TOOL_CALLS]f{}[TOOL_CALLS]so", "CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(llama_reads_marked_objects_and_more_after_semicolons)
{
    tool_reads("llama", "<|python_tag|>{\"name\":\"f\",\"parameters\":{\"a\":\"\\\"}}\\\\\"}}",
               "CALL{f} ARGUMENTS{{\"a\":\"\\\"}}\\\\\"}}");
    tool_reads(
        "llama",
        "a<|python_tag|>{\"name\": \" f \", \"parameters\": {}} ; {\"name\": \"g\", \"arguments\": \"x\"}b",
        "C{a} CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{\"x\"} C{b}");
    tool_reads("llama", "<|python_tag|>{\"name\": \"f\", \"parameters\": {}}; ", "CALL{f} ARGUMENTS{{}}");
    tool_reads("llama", "<|python_tag|>{\"name\": \"f\"}a", "C{<|python_tag|>{\"name\": \"f\"}a}");
    tool_reads("llama", "<|python_tag|>so", "C{<|python_tag|>so}");
    tool_reads("llama", "<|python_tag|>{\"name", "C{<|python_tag|>{\"name}");
}
END_TEST

/* An escaped character may be a delta of its own, and so may the closing quote. */
START_TEST(an_escape_is_cut_anywhere)
{
    tool_reads("llama", "<|python_tag|>{\"name\":\"f\",\"parameters\":{\"a\":\"}\\n\",\"b\":\"\\u00e9\"}}c",
               "CALL{f} ARGUMENTS{{\"a\":\"}\\n\",\"b\":\"\\u00e9\"}} C{c}");
    tool_reads("mistral", "[TOOL_CALLS]f{\"a\":\"[TOOL_CALLS]\\n\"}[TOOL_CALLS]g{}",
               "CALL{f} ARGUMENTS{{\"a\":\"[TOOL_CALLS]\\n\"}} CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(a_function_of_llama_that_does_not_close_hides_no_calls)
{
    tool_reads("llama", "<function=f>{ <|python_tag|>{\"name\": \"g\", \"parameters\": {}}b",
               "C{<function=f>{ } CALL{g} ARGUMENTS{{}} C{b}");
    tool_reads("llama", "<function=f <|python_tag|>{\"name\": \"g\", \"parameters\": {}}<function=h>{}",
               "C{<function=f } CALL{g} ARGUMENTS{{}} C{<function=h>{}}");
}
END_TEST

#define CALL_G "<|python_tag|>{\"name\": \"g\", \"parameters\": {}}"

START_TEST(invalid_calls_of_llama_hide_no_valid_one)
{
    tool_reads("llama", "<function=f>{\"s\": \"" CALL_G "\"} so</function>b",
               "C{<function=f>{\"s\": \"} CALL{g} ARGUMENTS{{}} C{\"} so</function>b}");
    tool_reads("llama", "<function=f>so " CALL_G "<function=h>{}</function>",
               "C{<function=f>so } CALL{g} ARGUMENTS{{}} CALL{h} ARGUMENTS{{}}");
    tool_reads("llama", "{\"name\": \"f\", \"parameters\": \"" CALL_G "\"}",
               "C{{\"name\": \"f\", \"parameters\": \"} CALL{g} ARGUMENTS{{}} C{\"}}");
    tool_reads("llama", "{\"name\": \"<function=g>{}</function>\"}",
               "C{{\"name\": \"} CALL{g} ARGUMENTS{{}} C{\"}}");
    tool_reads("llama", "<|python_tag|>{\"s\": \"<function=g>{}</function>\"}",
               "C{<|python_tag|>{\"s\": \"} CALL{g} ARGUMENTS{{}} C{\"}}");
    tool_reads("llama", CALL_G "; {\"s\": \"<function=f>{}</function>\"}",
               "CALL{g} ARGUMENTS{{}} C{; {\"s\": \"} CALL{f} ARGUMENTS{{}} C{\"}}");
    tool_reads("llama", "<|python_tag|>{\"s\": \"<|python_tag|>{}\"}" CALL_G,
               "C{<|python_tag|>{\"s\": \"<|python_tag|>{}\"}} CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(llama_reads_a_bare_object_only_at_the_very_beginning)
{
    tool_reads("llama", " {\"name\": \"f\", \"parameters\": {}}a", "C{ } CALL{f} ARGUMENTS{{}} C{a}");
    tool_reads("llama", "a{\"name\": \"f\", \"parameters\": {}}",
               "C{a{\"name\": \"f\", \"parameters\": {}}}");
    tool_reads("llama", "{\"x\": 1}", "C{{\"x\": 1}}");
    tool_reads("llama", "{\"parameters\": {}, \"name\": \"f\"}", "C{{\"parameters\": {}, \"name\": \"f\"}}");
    tool_reads("llama", "{ \"name\" : 1}", "C{{ \"name\" : 1}}");
    tool_reads("llama", "{\"name\": <function=f>{}</function>", "C{{\"name\": } CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(llama_reads_functions)
{
    tool_reads("llama", "a<function=f>{\"x\": 1}</function>b", "C{a} CALL{f} ARGUMENTS{{\"x\": 1}} C{b}");
    tool_reads("llama", "<function=f>{so}</function>", "CALL{f} ARGUMENTS{{so}}");
    tool_reads("llama", "<function=f>so</function>", "C{<function=f>so</function>}");
    tool_reads("llama", "<function=f>{so</function><function=>", "C{<function=f>{so</function><function=>}");
}
END_TEST

#define CALL_F "<|channel|>commentary to=functions.f<|constrain|>json<|message|>"

START_TEST(harmony_reads_calls_of_the_commentary)
{
    tool_reads("harmony", CALL_F " {\"x\": 1} <|call|>", "CALL{f} ARGUMENTS{{\"x\": 1}}");
    tool_reads("harmony", CALL_F "{}<|end|><|start|>assistant" CALL_F "{}",
               "CALL{f} ARGUMENTS{{}} CALL{f} ARGUMENTS{{}}");
    tool_reads("harmony", "<|start|>assistant" CALL_F "{}<|call|>", "CALL{f} ARGUMENTS{{}}");
    tool_reads("harmony", CALL_F "so<|call|>", "CALL{f} ARGUMENTS{so}");
    tool_reads("harmony", CALL_F "so", "");
    tool_reads("harmony", CALL_F " so", "C{so}");
    tool_reads("harmony", CALL_F "{}<|channel|>commentary to=functions.g<|message|>{}<|call|>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("harmony", "<|channel|>commentary to=functions.a.b<|message|>{}<|call|>", "C{{}}");
}
END_TEST

START_TEST(harmony_reads_the_answer)
{
    tool_reads(
        "harmony",
        "<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>",
        "C{42}");
    tool_reads("harmony", CALL_F "{}<|end|><|channel|>final<|message|>42", "CALL{f} ARGUMENTS{{}} C{42}");
    tool_reads("harmony", CALL_F "{}<|call|><|channel|>final<|message|>42<|return|>",
               "CALL{f} ARGUMENTS{{}} C{42}");
    tool_reads("harmony",
               CALL_F
               "{}<|call|><|channel|>final<|message|>4<|return|><|channel|>final<|message|>2<|return|>",
               "CALL{f} ARGUMENTS{{}} C{4}");
    tool_reads("harmony", CALL_F "{}<|call|><|channel|>final<|message|>42<|end|>", "CALL{f} ARGUMENTS{{}}");
}
END_TEST

START_TEST(harmony_reads_no_answer_without_text)
{
    tool_reads("harmony", "<|start|>assistant<|channel|>final<|message|> \n", "C{assistant}");
    tool_reads("harmony", "<|channel|>commentary<|message|>a<|channel|>final<|message|><|end|>b", "C{ab}");
    tool_reads("harmony", "<|channel|>commentary<|message|>a<|channel|>final<|message|> <|return|>", "C{ }");
    tool_reads("harmony", "<|channel|>commentary<|message|>a<|channel|>final<|message|><|b", "C{<|b}");
}
END_TEST

START_TEST(harmony_drops_control_tokens)
{
    tool_reads("harmony", "a<|end|>b<|channel|>c<|return|>", "C{abc}");
    tool_reads("harmony", "<|start|>assistant a", "C{assistant a}");
    tool_reads("harmony", "<|channel|>commentary", "");
    tool_reads("harmony", CALL_F " a<|constrain|>b<|message|>c", "C{abc}");
}
END_TEST

START_TEST(harmony_drops_the_words_of_headers_that_begin_nothing)
{
    tool_reads("harmony", "a<|channel|><|call|>json", "C{a}");
    tool_reads("harmony", "<|channel|>analysis<|message|>a final json word", "C{a word}");
    /* The whole answer of the published server has ".g h", its streams have nothing. */
    tool_reads("harmony", "<|channel|>commentary<|end|> to=functions.f.g h", "C{h}");
    tool_reads("harmony", "<|channel|>commentary<|end|>to=functions. a", "C{to=functions. a}");
    tool_reads("harmony", "<|channel|>commentary<|end|>to=functions.f. a", "C{. a}");
    tool_reads("harmony", "<|channel|>commentary to=functions.f<|start|>assistant", "");
    tool_reads("harmony", "<|channel|>commentary to=functions.f<|return|>a b", "C{b}");
    tool_reads("harmony", "<|channel|>js<|end|>on", "");
    tool_reads("harmony", "json <|channel|>b", "C{json b}");
}
END_TEST

START_TEST(harmony_drops_a_role_where_a_call_or_an_answer_follows)
{
    tool_reads("harmony", "<|start|>assistant<|channel|>commentary", "C{assistant}");
    tool_reads("harmony", "<|start|>assistant<|channel|>final<|message|>a<|return|>", "C{a}");
    tool_reads("harmony", "b<|start|>assistant<|channel|>final<|message|>a<|return|>", "C{ba}");
    tool_reads("harmony", "<|start|>assistant<|message|>a", "C{assistanta}");
}
END_TEST

START_TEST(any_text_becomes_a_json_string)
{
    tool_reads(
        "glm47",
        "<tool_call>f<arg_key>a</arg_key><arg_value>x\xFF\xC3y\"\\\x01\xD0\xB6\n\xE4z</arg_value></"
        "tool_call>",
        "CALL{f} ARGUMENTS{{\"a\": \"x\xEF\xBF\xBD\xEF\xBF\xBDy\\\"\\\\\\u0001\xD0\xB6\\n\xEF\xBF\xBDz\"}}");
}
END_TEST

START_TEST(a_function_without_a_name_is_no_call)
{
    tool_reads("hermes", "<function= ></function>a", "C{<function= ></function>a}");
    tool_reads("hermes", "<tool_call><function=\n>x</function></tool_call>",
               "C{<tool_call><function=\n>x</function></tool_call>}");
    tool_reads("qwen", "<function= >{}</function>a", "C{a}");
    tool_reads("llama", "<function= >{}</function>a", "C{<function= >{}</function>a}");
}
END_TEST

/* U+1680 and U+3000 have three bytes each, and a cut is within them. */
START_TEST(white_space_of_several_bytes_is_passed_over)
{
    tool_reads("llama", "{\"name\":\"f\",\"parameters\":{}}\xE1\x9A\x80", "CALL{f} ARGUMENTS{{}}");
    tool_reads("llama", "<|python_tag|>\xE3\x80\x80{\"name\":\"f\",\"parameters\":{}}",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("hermes", "<tool_call>\xE3\x80\x80{\"name\":\"f\",\"arguments\":{}}</tool_call>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen", "<tool_call>\xE3\x80\x80{\"name\":\"f\",\"arguments\":{}}</tool_call>",
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen", "[Calling tool:\xE3\x80\x80\x66({})]", "CALL{f} ARGUMENTS{{}}");
    tool_reads("qwen3_xml", "<function=f>\xE3\x80\x80<parameter=k>1</parameter></function>",
               "CALL{f} ARGUMENTS{{\"k\": \"1\"}}");
}
END_TEST

/* A marker, three times the size of a block, and an end. At no time is more held than one block and as much
 * content. */
static void expect_overlong(const char *parser, const char *begin, char filling, const char *end)
{
    const size_t most = SERVE_TOOLS_BLOCK_MAX, n_begin = strlen(begin), n_end = strlen(end),
                 n = n_begin + 3 * most + n_end;
    char *text = malloc(n);
    ck_assert_ptr_nonnull(text);
    memcpy(text, begin, n_begin);
    memset(text + n_begin, filling, 3 * most);
    memcpy(text + n - n_end, end, n_end);
    for (size_t step = 1000; step <= n; step += n - 1000) {
        serve_tools *t;
        pieces p = {0};
        const assay_sink sink = pieces_sink(&p);
        ck_assert_int_eq(serve_tools_open(parser, (assay_text){0}, &t, NULL), ASSAY_OK);
        for (size_t at = 0; at < n; at += step) {
            const size_t n_delta = n - at < step ? n - at : step;
            ck_assert_int_eq(serve_tools_feed(t, text + at, n_delta, &sink, NULL), ASSAY_OK);
            ck_assert_msg(at + n_delta - p.n_bytes <= 2 * most, "%s holds too much", parser);
        }
        ck_assert_int_eq(serve_tools_end(t, &sink, NULL), ASSAY_OK);
        ck_assert_msg(strncmp(pieces_script(&p), "C{", 2) == 0 && !strstr(p.script, "CALL{"), "%s", parser);
        ck_assert_uint_eq(p.n_bytes, n);
        serve_tools_free(t);
        pieces_free(&p);
    }
    free(text);
}

START_TEST(a_block_that_is_too_long_is_content)
{
    expect_overlong("hermes", "<tool_call>{\"name\": \"f\", \"arguments\": \"", 'x', "\"}</tool_call>");
    expect_overlong("gemma4", "<|tool_call>call:f{}", ' ', "<tool_call|>");
    expect_overlong("mistral", "[TOOL_CALLS]f{}", ' ', "");
    expect_overlong("glm47", "<tool_call>f<arg_key>", 'x', "</tool_call>");
    expect_overlong("llama", "<|python_tag|>", ' ', "{}");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/formats");
    TCase *c = tcase_create("formats");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, gemma4_reads_objects_of_its_own);
    tcase_add_test(c, gemma4_reads_python_if_there_is_no_object);
    tcase_add_test(c, gemma4_keeps_no_content_after_a_call_and_no_unfinished_one);
    tcase_add_test(c, mistral_reads_names_and_lists);
    tcase_add_test(c, mistral_keeps_other_text_only_if_there_is_no_call);
    tcase_add_test(c, llama_reads_marked_objects_and_more_after_semicolons);
    tcase_add_test(c, an_escape_is_cut_anywhere);
    tcase_add_test(c, a_function_of_llama_that_does_not_close_hides_no_calls);
    tcase_add_test(c, invalid_calls_of_llama_hide_no_valid_one);
    tcase_add_test(c, llama_reads_a_bare_object_only_at_the_very_beginning);
    tcase_add_test(c, llama_reads_functions);
    tcase_add_test(c, harmony_reads_calls_of_the_commentary);
    tcase_add_test(c, harmony_reads_the_answer);
    tcase_add_test(c, harmony_reads_no_answer_without_text);
    tcase_add_test(c, harmony_drops_control_tokens);
    tcase_add_test(c, harmony_drops_the_words_of_headers_that_begin_nothing);
    tcase_add_test(c, harmony_drops_a_role_where_a_call_or_an_answer_follows);
    tcase_add_test(c, any_text_becomes_a_json_string);
    tcase_add_test(c, a_function_without_a_name_is_no_call);
    tcase_add_test(c, white_space_of_several_bytes_is_passed_over);
    tcase_add_test(c, a_block_that_is_too_long_is_content);
    suite_add_tcase(s, c);
    return support_run(s);
}
