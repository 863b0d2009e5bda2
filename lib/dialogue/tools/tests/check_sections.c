/* Tool parsers on sections and elements, for all cuts: kimi, deepseek, minimax, deepseek_v4.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/tests/pieces.h"
#include "dialogue/tools/tests/tool_reads.h"

#define KIMI(name, arguments)                                                                                \
    "<|tool_call_begin|>" name "<|tool_call_argument_begin|>" arguments "<|tool_call_end|>"

START_TEST(kimi_reads_calls_in_a_section_or_not)
{
    tool_reads("kimi",
               "a<|tool_calls_section_begin|>" KIMI(" functions.f:0 ", " {\"a\": 1} ")
                   KIMI("g", "") "<|tool_calls_section_end|>b",
               "C{a} CALL{f} ARGUMENTS{{\"a\": 1}} CALL{g}");
    tool_reads("kimi", "a" KIMI("f:0", "so <"), "C{a} CALL{f} ARGUMENTS{so <}");
    tool_reads("kimi", "a<|tool_call_section_begin|>b" KIMI("f", "{}"), "C{a} CALL{f} ARGUMENTS{{}}");
    tool_reads("kimi", "a<|tool_calls_section_begin|>b", "C{a<|tool_calls_section_begin|>b}");
}
END_TEST

START_TEST(kimi_reads_the_name_between_colons_and_after_full_stops)
{
    tool_reads("kimi", KIMI("b.f:a:12", "{}"), "CALL{f} ARGUMENTS{{}}");
    tool_reads("kimi", KIMI("f:x", "{}"), "CALL{f} ARGUMENTS{{}}");
    tool_reads("kimi", KIMI("f :0", "{}"), "CALL{f} ARGUMENTS{{}}");
    tool_reads("kimi", KIMI("f:1:2", "{}"), "CALL{f} ARGUMENTS{{}}");
    tool_reads("kimi", KIMI("f1", "{}"), "CALL{f1} ARGUMENTS{{}}");
    tool_reads("kimi", KIMI(":0", "{}"), "C{" KIMI(":0", "{}") "}");
    tool_reads("kimi", KIMI("f.", "{}"), "C{" KIMI("f.", "{}") "}");
}
END_TEST

START_TEST(invalid_calls_of_kimi_are_content_without_a_valid_one)
{
    tool_reads("kimi", KIMI("", "{}"), "C{" KIMI("", "{}") "}");
    tool_reads("kimi", "<|tool_call_begin|>f<b>" KIMI("g", "{}"), "CALL{g} ARGUMENTS{{}}");
    tool_reads("kimi", "<|tool_call_begin|>f<|tool_call_argument_begin|>{}",
               "C{<|tool_call_begin|>f<|tool_call_argument_begin|>{}}");
    tool_reads("kimi", "<|tool_call_begin|>f", "C{<|tool_call_begin|>f}");
}
END_TEST

#define SECTION                         "<｜tool▁calls▁begin｜>"
#define CALL                            "<｜tool▁call▁begin｜>"
#define TYPE                            "function<｜tool▁sep｜>"
#define DEEPSEEK(type, name, arguments) CALL type name "\n```json\n" arguments "\n```<｜tool▁call▁end｜>"

START_TEST(deepseek_reads_calls_of_a_section_with_their_types)
{
    tool_reads("deepseek", "a" SECTION DEEPSEEK(TYPE, " f ", " {\"a\": 1} ") DEEPSEEK(TYPE, "g", "so") "b",
               "C{a} CALL{f} ARGUMENTS{{\"a\": 1}} CALL{g} ARGUMENTS{so}");
    tool_reads("deepseek", SECTION DEEPSEEK(TYPE, "f", "{}") DEEPSEEK("", "x", "{}") DEEPSEEK(TYPE, "g", ""),
               "CALL{f} ARGUMENTS{{}} CALL{g}");
}
END_TEST

/* A text of deepseek: begin, more bytes "x" than a block can hold, end. The expected script has the same
 * bytes between its parts. */
static void overlong_reads(const char *begin, const char *end, const char *before, const char *behind)
{
    const size_t n_begin = strlen(begin), n_x = SERVE_TOOLS_BLOCK_MAX + 5000, n_before = strlen(before);
    const size_t n = n_begin + n_x + strlen(end);
    char *text = malloc(n + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, begin, n_begin);
    memset(text + n_begin, 'x', n_x);
    memcpy(text + n_begin + n_x, end, strlen(end) + 1);
    for (size_t step = n; step > 0; step = step == n ? 1000 : 0) {
        serve_tools *t;
        pieces p = {0};
        const assay_sink sink = pieces_sink(&p);
        ck_assert_int_eq(serve_tools_open("deepseek", (assay_text){0}, &t, NULL), ASSAY_OK);
        for (size_t at = 0; at < n; at += step)
            ck_assert_int_eq(serve_tools_feed(t, text + at, n - at < step ? n - at : step, &sink, NULL),
                             ASSAY_OK);
        ck_assert_int_eq(serve_tools_end(t, &sink, NULL), ASSAY_OK);
        const char *script = pieces_script(&p);
        ck_assert_uint_eq(strlen(script), n_before + n_x + strlen(behind));
        ck_assert(strncmp(script, before, n_before) == 0);
        ck_assert_uint_eq(strspn(script + n_before, "x"), n_x);
        ck_assert_str_eq(script + n_before + n_x, behind);
        serve_tools_free(t);
        pieces_free(&p);
    }
    free(text);
}

START_TEST(withheld_content_beyond_the_limit_is_emitted)
{
    overlong_reads(SECTION, "a" DEEPSEEK(TYPE, "f", "{}") "b", "C{" SECTION, "a} CALL{f} ARGUMENTS{{}}");
    overlong_reads(SECTION, "a", "C{" SECTION, "a}");
}
END_TEST

START_TEST(calls_before_a_section_are_none_after_what_is_too_long_to_copy)
{
    overlong_reads(DEEPSEEK(TYPE, "f", "{}"), DEEPSEEK(TYPE, "g", "{}") SECTION DEEPSEEK(TYPE, "h", "{}"),
                   "C{" DEEPSEEK(TYPE, "f", "{}"),
                   DEEPSEEK(TYPE, "g", "{}") "} CALL{g} ARGUMENTS{{}} CALL{h} ARGUMENTS{{}}");
}
END_TEST

START_TEST(deepseek_reads_calls_without_types_before_any_with_one)
{
    tool_reads("deepseek", SECTION DEEPSEEK("", "f", "{}") DEEPSEEK("", "g", "{}"),
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("deepseek", SECTION DEEPSEEK("", "f", "{}") DEEPSEEK(TYPE, "g", "{}"),
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
}
END_TEST

START_TEST(a_call_of_deepseek_is_content_before_its_section_and_unfinished)
{
    tool_reads("deepseek", DEEPSEEK(TYPE, "f", "{}"), "C{" DEEPSEEK(TYPE, "f", "{}") "}");
    tool_reads("deepseek", CALL "a" SECTION DEEPSEEK(TYPE, "g", "{}"), "C{" CALL "a} CALL{g} ARGUMENTS{{}}");
    tool_reads("deepseek", SECTION CALL TYPE "f\n```json\n{}", "C{" SECTION CALL TYPE "f\n```json\n{}}");
    tool_reads("deepseek", SECTION DEEPSEEK(TYPE, " ", "{}"), "C{" SECTION DEEPSEEK(TYPE, " ", "{}") "}");
}
END_TEST

#define MINIMAX(inside) "<minimax:tool_call>" inside "</minimax:tool_call>"

START_TEST(minimax_reads_invokes_with_parameters)
{
    tool_reads("minimax",
               "a" MINIMAX("<invoke name=\"f\"><parameter name=\"k\"> {\"a\": 1} </parameter><parameter "
                           "name=\"l\">\nx\"\n</parameter></invoke><invoke\n name=\" g \"><parameter "
                           " name=\"k\"></parameter></invoke>"),
               "C{a} CALL{f} ARGUMENTS{{\"k\": {\"a\": 1}, \"l\": \"x\\\"\"}} CALL{g} ARGUMENTS{{\"k\": "
               "\"\"}}");
    tool_reads("minimax",
               MINIMAX("<invoke name=\"f\"></invoke><invoke name=\"\"></invoke><invokename=\"f\"><invoke "
                       "name=\"g\"><parameter name=\"\">0</parameter><parameter name=\"a\" >0</parameter>"
                       "<parameter name=\"k\">1</parameter><parameter name=\"l\">2</invoke>"
                       "<invoke name=\"h\"><parameter name=\"k\">1</parameter>"),
               "CALL{g} ARGUMENTS{{\"k\": 1}}");
}
END_TEST

START_TEST(nothing_after_the_first_whole_block_of_minimax_is_content)
{
    tool_reads("minimax", "a" MINIMAX("so") "b", "C{a}");
    tool_reads("minimax",
               "a" MINIMAX("") "b" MINIMAX("<invoke name=\"f\"><parameter name=\"k\">1</parameter>"
                                           "</invoke>") "c",
               "C{a} CALL{f} ARGUMENTS{{\"k\": 1}}");
    tool_reads("minimax", "a<minimax:tool_call>so", "C{a<minimax:tool_call>so}");
    tool_reads("minimax", "<invoke name=\"f\"><parameter name=\"k\">1</parameter></invoke>",
               "C{<invoke name=\"f\"><parameter name=\"k\">1</parameter></invoke>}");
}
END_TEST

#define DSML                 "<｜DSML｜tool_calls>"
#define DSML_END             "</｜DSML｜tool_calls>"
#define INVOKE(name, inside) "<｜DSML｜invoke name=\"" name "\">" inside "</｜DSML｜invoke>"
#define PARAMETER(string, value)                                                                             \
    "<｜DSML｜parameter name=\"k\" string=\"" string "\">" value "</｜DSML｜parameter>"

START_TEST(a_call_of_deepseek_before_its_section_is_content_and_a_call)
{
    tool_reads("deepseek", "a" DEEPSEEK(TYPE, "f", "{}") "b" SECTION "c",
               "C{a" DEEPSEEK(TYPE, "f", "{}") "b} CALL{f} ARGUMENTS{{}}");
    tool_reads("deepseek", DEEPSEEK("", "f", "{}") SECTION DEEPSEEK("", "g", "{}"),
               "C{" DEEPSEEK("", "f", "{}") "} CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{}}");
    tool_reads("deepseek", DEEPSEEK("", "f", "{}") SECTION DEEPSEEK(TYPE, "g", "{}"),
               "C{" DEEPSEEK("", "f", "{}") "} CALL{g} ARGUMENTS{{}}");
    tool_reads("deepseek", CALL "f\n```json\n" SECTION "\n```<｜tool▁call▁end｜>",
               "C{" CALL "f\n```json\n} CALL{f} ARGUMENTS{" SECTION "}");
    tool_reads("deepseek", CALL SECTION "a", "C{" CALL SECTION "a}");
}
END_TEST

START_TEST(deepseek_v4_reads_parameters_of_two_types)
{
    tool_reads("deepseek_v4", "a" DSML INVOKE("f", PARAMETER("true", " 1")) INVOKE("g", "") DSML_END "b",
               "C{a} CALL{f} ARGUMENTS{{\"k\": \" 1\"}} CALL{g} ARGUMENTS{{}}");
    tool_reads("deepseek_v4", DSML INVOKE("f", PARAMETER("false", " 1")), "CALL{f} ARGUMENTS{{\"k\":  1}}");
    tool_reads("deepseek_v4", DSML INVOKE("f", PARAMETER("false", " x")),
               "CALL{f} ARGUMENTS{{\"k\": \" x\"}}");
    tool_reads("deepseek_v4",
               DSML INVOKE("f", PARAMETER("false", "0") PARAMETER("True", "1") PARAMETER("true", "2")),
               "CALL{f} ARGUMENTS{{\"k\": \"2\"}}");
}
END_TEST

START_TEST(a_call_of_deepseek_v4_may_be_cut_off)
{
    tool_reads("deepseek_v4",
               DSML "<｜DSML｜invoke  name=\"f\" >" PARAMETER("true", "1") "<｜DSML｜parameter name=\"l\" "
                                                                           "string=\"true\">x",
               "CALL{f} ARGUMENTS{{\"k\": \"1\"}}");
    tool_reads("deepseek_v4", DSML "<｜DSML｜invokename=\"f\">", "CALL{f} ARGUMENTS{{}}");
    tool_reads("deepseek_v4", DSML "<｜DSML｜invoke name=\"f", "C{" DSML "<｜DSML｜invoke name=\"f}");
}
END_TEST

START_TEST(the_first_block_of_deepseek_v4_is_the_only_one)
{
    tool_reads("deepseek_v4", "a" DSML DSML_END DSML INVOKE("f", "") DSML_END,
               "C{a" DSML DSML_END DSML INVOKE("f", "") DSML_END "}");
    tool_reads("deepseek_v4", DSML INVOKE("f", "") DSML_END DSML INVOKE("g", "") DSML_END,
               "CALL{f} ARGUMENTS{{}}");
    tool_reads("deepseek_v4", DSML INVOKE("", "") "a", "C{" DSML INVOKE("", "") "a}");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/sections");
    TCase *c = tcase_create("sections");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, kimi_reads_calls_in_a_section_or_not);
    tcase_add_test(c, kimi_reads_the_name_between_colons_and_after_full_stops);
    tcase_add_test(c, invalid_calls_of_kimi_are_content_without_a_valid_one);
    tcase_add_test(c, deepseek_reads_calls_of_a_section_with_their_types);
    tcase_add_test(c, withheld_content_beyond_the_limit_is_emitted);
    tcase_add_test(c, calls_before_a_section_are_none_after_what_is_too_long_to_copy);
    tcase_add_test(c, deepseek_reads_calls_without_types_before_any_with_one);
    tcase_add_test(c, a_call_of_deepseek_is_content_before_its_section_and_unfinished);
    tcase_add_test(c, minimax_reads_invokes_with_parameters);
    tcase_add_test(c, nothing_after_the_first_whole_block_of_minimax_is_content);
    tcase_add_test(c, a_call_of_deepseek_before_its_section_is_content_and_a_call);
    tcase_add_test(c, deepseek_v4_reads_parameters_of_two_types);
    tcase_add_test(c, a_call_of_deepseek_v4_may_be_cut_off);
    tcase_add_test(c, the_first_block_of_deepseek_v4_is_the_only_one);
    suite_add_tcase(s, c);
    return support_run(s);
}
