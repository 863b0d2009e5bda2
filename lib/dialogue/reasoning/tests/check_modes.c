/* Harmony parsers on small texts, for all cuts; and all parsers with thinking off.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/reasoning/tests/reads.h"

#define DSML "<｜DSML｜tool_calls>"

/* Parsers whose reply begins within the block. */
static const char *const implicit[] = {"qwen3", "deepseek_r1", "deepseek_v4", "step3p5", "poolside_v1"};

enum { N_IMPLICIT = sizeof implicit / sizeof implicit[0] };

START_TEST(harmony_channels_are_reasoning_and_content)
{
    static const char *const parsers[] = {"gpt_oss", "harmony"};
    for (size_t i = 0; i < 2; i++) {
        reads(
            parsers[i],
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>c",
            "R{a} C{b}");
        reads(parsers[i], "<|channel|>analysis<|message|>a<|channel|>final<|message|>b", "R{a} C{b}");
        reads(parsers[i], "<|channel|>final json <|constrain|>JSON<|message|>a<|call|>b", "C{a}");
        reads(parsers[i], "<|channel|>analysis x<|constrain|>y<|message|>a<|start|>c", "R{a}");
        reads(parsers[i], "<|channel|>analysis<|message|>a<|constrain|>b<|message|>c", "R{a}");
        reads(parsers[i], "<|channel|>final<|message|>a<|constrain|>c<|message|>d", "C{a}");
        reads(parsers[i], "<|channel|>final<|message|>a<|channel|>odd<|message|>b<|return|>", "C{a}");
        reads(parsers[i], "<|start|>assistant<|channel|>analysis<|message|>a", "R{a}");
    }
}
END_TEST

START_TEST(a_second_message_marker_is_text_only_for_gpt_oss)
{
    reads("gpt_oss", "<|channel|>analysis<|message|>a<|message|>b<|start|>c", "R{a<|message|>b}");
    reads("gpt_oss", "<|channel|>final<|message|><|message|>b<|constrain|>c", "C{<|message|>b}");
    reads("harmony", "<|channel|>analysis<|message|>a<|message|>b<|start|>c", "R{ab}");
    reads("harmony", "<|channel|>final<|message|><|message|>b<|constrain|>c", "C{b}");
}
END_TEST

START_TEST(a_broken_header_drops_its_message)
{
    reads("gpt_oss", "<|channel|>final <<|message|>a", "");
    reads("gpt_oss", "<|channel|>final<|end|><|message|>a", "");
    reads("gpt_oss", "<|channel|>final<|constrain|>x<|constrain|>y<|message|>a", "");
    reads("gpt_oss", "<|channel|>analysis<|constrain|><|constrain|><|message|>a", "");
    reads("gpt_oss", "<|channel|>analysis<|constrain|>< <|message|>a", "");
    reads("gpt_oss", "<|channel|>analysis <|chan<|channel|>final<|message|>a", "C{a}");
    reads("gpt_oss", "<|channel|>analysis<|channel|>final<|message|>a", "C{a}");
    reads("gpt_oss", "<|channel|>final x<|channel|>odd<|message|>a", "");
}
END_TEST

START_TEST(harmony_drops_text_outside_of_messages)
{
    reads("harmony", "hello", "");
    reads("harmony", "<|start|>assistant<|message|>a<|end|>", "");
    reads("harmony", "<|channel|>odd<|message|>a<|end|>", "");
}
END_TEST

START_TEST(gpt_oss_reads_a_text_without_channels_as_content)
{
    reads("gpt_oss", "hello <|world", "C{hello <|world}");
    reads("gpt_oss", "hello<|channel|>analysis<|message|>a", "R{a}");
    reads("gpt_oss", "hello<|channel|>odd<|message|>a", "");
    reads("gpt_oss", "he<|start|>l<|end|>l<|call|>o<|return|>", "C{hello}");
}
END_TEST

/* The text after them is content, as in the whole answer of the published server; its streams drop it. */
START_TEST(gpt_oss_waits_for_a_channel_for_64_bytes)
{
    char text[160], script[160];
    memset(text, 'a', 64);
    strcpy(text + 64, "<|channel|>final<|message|>b");
    reads("gpt_oss", text, "C{b}");
    memset(text, 'a', 65);
    strcpy(text + 65, "<|end|>c<|channel|>odd<|message|>b");
    memset(script, 'a', 67);
    memcpy(script, "C{", 2);
    strcpy(script + 67, "c}");
    reads("gpt_oss", text, script);
}
END_TEST

START_TEST(messages_to_tools_are_left_where_a_parser_reads_them)
{
    const char *const text =
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary "
        "to=functions.f <|constrain|>json<|message|>{}<|call|>b<|channel|>final<|message|>c";
    reads("harmony", text, "R{a} C{c}");
    reads_with("harmony", (serve_reasoning_options){.tools = true}, text,
               "R{a} C{<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>c}");
    reads_with("gpt_oss", (serve_reasoning_options){.tools = true},
               "<|channel|>commentary<|message|>a<|end|><|channel|>commentary<|message|>b<|start|>c",
               "C{<|channel|>commentary<|message|>a<|end|><|channel|>commentary<|message|>b<|start|>}");
    reads_with(
        "gpt_oss", (serve_reasoning_options){.tools = true},
        "<|channel|>commentary<|message|>a<|return|>b<|channel|>commentary x<|channel|>final<|message|>c",
        "C{<|channel|>commentary<|message|>a<|return|><|channel|>commentary xc}");
}
END_TEST

START_TEST(with_thinking_off_a_reply_without_markers_is_content)
{
    for (size_t i = 0; i < N_IMPLICIT; i++) reads_off(implicit[i], " a <b ", "C{ a <b }");
    reads_off("glm4", " a <|begin_of_box|>", "C{ a <|begin_of_box|>}");
    reads_off("qwen3", "a<tool_call>b</tool_call>", "C{a<tool_call>b</tool_call>}");
    reads_off("deepseek_v4", "a" DSML "b</think>c", "C{a" DSML "b</think>c}");
    reads_off("gemma4", "a<channel|>b", "C{a<channel|>b}");
}
END_TEST

START_TEST(with_thinking_off_a_block_is_dropped)
{
    for (size_t i = 0; i < N_IMPLICIT; i++) {
        reads_off(implicit[i], "<think>a</think>\n\nb", "C{b}");
        reads_off(implicit[i], "a</think> b", "C{ab}");
        reads_off(implicit[i], "a<think>b", "C{a}");
    }
    reads_off("qwen3", "<think>a</think><think>b</think>c", "C{c}");
    reads_off("qwen3", "<think>a<tool_call>b</tool_call>c</think>d", "C{<tool_call>b</tool_call>d}");
    reads_off("mistral", "a[THINK]b[/THINK]c", "C{ac}");
    reads_off("glm4", "<think>a</think><|begin_of_box|>b<|end_of_box|>", "C{b}");
    reads_off("gemma4", "a<|channel>thought\nb<channel|>c<channel|>d", "C{acd}");
    reads_off("gemma4", "a<|channel>b<channel|>c", "C{ac}");
    reads_off("gemma4", "a<|channel>response\nb<channel|>c", "C{abc}");
}
END_TEST

START_TEST(with_thinking_off_a_tag_that_is_only_begun_is_no_answer)
{
    for (size_t i = 0; i < N_IMPLICIT; i++) {
        reads_off(implicit[i], "<</think>\n<", "C{<}");
        reads_off(implicit[i], "<think>a</think></thin", "");
        reads_off(implicit[i], "<think>a</think>b</thin", "C{b</thin}");
        reads(implicit[i], "<think>a</think><", "R{a} C{<}");
    }
    reads_off("mistral", "[/THINK][", "");
    reads_off("glm4", "</think><th", "");
    reads_off("glm4", "</think><|begin", "C{<|begin}");
    reads_off("gemma4", "<|channel>a<channel|>thou", "C{thou}");
    reads_off("gemma4", "<|channel>response<|chan<channel|>a", "C{a}");
}
END_TEST

START_TEST(thinking_off_reads_the_degenerate_blocks_of_gemma4_as_published_streams_do)
{
    reads_off("gemma4", "a<|channel><channel|>b", "C{a}");
    reads_off("gemma4", "a<|channel><channel|>b<channel|>c", "C{ac}");
    reads_off("gemma4", "<|channel>thought<channel|>b<|channel><channel|>c", "C{b}");
    reads_off("gemma4", "a<|channel>response<|channel>response b", "C{a}");
    reads_off("gemma4", "a<|channel>thought<|channel>response\nb<|channel>response c<channel|>response\nd",
              "C{abd}");
    reads("gemma4", "<|channel><channel|>b", "C{b}");
    reads("gemma4", "a<|channel>response<|channel>response b", "C{ab}");
}
END_TEST

START_TEST(without_explicit_markers_thinking_off_changes_nothing)
{
    reads_off("gpt_oss", "a<|channel|>analysis<|message|>b<|end|>",
              "C{a<|channel|>analysis<|message|>b<|end|>}");
    reads_off("harmony", "<|channel|>final<|message|>b", "C{<|channel|>final<|message|>b}");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/reasoning/modes");
    TCase *c = tcase_create("modes");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, harmony_channels_are_reasoning_and_content);
    tcase_add_test(c, a_second_message_marker_is_text_only_for_gpt_oss);
    tcase_add_test(c, a_broken_header_drops_its_message);
    tcase_add_test(c, harmony_drops_text_outside_of_messages);
    tcase_add_test(c, gpt_oss_reads_a_text_without_channels_as_content);
    tcase_add_test(c, gpt_oss_waits_for_a_channel_for_64_bytes);
    tcase_add_test(c, messages_to_tools_are_left_where_a_parser_reads_them);
    tcase_add_test(c, with_thinking_off_a_reply_without_markers_is_content);
    tcase_add_test(c, with_thinking_off_a_block_is_dropped);
    tcase_add_test(c, with_thinking_off_a_tag_that_is_only_begun_is_no_answer);
    tcase_add_test(c, thinking_off_reads_the_degenerate_blocks_of_gemma4_as_published_streams_do);
    tcase_add_test(c, without_explicit_markers_thinking_off_changes_nothing);
    suite_add_tcase(s, c);
    return support_run(s);
}
