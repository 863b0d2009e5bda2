/* The markers that content must not have, parser by parser.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/markers.h"

#include <string.h>

#include "base/tests/support.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/reasoning/reasoning.h"

typedef assay_status find_fn(const char *name, serve_markers *out, assay_error *err);

/* expected: all markers in order, each followed by a space. */
static void expect(find_fn *find, const char *name, const char *expected)
{
    serve_markers found;
    char all[512] = "";
    ck_assert_int_eq(find(name, &found, NULL), ASSAY_OK);
    for (size_t i = 0; i < found.n; i++) {
        ck_assert_uint_le(strlen(found.at[i]), SERVE_MARKER_MAX);
        ck_assert_uint_lt(strlen(all) + strlen(found.at[i]) + 2, sizeof all);
        strcat(strcat(all, found.at[i]), " ");
    }
    ck_assert_str_eq(all, expected);
}

START_TEST(a_reasoning_parser_lists_the_markers_that_it_removes)
{
    static const char *const thinkers[] = {"qwen3", "deepseek_r1", "deepseek_v4", "step3p5", "poolside_v1"};
    for (size_t i = 0; i < sizeof thinkers / sizeof *thinkers; i++)
        expect(serve_markers_of_reasoning, thinkers[i], "<think> </think> ");
    expect(serve_markers_of_reasoning, "mistral", "[THINK] [/THINK] ");
    expect(serve_markers_of_reasoning, "glm4", "<think> </think> <|begin_of_box|> <|end_of_box|> ");
    expect(serve_markers_of_reasoning, "gemma4",
           "<channel|> <|channel>thought <|channel>response <|channel> <|channel><channel|> ");
    for (size_t i = 0; i < 2; i++)
        expect(serve_markers_of_reasoning, i ? "harmony" : "gpt_oss",
               "<|channel|>analysis <|channel|>final <|channel|> <|message|> <|start|> <|end|> <|return|> "
               "<|call|> <|constrain|> ");
}
END_TEST

START_TEST(a_tool_parser_lists_the_markers_around_and_within_calls)
{
    expect(serve_markers_of_tools, "gemma4", "<|tool_call> <tool_call|> ");
    expect(serve_markers_of_tools, "glm47",
           "<tool_call> </tool_call> <arg_key> </arg_key> <arg_value> </arg_value> ");
    expect(serve_markers_of_tools, "harmony",
           "<|channel|> <|start|> <|call|> <|end|> <|return|> <|message|> <|constrain|> ");
    expect(serve_markers_of_tools, "hermes",
           "<tool_call> <function= </function> </tool_call> <parameter= </parameter> ");
    expect(serve_markers_of_tools, "nous",
           "<tool_call> <function= </function> </tool_call> <parameter= </parameter> ");
    expect(serve_markers_of_tools, "llama", "<|python_tag|> <function= </function> ");
    expect(serve_markers_of_tools, "mistral", "[TOOL_CALLS] [ARGS] ");
    expect(serve_markers_of_tools, "qwen",
           "<tool_call> </tool_call> <function= </function> [Calling tool: <parameter= </parameter> ");
    expect(serve_markers_of_tools, "qwen3_xml",
           "<tool_call> <function= <parameter= </tool_call> </function> </parameter> ");
    expect(serve_markers_of_tools, "step3p5",
           "<tool_call> </tool_call> <function= </function> [Calling tool: <parameter= </parameter> ");
    expect(serve_markers_of_tools, "nemotron",
           "<tool_call> </tool_call> <function= </function> <parameter= </parameter> ");
    expect(serve_markers_of_tools, "poolside_v1",
           "<tool_call> </tool_call> <arg_key> </arg_key> <arg_value> </arg_value> ");
    expect(serve_markers_of_tools, "granite", "<|tool_call|> <tool_call> ");
    expect(serve_markers_of_tools, "xlam", "[TOOL_CALLS] ");
    expect(serve_markers_of_tools, "functionary",
           "<|recipient|> <function= <|from|> <|content|> </function> ");
    expect(serve_markers_of_tools, "kimi",
           "<|tool_call_begin|> <|tool_calls_section_begin|> <|tool_call_section_begin|> <|tool_call_end|> "
           "<|tool_call_argument_begin|> <|tool_calls_section_end|> <|tool_call_section_end|> ");
    expect(serve_markers_of_tools, "deepseek",
           "<｜tool▁calls▁begin｜> <｜tool▁call▁begin｜> <｜tool▁calls▁end｜> <｜tool▁call▁end｜> "
           "<｜tool▁sep｜> ");
    expect(serve_markers_of_tools, "minimax",
           "<minimax:tool_call> </minimax:tool_call> <invoke name=\" </invoke> <parameter name=\" "
           "</parameter> ");
    expect(serve_markers_of_tools, "deepseek_v4",
           "<｜DSML｜tool_calls> </｜DSML｜tool_calls> <｜DSML｜invoke </｜DSML｜invoke> <｜DSML｜parameter "
           "</｜DSML｜parameter> ");
    expect(serve_markers_of_tools, "auto",
           "<tool_call> <|tool_call> <｜DSML｜tool_calls> <function= [TOOL_CALLS] </tool_call> </function> "
           "<tool_call|> </｜DSML｜tool_calls> ");
}
END_TEST

START_TEST(every_reasoning_parser_has_some)
{
    serve_markers found;
    for (size_t i = 0; serve_reasoning_at(i); i++) {
        ck_assert_int_eq(serve_markers_of_reasoning(serve_reasoning_at(i)->name, &found, NULL), ASSAY_OK);
        ck_assert_uint_ge(found.n, 2);
    }
}
END_TEST

START_TEST(a_parser_that_there_is_not_is_refused_by_name)
{
    serve_markers found;
    assay_error err;
    ck_assert_int_eq(serve_markers_of_reasoning("abacus", &found, &err), ASSAY_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "abacus"));
    ck_assert_int_eq(serve_markers_of_tools("abacus", &found, &err), ASSAY_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "expected one of gemma4, "));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/markers");
    TCase *c = tcase_create("markers");
    tcase_add_test(c, a_reasoning_parser_lists_the_markers_that_it_removes);
    tcase_add_test(c, a_tool_parser_lists_the_markers_around_and_within_calls);
    tcase_add_test(c, every_reasoning_parser_has_some);
    tcase_add_test(c, a_parser_that_there_is_not_is_refused_by_name);
    suite_add_tcase(s, c);
    return support_run(s);
}
