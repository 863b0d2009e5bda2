/* Stop sets and replies through assay run: a module that agrees, a module that breaks each rule in
 * turn, and a module that crashes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "conformance/tests/support.h"

#define CASE(kind, vectors)                                                                                  \
    "{\"schema\":\"assay/1\",\"kind\":\"" kind "\",\"groups\":[{\"name\":\"g\",\"vectors\":[" vectors "]}]}"

static const char eos[] =
    CASE("eos",
         "{\"id\":1,\"input\":{\"tokenizer\":{\"eos_token_id\":1},\"config\":\"{\\\"eos_token_id\\\":50}\","
         "\"generation_config\":null},\"expect\":{\"ids\":[1,50],\"origin\":{\"1\":[\"tokenizer\"],"
         "\"50\":[\"config\"]}}},"
         "{\"id\":2,\"verdict\":\"reject\",\"input\":{\"config\":\"[]\"},\"expect\":{\"error\":\"odd\"}},"
         "{\"id\":3,\"input\":{\"tokenizer\":{\"eos_token_id\":1},\"config\":\"{\\\"eos_token_id\\\":50}\"},"
         "\"expect\":{\"ids\":[1,50],\"origin\":null}}");
static const char reasoning[] = CASE(
    "reasoning", "{\"id\":1,\"input\":{\"parser\":\"angles\",\"deltas\":[\"<o\",\"ne> t\",\"w\\u00f6 \"]},"
                 "\"expect\":{\"reasoning\":\"one\",\"content\":\"tw\\u00f6\"}},"
                 "{\"id\":2,\"input\":{\"parser\":\"angles\",\"text\":\"\\u3000\\u0000x\"},"
                 "\"expect\":{\"reasoning\":null,\"content\":\"\\u0000x\"}},"
                 "{\"id\":3,\"input\":{\"parser\":\"angles\",\"thinking_off\":true,\"text\":\"<a>b\"},"
                 "\"expect\":{\"reasoning\":null,\"content\":\"b\"}}");
static const char tools[] = CASE(
    "tools", "{\"id\":1,\"input\":{\"parser\":\"angles\",\"request\":{\"tools\":[]},"
             "\"deltas\":[\"a[f {\\\"b\\\":\",\" 1}]\",\"[g [\",\"x]\"]},\"expect\":{\"content\":\"a\","
             "\"calls\":[{\"name\":\"f\",\"arguments\":{\"b\":1}},{\"name\":\"g\",\"arguments\":\"[x\"}]}},"
             "{\"id\":2,\"input\":{\"parser\":\"angles\",\"request\":null,\"text\":\"a\"},"
             "\"expect\":{\"content\":\"a\",\"calls\":[]}}");

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_write_text(support_path("cases/eos.json"), eos);
    support_write_text(support_path("cases/reasoning.json"), reasoning);
    support_write_text(support_path("cases/tools.json"), tools);
}

/* Runs `assay run` with the test module "serving", which has the planted fault `fault`. */
static const support_output *run(const char *fault, const char *arguments)
{
    return support_run_module("serving", fault, arguments);
}

START_TEST(a_correct_module_without_an_engine_agrees)
{
    const support_output *o = run("none", "cases");
    assert_code(o, 0);
    assert_holds(o->out, "3 passed, 0 failed, 0 skipped\n");
}
END_TEST

static const char templates[] =
    CASE("template",
         "{\"id\":1,\"input\":{\"template\":\"text\",\"variables\":{}},\"expect\":{\"text\":\"text\"}},"
         "{\"id\":2,\"verdict\":\"reject\",\"input\":{\"template\":\"!\",\"variables\":{},\"now\":7},"
         "\"expect\":{\"error\":\"expected\"}},"
         "{\"id\":3,\"verdict\":\"reject\",\"input\":{\"template\":\"!\",\"variables\":{}},\"expect\":{"
         "\"error\":null}}");

/* Faults of template_render, and the messages expected. */
static const char *const template_faults[][2] = {
    {"template-cut", "the text differs at byte 3: expected \"text\", found \"tex\"\n"},
    {"template-accepts", "template_render: expected an error, found 1 bytes of text\n"},
    {"template-refuses", "template_render: line 1: expected\n"},
    {"template-error", "the error: expected \"expected\", found \"another\"\n"},
    {"template-both", "template_render: found 1 bytes of text and the error line 1: expected\n"},
};

START_TEST(a_template_is_compared_with_its_text_or_error)
{
    support_write_text(support_path("templates.json"), templates);
    assert_code(run("none", "templates.json"), 0);
    for (size_t i = 0; i < sizeof template_faults / sizeof *template_faults; i++) {
        const support_output *o = run(template_faults[i][0], "templates.json");
        assert_code(o, 1);
        assert_holds(o->out, template_faults[i][1]);
    }
    const support_output *o = run("lacks", "templates.json");
    assert_code(o, 77);
    assert_holds(o->out, "skipped: its serving table lacks template_render:\n");
}
END_TEST

START_TEST(cases_that_need_an_engine_are_skipped_without_one)
{
    support_write_cases();
    const support_output *o = run("none", "cases sound");
    assert_code(o, 0);
    assert_holds(o->out, "skipped: it has no engine: it does not export assay_engine_v2:\n");
    assert_holds(o->out, "3 passed, 0 failed, 2 skipped\n");
}
END_TEST

/* Faults, each with the case that notices it and the message expected. */
static const struct {
    const char *fault, *name, *reason;
} faults[] = {
    {"id", "eos", "the stop set: expected [1,50], found {1, 51}\n"},
    {"drops-id", "eos", "the stop set: expected [1,50], found {1}\n"},
    {"many", "eos", "the stop set: found 1048576 ids\n"},
    {"origin", "eos", "stop id 50: expected from config.json, found from tokenizer\n"},
    {"refuses", "eos", "stop_set: config.json: odd\n"},
    {"accepts", "eos", "the stop set: expected a refusal, found 2 ids\n"},
    {"stays", "reasoning", "content: expected \"tw\xc3\xb6\", found null (they differ at byte 0)\n"},
    {"cut", "reasoning",
     "content: expected \"tw\xc3\xb6\", found \"ne tw\xc3\xb6\" (they differ at byte 0)\n"},
    {"whole", "reasoning", "the text in one piece: "},
    {"adds", "reasoning", "found \"tw\xc3\xb6 !\" (they differ at byte 4)\n"},
    {"feed", "reasoning", "it cannot go on\n"},
    {"empty", "reasoning", "a piece without text\n"},
    {"thinks", "reasoning", "reasoning: expected null, found \"a\" (they differ at byte 0)\n"},
    {"part", "reasoning", "a piece of an unknown part\n"},
    {"spoils", "reasoning", "after the vectors before it, but not by itself: content: expected"},
    {"no-memory", "reasoning", "no memory\n"},
    {"orphan", "tools", "arguments before any call\n"},
    {"twice", "tools", "calls[1].name: expected \"g\", found \"f\" (they differ at byte 0)\n"},
    {"arguments", "tools",
     "calls[0].arguments: expected \"{\"b\":1}\", found \"{\"b\": 2}\" (they differ at byte 5)\n"},
};

START_TEST(a_broken_rule_is_reported_with_its_vector)
{
    char path[64];
    (void)snprintf(path, sizeof path, "cases/%s.json", faults[_i].name);
    const support_output *o = run(faults[_i].fault, path);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, "  REPRO: assay run --engine serving --vector g/");
}
END_TEST

START_TEST(a_crash_fails_its_vector)
{
    const support_output *o = run("crash", "cases/tools.json");
    assert_code(o, 1);
    assert_holds(o->out, "vector g/1");
    o = run("crash", "--fail-class text cases/tools.json");
    assert_code(o, 99);
    o = run("cut", "--fail-class text cases/reasoning.json");
    assert_code(o, 1);
    o = run("id", "--fail-class stops cases/eos.json");
    assert_code(o, 1);
}
END_TEST

static const char *const tables[][2] = {
    {"no-table", "assay_serving_v2 returned no table"},
    {"abi", "built for serving ABI 3, expected 2"},
    {"size", "its serving table has 8 bytes, expected at least"},
    {"nameless", "its serving table lacks the required name"},
};

START_TEST(a_broken_table_is_an_error)
{
    const support_output *o = run(tables[_i][0], "cases/eos.json");
    assert_code(o, 99);
    assert_holds(o->out, tables[_i][1]);
}
END_TEST

START_TEST(a_missing_member_is_skipped_by_name)
{
    const support_output *o = run("lacks", "cases");
    assert_code(o, 77);
    assert_holds(o->out, "skipped: its serving table lacks stop_set:\n  eos\n");
    assert_holds(o->out, "skipped: its serving table lacks reply_end:\n");
    o = run("old", "cases");
    assert_code(o, 0);
    assert_holds(o->out, "skipped: its serving table lacks reply_open:\n");
    assert_holds(o->out, "1 passed, 0 failed, 2 skipped\n");
    o = support_assay("run -e %s cases/eos.json", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "it has no serving functions: it does not export assay_serving_v2");
}
END_TEST

START_TEST(an_unknown_parser_is_skipped_by_name)
{
    support_write_text(support_path("cases/tools.json"),
                       CASE("tools", "{\"id\":1,\"input\":{\"parser\":\"x\",\"text\":\"\"},\"expect\":{"
                                     "\"content\":null,\"calls\":[]}}"));
    const support_output *o = run("none", "cases/tools.json");
    assert_code(o, 77);
    assert_holds(o->out, "parser: expected angles");
}
END_TEST

/* Cases with a vector that breaks the format, and the message expected. */
static const struct {
    const char *text, *reason;
} unsound[] = {
    {CASE("eos", "{\"id\":1,\"input\":{\"config\":1},\"expect\":{\"ids\":[]}}"),
     "input.config: found a whole number, expected a string"},
    {CASE("eos", "{\"id\":1,\"input\":{\"tokenizer\":\"a\"},\"expect\":{\"ids\":[]}}"),
     "input.tokenizer: found a string, expected an object"},
    {CASE("eos", "{\"id\":1,\"input\":{},\"expect\":{}}"), "expect.ids: is missing, expected an array"},
    {CASE("eos", "{\"id\":1,\"input\":{},\"expect\":{\"ids\":[2,1]}}"),
     "expect.ids[1]: found 1, expected a whole number from 3"},
    {CASE("eos", "{\"id\":1,\"input\":{},\"expect\":{\"error\":\"x\"}}"),
     "expects an error, and its verdict is not reject"},
    {CASE("eos", "{\"id\":1,\"verdict\":\"reject\",\"input\":{},\"expect\":{\"ids\":[1]}}"),
     "expects ids, and its verdict is reject"},
    {CASE("eos", "{\"id\":1,\"input\":{},\"expect\":{\"ids\":[1],\"origin\":{\"1\":[\"book\"]}}}"),
     "expect.origin.1[0]: found"},
    {CASE("reasoning", "{\"id\":1,\"input\":{\"text\":\"a\"},\"expect\":{}}"), "input.parser: is missing"},
    {CASE("reasoning", "{\"id\":1,\"input\":{\"parser\":\"a\"},\"expect\":{}}"), "input.deltas: is missing"},
    {CASE("reasoning",
          "{\"id\":1,\"input\":{\"parser\":\"a\",\"text\":\"\",\"thinking_off\":1},\"expect\":{}}"),
     "input.thinking_off: found a whole number, expected"},
    {CASE("reasoning", "{\"id\":1,\"input\":{\"parser\":\"a\",\"deltas\":[1]},\"expect\":{}}"),
     "input.deltas[0]: found a whole number, expected a string"},
    {CASE("reasoning", "{\"id\":1,\"input\":{\"parser\":\"a\",\"deltas\":[\"b\",1]},\"expect\":{}}"),
     "input.deltas[1]: found a whole number, expected a string"},
    {CASE("reasoning", "{\"id\":1,\"expect\":{}}"), "input: is missing, expected an object"},
    {CASE("template", "{\"id\":1,\"input\":{\"variables\":{}},\"expect\":{\"text\":\"\"}}"),
     "input.template: is missing, expected a string"},
    {CASE("template", "{\"id\":1,\"input\":{\"template\":\"\",\"variables\":1},\"expect\":{\"text\":\"\"}}"),
     "input.variables: found a whole number, expected an object"},
    {CASE("template",
          "{\"id\":1,\"input\":{\"template\":\"\",\"variables\":{}},\"expect\":{\"error\":null}}"),
     "expects an error, and its verdict is not reject"},
    {CASE("template", "{\"id\":1,\"input\":{\"template\":\"\",\"variables\":{}},\"expect\":{}}"),
     "expect.text: is missing, expected a string"},
    {CASE("eos", "{\"id\":1,\"expect\":{}}"), "input: is missing, expected an object"},
    {CASE("reasoning", "{\"id\":1,\"input\":{\"parser\":\"a\",\"text\":\"\"},\"expect\":{\"content\":\"\"}}"),
     "expect.reasoning: is missing, expected a string or null"},
    {CASE("reasoning", "{\"id\":1,\"input\":{\"parser\":\"a\",\"text\":\"\"},\"expect\":{\"content\":1}}"),
     "expect.content: found a whole number, expected a string"},
    {CASE("reasoning",
          "{\"id\":1,\"verdict\":\"reject\",\"input\":{\"parser\":\"a\",\"text\":\"\"},\"expect\":{"
          "\"content\":null,\"reasoning\":null}}"),
     "which replies cannot have"},
    {CASE("tools", "{\"id\":1,\"input\":{\"parser\":\"a\",\"text\":\"\",\"request\":1},\"expect\":{}}"),
     "input.request: found a whole number, expected an object"},
    {CASE("tools", "{\"id\":1,\"input\":{\"parser\":\"a\",\"text\":\"\"},\"expect\":{\"content\":null}}"),
     "expect.calls: is missing, expected an array"},
    {CASE("tools",
          "{\"id\":1,\"input\":{\"parser\":\"a\",\"text\":\"\"},\"expect\":{\"content\":null,\"calls\":[{"
          "\"name\":\"f\"}]}}"),
     "expect.calls[0]: has no member arguments"},
};

START_TEST(a_vector_that_breaks_the_format_is_an_error)
{
    assert_malformed("serving", "cases/tools.json", unsound[_i].text, unsound[_i].reason);
}
END_TEST

START_TEST(an_unknown_member_is_ignored_with_a_warning)
{
    support_write_text(support_path("cases/tools.json"),
                       CASE("tools",
                            "{\"id\":1,\"input\":{\"parser\":\"angles\",\"text\":\"a\",\"request\":{},"
                            "\"mood\":1},\"expect\":{\"content\":\"a\",\"calls\":[],\"reasoning\":null}}"));
    const support_output *o = run("none", "cases/tools.json");
    assert_code(o, 0);
    assert_holds(o->err, "mood");
    assert_holds(o->err, "reasoning");
    assert_lacks(o->err, "request");
    support_write_text(support_path("cases/tools.json"),
                       CASE("reasoning",
                            "{\"id\":1,\"input\":{\"parser\":\"angles\",\"text\":\"a\",\"request\":{}},"
                            "\"expect\":{\"content\":\"a\",\"reasoning\":null,\"calls\":[]}}"));
    o = run("none", "cases/tools.json");
    assert_code(o, 0);
    assert_holds(o->err, "request");
    assert_holds(o->err, "calls");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/abi/serving");
    TCase *t = tcase_create("serving");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, a_correct_module_without_an_engine_agrees);
    tcase_add_test(t, a_template_is_compared_with_its_text_or_error);
    tcase_add_test(t, cases_that_need_an_engine_are_skipped_without_one);
    tcase_add_loop_test(t, a_broken_rule_is_reported_with_its_vector, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, a_crash_fails_its_vector);
    tcase_add_loop_test(t, a_broken_table_is_an_error, 0, sizeof tables / sizeof *tables);
    tcase_add_test(t, a_missing_member_is_skipped_by_name);
    tcase_add_test(t, an_unknown_parser_is_skipped_by_name);
    tcase_add_loop_test(t, a_vector_that_breaks_the_format_is_an_error, 0, sizeof unsound / sizeof *unsound);
    tcase_add_test(t, an_unknown_member_is_ignored_with_a_warning);
    suite_add_tcase(s, t);
    return support_run(s);
}
