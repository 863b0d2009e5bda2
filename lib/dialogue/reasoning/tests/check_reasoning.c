/* Parsers of blocks on small texts, for all cuts, and properties of all parsers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/reasoning.h"

#include <stdio.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/reasoning/tests/reads.h"
#include "dialogue/tests/pieces.h"

#define DSML "<｜DSML｜tool_calls>"

/* Parsers whose reply begins within the block. */
static const char *const implicit[] = {"qwen3", "deepseek_r1", "deepseek_v4", "step3p5", "poolside_v1"};

enum { N_IMPLICIT = sizeof implicit / sizeof implicit[0] };

START_TEST(a_block_is_reasoning_and_what_follows_content)
{
    for (size_t i = 0; i < N_IMPLICIT; i++)
        reads(implicit[i], "<think>Let me see.\n</think>\n\n42", "R{Let me see.\n} C{42}");
    reads("glm4", "<think>Let me see.</think>42", "R{Let me see.} C{42}");
    reads("mistral", "[THINK]Let me see.[/THINK]42", "R{Let me see.} C{42}");
    reads("gemma4", "<|channel>thought\nLet me see.<channel|>42", "R{\nLet me see.} C{42}");
    reads("gemma4", "<|channel>thought\nLet me see.<|channel>response\n42", "R{\nLet me see.} C{42}");
}
END_TEST

START_TEST(before_any_tag_everything_is_reasoning_where_thinking_is_implicit)
{
    for (size_t i = 0; i < N_IMPLICIT; i++) {
        reads(implicit[i], "see</think>42", "R{see} C{42}");
        reads(implicit[i], "see", "R{see}");
        reads(implicit[i], "so<think>see</think>42", "R{sosee} C{42}");
    }
    reads("mistral", "see[/THINK]42", "R{see} C{42}");
}
END_TEST

START_TEST(before_any_tag_everything_is_content_for_glm4_and_gemma4)
{
    reads("glm4", " 42", "C{ 42}");
    reads("glm4", "so<think>see</think>42", "C{so} R{see} C{42}");
    reads("glm4", "so</think>42", "C{so42}");
    reads("gemma4", " 42", "C{ 42}");
    reads("gemma4", "so<|channel>thought see<channel|>42", "C{so} R{ see} C{42}");
    reads("gemma4", "so<channel|>42", "C{so42}");
}
END_TEST

START_TEST(a_block_without_end_is_reasoning)
{
    for (size_t i = 0; i < N_IMPLICIT; i++) reads(implicit[i], "<think>see", "R{see}");
    reads("glm4", "<think>see", "R{see}");
    reads("mistral", "[THINK]see", "R{see}");
    reads("gemma4", "<|channel>thought\nsee", "R{\nsee}");
}
END_TEST

START_TEST(a_marker_that_does_not_come_is_text)
{
    reads("qwen3", "<think>a</thin", "R{a</thin}");
    reads("qwen3", "<<think>a<</think>b", "R{<a<} C{b}");
    reads("qwen3", "<THINK>a</think >", "R{<THINK>a</think >}");
    reads("qwen3", "</think><thin", "C{<thin}");
    reads("mistral", "[THINK]a[/THIN[/THINK]b", "R{a[/THIN} C{b}");
    reads("gemma4", "a<|channel", "C{a<|channel}");
    reads("gemma4", "<|channel>thought\na<channel", "R{\na<channel}");
    reads("gemma4", "<|channel>thou", "R{thou}");
    reads("gpt_oss", "<|channel|>final<|message|>a<|retur", "C{a<|retur}");
}
END_TEST

START_TEST(blocks_before_the_answer_are_all_reasoning)
{
    reads("qwen3", "<think>a</think> \n<think>b</think></think>\xe3\x80\x80 c ", "R{ab} C{c }");
    reads("glm4", "</think>\xc2\xa0<think>b</think>c", "R{b} C{c}");
}
END_TEST

START_TEST(once_an_answer_has_begun_tags_are_content)
{
    reads("qwen3", "</think>a <think>b</think>c</think>d", "C{a <think>b</think>c</think>d}");
    reads("qwen3", "<think>a<think>b</think>c", "R{a<think>b} C{c}");
}
END_TEST

START_TEST(a_tool_call_in_a_block_is_content)
{
    reads("qwen3", "<think>a<tool_call>{}</tool_call>b</think>c",
          "R{a} C{<tool_call>{}</tool_call>} R{b} C{c}");
    reads("deepseek_r1", "<think>a<tool_call>{}", "R{a} C{<tool_call>{}}");
    reads("qwen3", "<think><tool_call>{</think> c</tool_call>", "C{<tool_call>{c</tool_call>}");
}
END_TEST

START_TEST(a_tool_call_in_an_implicit_or_a_later_block_is_reasoning)
{
    reads("qwen3", "a<tool_call>b</tool_call></think>c", "R{a<tool_call>b</tool_call>} C{c}");
    reads("qwen3", "</think><think><tool_call>b</think>c", "R{<tool_call>b} C{c}");
}
END_TEST

START_TEST(tool_calls_of_deepseek_v4_end_the_block)
{
    reads("deepseek_v4", "a" DSML "b</think>" DSML "<think>", "R{a} C{" DSML "b</think>" DSML "<think>}");
    reads("deepseek_v4", "<think>a" DSML "b", "R{a} C{" DSML "b}");
    reads("deepseek_v4", "<think><tool_call>a" DSML "</think>", "R{<tool_call>a} C{" DSML "</think>}");
    reads("deepseek_v4", "</think><think>a" DSML "</think>b", "R{a" DSML "} C{b}");
    reads("deepseek_v4", "</think>" DSML "</think>", "C{" DSML "</think>}");
    reads("deepseek_v4", "a<｜DSML｜tool_call", "R{a<｜DSML｜tool_call}");
    reads("qwen3", "a" DSML "b", "R{a" DSML "b}");
}
END_TEST

START_TEST(a_call_of_deepseek_v4_that_nothing_ends_is_reasoning_but_for_objects_and_tags)
{
    static const char filler[] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123"; /* 63 bytes with the marker */
    static const char *const texts[][2] = {{"", "x"}, {"x", "y"}, {"xy", "z"}};
    reads("deepseek_v4", "<think>a<tool_call>", "R{a<tool_call>}");
    reads("deepseek_v4", "<think>a<tool_call> b{", "R{a<tool_call> b{}");
    reads("deepseek_v4", "<think>a<tool_call>\n {", "R{a} C{<tool_call>\n {}");
    reads("deepseek_v4", "<think>a<tool_call>\u00a0<f", "R{a} C{<tool_call>\u00a0<f}");
    reads("deepseek_v4", "<think>a<tool_call>b</tool_call>c", "R{a} C{<tool_call>b</tool_call>} R{c}");
    reads("deepseek_v4", "<think>a<tool_call>b</think>c", "R{a} C{<tool_call>bc}");
    reads("deepseek_v4", "<think>a<tool_call>b<tool_call>c</tool_call>d<tool_call>",
          "R{a} C{<tool_call>b<tool_call>c</tool_call>} R{d<tool_call>}");
    reads_with("deepseek_v4", (serve_reasoning_options){.thinking_off = true}, "<think>a<tool_call>b", "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[200], script[200];
        (void)snprintf(text, sizeof text, "<think><tool_call>%s%s%s", filler, texts[i][0], texts[i][1]);
        (void)snprintf(script, sizeof script, "%c{<tool_call>%s%s%s}", i == 0 ? 'R' : 'C', filler,
                       texts[i][0], texts[i][1]);
        reads("deepseek_v4", text, script);
    }
    reads("qwen3", "<think>a<tool_call>b", "R{a} C{<tool_call>b}");
}
END_TEST

START_TEST(a_marker_that_is_begun_right_before_the_first_block_is_dropped)
{
    static const char *const parsers[] = {"deepseek_r1", "deepseek_v4", "step3p5"};
    for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++) {
        reads(parsers[i], "<<think>a</think>b", "R{a} C{b}");
        reads(parsers[i], " </th<think>a", "R{ a}");
        reads(parsers[i], "<tool_c<think>a", "R{a}");
        reads(parsers[i], "<<<think>a", "R{<<a}");
        reads(parsers[i], "a<<think>b", "R{a<b}");
        reads(parsers[i], "<</think>b", "R{<} C{b}");
        reads(parsers[i], " <t<thin", "R{ <t<thin}");
    }
    reads("mistral", "[/[THINK]a", "R{[/a}");
    reads("deepseek_v4", "<｜DSML<think>a", "R{<｜DSMLa}");
    reads("gemma4", "\n<|chan<channel|><|channel>response", "C{\n}");
    reads("gemma4", "<channel|><chan<channel|>a", "C{a}");
    reads("gemma4", "<chan<channel|>a<chan<channel|>b", "C{a<chanb}");
    reads("gemma4", "<|channel>thought<channel|>a", "C{a}");
    reads("gemma4", "<chan<chan<channel|>", "C{<chan<chan}");
}
END_TEST

START_TEST(a_tag_that_calls_of_deepseek_v4_end_at_once_is_reasoning_but_at_the_beginning)
{
    reads("deepseek_v4", "<think>" DSML "a", "C{" DSML "a}");
    reads("deepseek_v4", "\n<think>" DSML "a", "R{\n<think>} C{" DSML "a}");
    reads("deepseek_v4", "a<think>" DSML, "R{a<think>} C{" DSML "}");
    reads("deepseek_v4", "a<think>b" DSML, "R{ab} C{" DSML "}");
    reads("deepseek_v4", "a<think><｜DSML", "R{a<｜DSML}");
    reads("qwen3", "a<think>" DSML, "R{a" DSML "}");
}
END_TEST

START_TEST(boxes_of_glm4_are_dropped_everywhere)
{
    reads("glm4", "a<|begin_of_box|>b<|end_of_box|>c", "C{abc}");
    reads("glm4", "<think>a<|begin_of_box|>b<|end_of_box|>c", "R{abc}");
    reads("glm4", "</think><|end_of_box|> a", "C{a}");
    reads("glm4", "</think><|begin_of_box|> <|end_of_box|>a<|begin_of_box|>b<|end_of_box|>", "C{ab}");
    reads("glm4", "<think><tool_call><|begin_of_box|>b<|end_of_box|>", "C{<tool_call>b}");
    reads("glm4", "</think><think>a<|begin_of_box|>b<|end_of_box|>c", "R{abc}");
    reads("qwen3", "</think><|begin_of_box|>", "C{<|begin_of_box|>}");
}
END_TEST

START_TEST(channels_of_gemma4_take_turns)
{
    reads("gemma4", "<|channel>thought\na<channel|>b<|channel>thought\nc<channel|>d",
          "R{\na} C{b} R{\nc} C{d}");
    reads("gemma4", "<|channel>thought\na<|channel>thought\nb", "R{\na\nb}");
    reads("gemma4", "<|channel>a<|channel>b<channel|><channel|>c", "R{ab} C{c}");
    reads("gemma4", "<|channel>response\na<|channel>response\nb", "C{ab}");
    reads("gemma4", "<channel|><|channel>response\na", "C{a}");
    reads("gemma4", "<channel|> <|channel>a", "R{a}");
    reads("gemma4", "<channel|><|channel>thought a", "R{ a}");
    reads("gemma4", "<|channel>", "");
}
END_TEST

START_TEST(a_line_with_only_a_channel_name_is_no_answer)
{
    reads("gemma4", "<|channel>thought\na<channel|>\nresponse\nb", "R{\na} C{b}");
    reads("gemma4", "<channel|>thought\nb\nthought\nc", "C{b\nthought\nc}");
    reads("gemma4", "<channel|>response time", "C{response time}");
    reads("gemma4", "<channel|>thoughtful", "C{thoughtful}");
    reads("gemma4", "response\na", "C{response\na}");
}
END_TEST

START_TEST(invalid_bytes_pass_through)
{
    static const char *const bad[] = {"\xff", "\x80\xe2\x82", "\xf0\x9f<", "\xc3\xc3\xa9",
                                      "\xed\xa0\x80\xe2"};
    char text[64], script[64];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        serve_reasoning s;
        pieces p = {0};
        const assay_sink sink = pieces_sink(&p);
        (void)snprintf(text, sizeof text, "</think>%s<think>%s", bad[i], bad[i]);
        (void)snprintf(script, sizeof script, "C{%s<think>%s}", bad[i], bad[i]);
        serve_reasoning_start(&s, reads_rules("qwen3"), &(serve_reasoning_options){0});
        for (size_t k = 0; text[k]; k++) serve_reasoning_feed(&s, text + k, 1, &sink);
        serve_reasoning_end(&s, &sink);
        ck_assert_str_eq(pieces_script(&p), script);
        pieces_free(&p);
        for (size_t k = 0; k <= strlen(text); k++)
            reads_cut("qwen3", (serve_reasoning_options){0}, text, k, k, script);
    }
}
END_TEST

START_TEST(text_that_cannot_begin_a_marker_is_emitted_immediately)
{
    serve_reasoning s;
    pieces p = {0};
    const assay_sink sink = pieces_sink(&p);
    serve_reasoning_start(&s, reads_rules("qwen3"), &(serve_reasoning_options){0});
    serve_reasoning_feed(&s, "a<", 2, &sink);
    ck_assert_uint_eq(p.n_bytes, 1);
    serve_reasoning_feed(&s, "b</thi", 6, &sink);
    ck_assert_uint_eq(p.n_bytes, 3);
    serve_reasoning_feed(&s, "<\xc3", 2, &sink);
    ck_assert_uint_eq(p.n_bytes, 9);
    serve_reasoning_feed(&s, "\xa9</think>", 9, &sink);
    ck_assert_uint_eq(p.n_bytes, 11);
    serve_reasoning_feed(&s, "<<", 2, &sink);
    ck_assert_uint_eq(p.n_bytes, 13);
    serve_reasoning_end(&s, &sink);
    ck_assert_str_eq(pieces_script(&p), "R{a<b</thi<\xc3\xa9} C{<<}");
    pieces_free(&p);
}
END_TEST

START_TEST(a_long_block_in_single_bytes_needs_no_more_memory)
{
    enum { N = 1 << 20 };
    serve_reasoning s;
    size_t most_held = 0;
    pieces p = {0};
    const assay_sink sink = pieces_sink(&p);
    serve_reasoning_start(&s, reads_rules("deepseek_v4"), &(serve_reasoning_options){0});
    for (size_t i = 0; i < N; i++) {
        serve_reasoning_feed(&s, &"</think<"[i % 8], 1, &sink);
        if (s.n_held > most_held) most_held = s.n_held;
    }
    serve_reasoning_end(&s, &sink);
    ck_assert_uint_lt(most_held, SERVE_MARK_BYTES);
    ck_assert_uint_eq(p.n_bytes, N);
    pieces_free(&p);
}
END_TEST

START_TEST(an_unknown_name_is_refused_with_the_known_ones)
{
    const serve_reasoning_rules *rules = NULL;
    assay_error err;
    ck_assert_int_eq(serve_reasoning_find("qwen", &rules, &err), ASSAY_EUNSUPPORTED);
    ck_assert_ptr_null(rules);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "\"qwen\"",
                         "qwen3, deepseek_r1, deepseek_v4, glm4, gemma4",
                         "mistral, step3p5, poolside_v1, gpt_oss, harmony", NULL);
    for (size_t i = 0; i < 10; i++)
        ck_assert_ptr_eq(reads_rules(serve_reasoning_at(i)->name), serve_reasoning_at(i));
    ck_assert_ptr_null(serve_reasoning_at(10));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/reasoning/reasoning");
    TCase *c = tcase_create("reasoning");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_block_is_reasoning_and_what_follows_content);
    tcase_add_test(c, before_any_tag_everything_is_reasoning_where_thinking_is_implicit);
    tcase_add_test(c, before_any_tag_everything_is_content_for_glm4_and_gemma4);
    tcase_add_test(c, a_block_without_end_is_reasoning);
    tcase_add_test(c, a_marker_that_does_not_come_is_text);
    tcase_add_test(c, blocks_before_the_answer_are_all_reasoning);
    tcase_add_test(c, once_an_answer_has_begun_tags_are_content);
    tcase_add_test(c, a_tool_call_in_a_block_is_content);
    tcase_add_test(c, a_tool_call_in_an_implicit_or_a_later_block_is_reasoning);
    tcase_add_test(c, tool_calls_of_deepseek_v4_end_the_block);
    tcase_add_test(c, a_call_of_deepseek_v4_that_nothing_ends_is_reasoning_but_for_objects_and_tags);
    tcase_add_test(c, a_marker_that_is_begun_right_before_the_first_block_is_dropped);
    tcase_add_test(c, a_tag_that_calls_of_deepseek_v4_end_at_once_is_reasoning_but_at_the_beginning);
    tcase_add_test(c, boxes_of_glm4_are_dropped_everywhere);
    tcase_add_test(c, channels_of_gemma4_take_turns);
    tcase_add_test(c, a_line_with_only_a_channel_name_is_no_answer);
    tcase_add_test(c, invalid_bytes_pass_through);
    tcase_add_test(c, text_that_cannot_begin_a_marker_is_emitted_immediately);
    tcase_add_test(c, a_long_block_in_single_bytes_needs_no_more_memory);
    tcase_add_test(c, an_unknown_name_is_refused_with_the_known_ones);
    suite_add_tcase(s, c);
    return support_run(s);
}
