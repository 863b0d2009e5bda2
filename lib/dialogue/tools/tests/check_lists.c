/* Tool parsers on calls in JSON arrays, for all cuts: granite, xlam, functionary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/tests/support.h"
#include "dialogue/tools/tests/tool_reads.h"

#define F      "{\"name\": \"f\", \"arguments\": {\"a\": \"]\"}}"
#define G      "{\"name\": \"g\"}"
#define CALL_F "CALL{f} ARGUMENTS{{\"a\": \"]\"}}"
#define CALL_G "CALL{g} ARGUMENTS{{}}"

START_TEST(granite_reads_an_array_after_either_marker_at_the_very_beginning)
{
    tool_reads("granite", "<|tool_call|>[" F ", " G "]", CALL_F " " CALL_G);
    tool_reads("granite", " \n<tool_call> [" G "]\n", "C{ \n} " CALL_G " C{\n}");
    tool_reads("granite", "a<|tool_call|>[" G "]", "C{a<|tool_call|>[" G "]}");
    tool_reads("granite", "[" G "]<tool_call>[" G "]", "C{[" G "]<tool_call>[" G "]}");
    tool_reads("granite", "<|tool", "C{<|tool}");
    tool_reads("granite", " ", "C{ }");
}
END_TEST

START_TEST(granite_names_a_call_without_name_by_its_type)
{
    tool_reads("granite",
               "<tool_call>[{\"type\": \"f\"}, {\"name\": \"\", \"type\": \"f\"}, {\"name\": \"g\", "
               "\"type\": \"f\"}]",
               "CALL{f} ARGUMENTS{{}} CALL{f} ARGUMENTS{{}} " CALL_G);
    tool_reads("granite", "<tool_call>[1, {\"type\": 1}, " G ", {\"name\": \"f\", \"arguments\": \"x\"}]",
               CALL_G " CALL{f} ARGUMENTS{x}");
}
END_TEST

START_TEST(text_other_than_an_array_of_calls_is_content_of_granite)
{
    tool_reads("granite", "<tool_call>" G, "C{<tool_call>" G "}");
    tool_reads("granite", "<tool_call>[1]a", "C{<tool_call>[1]a}");
    tool_reads("granite", "<tool_call>[{\"name\": ]", "C{<tool_call>[{\"name\": ]}");
    tool_reads("granite", "<tool_call>[" G, "C{<tool_call>[" G "}");
    tool_reads("granite", "<tool_call> ", "C{<tool_call> }");
}
END_TEST

START_TEST(xlam_reads_an_array_in_code_or_on_a_line_or_at_the_very_beginning)
{
    tool_reads("xlam", "a```json\n[" F "]\n```", "C{a} " CALL_F);
    tool_reads("xlam", "a``` [" G ", {\"name\": \"f\", \"parameters\": {}}]```",
               "C{a} " CALL_G " CALL{f} ARGUMENTS{{}}");
    tool_reads("xlam", "a[TOOL_CALLS] [" G "]\n", "C{a} " CALL_G);
    tool_reads("xlam", "[TOOL_CALLS][" G "]", CALL_G);
    tool_reads("xlam", " [" F "]", "C{ } " CALL_F);
    tool_reads("xlam", "[{", "C{[{}");
    tool_reads("xlam", "[", "C{[}");
    tool_reads("xlam", "a [" G "]", "C{a [" G "]}");
}
END_TEST

START_TEST(the_first_array_of_xlam_decides)
{
    tool_reads("xlam", "a```[" G "]```b[TOOL_CALLS][" G "]", "C{a} " CALL_G);
    tool_reads("xlam", "a```[]```b```[" G "]```", "C{a}");
    tool_reads("xlam", "a```x```[TOOL_CALLS][]\nb", "C{a}");
    tool_reads("xlam", "a```x``` ```[" G "]```", "C{a} " CALL_G);
}
END_TEST

/* As in the whole answer of the published server; its streams drop an unclosed block. */
START_TEST(code_without_calls_is_content_of_xlam)
{
    tool_reads("xlam", "a```json\n{}\n```b", "C{a```json\n{}\n```b}");
    tool_reads("xlam", "a```[1]```b", "C{a```[1]```b}");
    tool_reads("xlam", "a```[" G "]``", "C{a```[" G "]``}");
    tool_reads("xlam", "a```[TOOL_CALLS][" G "]", "C{a} " CALL_G);
    tool_reads("xlam", "[{\"name\": ]```[" G "]```", CALL_G);
}
END_TEST

START_TEST(functionary_reads_recipients)
{
    tool_reads("functionary", "a<|recipient|> f\n<|content|> {\"a\": 1}",
               "C{a} CALL{f} ARGUMENTS{{\"a\": 1}}");
    tool_reads("functionary", "<|recipient|>f \n<|content|>{}\n", "CALL{f} ARGUMENTS{{}}");
    tool_reads("functionary",
               "<|recipient|>f\n<|content|>{}<|from|>assistant\n<|recipient|>g\n<|content|>{\"a\"}so}<|",
               "CALL{f} ARGUMENTS{{}} CALL{g} ARGUMENTS{{\"a\"}so}}");
    tool_reads("functionary",
               "<|recipient|>ALL\n<|content|>{}<|recipient|>user\n<|content|>{}<|recipient|>g"
               "\n<|content|>{}",
               CALL_G);
}
END_TEST

START_TEST(text_without_a_recipient_is_content)
{
    static const char *const texts[] = {
        "<|recipient|>f<|content|>{}",       "<|recipient|>f \n <|content|>{}",
        "<|recipient|>\n<|content|>{}",      "<|recipient|>f.g\n<|content|>{}",
        "<|recipient|>f\n<|content|>[]",     "<|recipient|>f\n<|content|>{} so",
        "<|recipient|>f\n<|content|>{}\n\n", "<|recipient|>f\n<|cont",
        "<|recipient|>all\n<|content|>{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char script[64];
        (void)snprintf(script, sizeof script, "C{%s}", texts[i]);
        tool_reads("functionary", texts[i], script);
    }
}
END_TEST

/* An unclosed one is content, as in the whole answer of the published server; its streams drop it. */
START_TEST(functionary_reads_functions)
{
    tool_reads("functionary",
               "a<function= f >{\"a\": \"</function>\"}</function>b<function=g>{so}</function>",
               "C{a} CALL{f} ARGUMENTS{{\"a\": \"</function>\"}} CALL{g} ARGUMENTS{{so}}");
    tool_reads("functionary", "<function=>{}</function>", "C{<function=>{}</function>}");
    tool_reads("functionary", "<function=f> {}</function><function=g>{}</function>", CALL_G);
    tool_reads("functionary", "<function=f>{} </function>", "C{<function=f>{} </function>}");
    tool_reads("functionary", "<function= >{}</function>", "C{<function= >{}</function>}");
    tool_reads("functionary", "<function=f", "C{<function=f}");
}
END_TEST

START_TEST(functionary_reads_an_array_at_the_very_beginning)
{
    tool_reads("functionary", "[" F ", 1, " G "]", CALL_F " " CALL_G);
    tool_reads("functionary", "[" G, "C{[" G "}");
    tool_reads("functionary", "[1] a", "C{[1] a}");
    tool_reads("functionary", "a[" G "]", "C{a[" G "]}");
    tool_reads("functionary", "[<function=g>{}</function>", CALL_G);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/tools/lists");
    TCase *c = tcase_create("lists");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, granite_reads_an_array_after_either_marker_at_the_very_beginning);
    tcase_add_test(c, granite_names_a_call_without_name_by_its_type);
    tcase_add_test(c, text_other_than_an_array_of_calls_is_content_of_granite);
    tcase_add_test(c, xlam_reads_an_array_in_code_or_on_a_line_or_at_the_very_beginning);
    tcase_add_test(c, the_first_array_of_xlam_decides);
    tcase_add_test(c, code_without_calls_is_content_of_xlam);
    tcase_add_test(c, functionary_reads_recipients);
    tcase_add_test(c, text_without_a_recipient_is_content);
    tcase_add_test(c, functionary_reads_functions);
    tcase_add_test(c, functionary_reads_an_array_at_the_very_beginning);
    suite_add_tcase(s, c);
    return support_run(s);
}
