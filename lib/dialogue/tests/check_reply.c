/* Replies: reasoning is removed first, calls are parsed in the content that is left.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/reply.h"
#include "dialogue/tests/pieces.h"

static assay_status open_reply(const char *reasoning, const char *tools, bool thinking_off, assay_reply **out,
                               assay_error *err)
{
    const assay_reply_options options = {
        .size = sizeof options, .reasoning = reasoning, .tools = tools, .thinking_off = thinking_off};
    return serve_reply_open(&options, out, err);
}

/* Reads the text cut at offset `cut`, and in bytes. */
static void reads(const char *reasoning, const char *tools, bool thinking_off, const char *text,
                  const char *script)
{
    const size_t n = strlen(text);
    for (size_t cut = 0; cut <= n + 1; cut++) {
        assay_reply *r = NULL;
        assay_error err = {0};
        pieces found = {0};
        const assay_sink sink = pieces_sink(&found);
        ck_assert_msg(open_reply(reasoning, tools, thinking_off, &r, &err) == ASSAY_OK, "%s", err.text);
        if (cut <= n) {
            ck_assert_int_eq(serve_reply_feed(r, text, cut, &sink, &err), ASSAY_OK);
            ck_assert_int_eq(serve_reply_feed(r, text + cut, n - cut, &sink, &err), ASSAY_OK);
        } else {
            for (size_t i = 0; i < n; i++)
                ck_assert_int_eq(serve_reply_feed(r, text + i, 1, &sink, &err), ASSAY_OK);
        }
        ck_assert_int_eq(serve_reply_end(r, &sink, &err), ASSAY_OK);
        ck_assert_str_eq(pieces_script(&found), script);
        pieces_free(&found);
        serve_reply_free(r);
    }
}

START_TEST(without_parsers_all_is_content)
{
    reads(NULL, NULL, false, "<think>a</think><tool_call>\xc3\xbc", "C{<think>a</think><tool_call>\xc3\xbc}");
}
END_TEST

START_TEST(calls_are_looked_for_after_reasoning)
{
    reads("gemma4", "gemma4", false,
          "<|channel>thought\nwhy <|tool_call>x<channel|><|tool_call>call:f{a:<|\"|>b<|\"|>}<tool_call|>",
          "R{\nwhy <|tool_call>x} CALL{f} ARGUMENTS{{\"a\":\"b\"}}");
    reads("qwen3", "hermes", false,
          "<think>why</think>\n<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>",
          "R{why} CALL{f} ARGUMENTS{{\"a\": 1}}");
}
END_TEST

START_TEST(a_call_is_content_without_a_tool_parser)
{
    reads("gemma4", NULL, false, "<|channel>thought\nwhy<channel|><|tool_call>x<tool_call|>",
          "R{\nwhy} C{<|tool_call>x<tool_call|>}");
}
END_TEST

START_TEST(messages_to_tools_stay_for_the_parser_of_calls)
{
    reads("harmony", "harmony", false,
          "<|channel|>analysis<|message|>why<|end|><|start|>assistant<|channel|>commentary "
          "to=functions.f<|constrain|>json<|message|>{\"a\":1}<|call|>",
          "R{why} CALL{f} ARGUMENTS{{\"a\":1}}");
}
END_TEST

START_TEST(a_tool_parser_of_another_format_gets_no_messages_to_tools)
{
    reads("harmony", "qwen", false,
          "<|channel|>commentary to=functions.f<|message|>{}<|call|><|channel|>final<|message|>so<|end|>",
          "C{so}");
}
END_TEST

START_TEST(reasoning_is_not_output_if_thinking_is_off)
{
    reads("gemma4", "gemma4", true, "<|channel>thought\nwhy<channel|>so", "C{so}");
    reads("qwen3", NULL, true, "so it is", "C{so it is}");
}
END_TEST

START_TEST(parsers_that_are_not_there_are_refused_by_name)
{
    assay_reply *r = NULL;
    assay_error err = {0};
    ck_assert_int_eq(open_reply("abacus", NULL, false, &r, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "\"abacus\"", "qwen3", NULL);
    ck_assert_int_eq(open_reply("abacus", "hermes", false, &r, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "\"abacus\"", "qwen3", NULL);
    ck_assert_int_eq(open_reply("qwen3", "abacus", false, &r, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "abacus", "hermes", NULL);
    ck_assert_ptr_null(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/reply");
    TCase *all = tcase_create("all");
    tcase_add_test(all, without_parsers_all_is_content);
    tcase_add_test(all, calls_are_looked_for_after_reasoning);
    tcase_add_test(all, a_call_is_content_without_a_tool_parser);
    tcase_add_test(all, messages_to_tools_stay_for_the_parser_of_calls);
    tcase_add_test(all, a_tool_parser_of_another_format_gets_no_messages_to_tools);
    tcase_add_test(all, reasoning_is_not_output_if_thinking_is_off);
    tcase_add_test(all, parsers_that_are_not_there_are_refused_by_name);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
