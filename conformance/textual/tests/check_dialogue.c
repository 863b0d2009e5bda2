/* Cases of kind dialogue through assay run: a module that agrees, a module that breaks each rule in
 * turn, and malformed vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "conformance/tests/support.h"

#define CASE(vectors)                                                                                        \
    "{\"schema\":\"assay/1\",\"kind\":\"dialogue\",\"groups\":[{\"name\":\"g\",\"vectors\":[" vectors "]}]}"
#define INPUT(prompt, most, thinking)                                                                        \
    "\"input\":{\"prompt\":\"" prompt "\",\"max_tokens\":" most ",\"thinking\":" thinking                    \
    ",\"reasoning_parser\":\"angles\",\"tool_parser\":\"brackets\"}"
#define IDS "[60,97,62,98,91,102,32,49,93,99,10]"
#define EXPECT(ids, text, n, reason, more)                                                                   \
    "\"expect\":{\"ids\":" ids ",\"text\":\"" text "\",\"prompt_tokens\":2,\"completion_tokens\":" n         \
    ",\"finish_reason\":\"" reason "\"" more "}"
#define WHOLE(more) EXPECT(IDS, "<a>b[f 1]c", "11", "stop", ",\"stop_id\":10" more)
#define CALLS       ",\"calls\":[{\"name\":\"f\",\"arguments\":1}]"

/* VECTOR is a vector, BAD a case with one vector. */
#define VECTOR(id, input, expect) "{\"id\":" id "," input "," expect "}"
#define BAD(input, expect)        CASE(VECTOR("1", input, expect))

#define WITH_REASONING    WHOLE(",\"reasoning\":\"a\",\"content\":\"bc\"" CALLS)
#define WITHOUT_REASONING WHOLE(",\"reasoning\":null,\"content\":\"bc\"")
#define CUT               EXPECT("[60,97,62,98]", "<a>b", "4", "length", "")
#define FIRST             VECTOR("1", INPUT("hi", "20", "true"), WITH_REASONING)
#define SECOND            VECTOR("2", INPUT("hi", "20", "false"), WITHOUT_REASONING)
#define THIRD             VECTOR("3", INPUT("hi", "4", "true"), CUT)

static const char sound[] = CASE(FIRST "," SECOND "," THIRD);

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_mkdir(support_path("cases/model"));
    support_write_text(support_path("cases/case.json"), sound);
}

/* Runs `assay run` with the test module "speaker", which has the planted fault `fault`. */
static const support_output *run(const char *fault)
{
    return support_run_module("speaker", fault, "cases");
}

START_TEST(a_correct_model_agrees)
{
    const support_output *o = run("none");
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
    assert_lacks(o->err, "unknown");
}
END_TEST

/* Faults, each with the first vector that diverges and the message expected. */
static const struct {
    const char *fault, *vector, *reason;
} faults[] = {
    {"token", "g/1", "step 3: expected token 98, found 99\n"},
    {"stop-set", "g/1", "expected 11 tokens, found 20\n"},
    {"finish", "g/1", "finish_reason: expected stop, found length\n"},
    {"stop-id", "g/1", "stop id: expected 10, found 11\n"},
    {"prompt", "g/1", "prompt_tokens: expected 2, found 0\n"},
    {"count", "g/1", "completion_tokens: expected 11, found 12\n"},
    {"leaks", "g/1", "text: expected \"<a>b[f 1]c\", found \"<a>b[f 1]c \" (they differ at byte 10)\n"},
    {"reasoning", "g/1", "reasoning: expected \"a\", found \"!\" (they differ at byte 0)\n"},
    {"content", "g/1", "reasoning: expected \"a\", found null"},
    {"calls", "g/1", "content: expected \"bc\", found \"b[f 1]c\" (they differ at byte 1)\n"},
    {"thinks", "g/2", "reasoning: expected null, found \"a\" (they differ at byte 0)\n"},
    {"empty", "g/1", "a piece without text\n"},
    {"model", "g/1", "cases/model\n"},
    {"tokenizer", "g/1", "cases/model\n"},
    {"vocab", "g/1",
     "token 1 of the prompt: found id 105 of the tokenizer, expected one of the model's vocabulary, 0 to "
     "104\n"},
    {"unsure", "g/1", "the tokenizer finds 2 tokens in the prompt, and then 3\n"},
    {"nan", "g/1", "step 0: all logits are NaN or minus infinity\n"},
    {"decode", "g/1", "it cannot decode\n"},
    {"memory", "g/1", "no memory\n"},
    {"feed", "g/1", "it cannot go on\n"},
    {"end", "g/1", "it cannot end\n"},
};

START_TEST(a_broken_rule_is_reported_with_its_vector)
{
    char vector[64];
    const support_output *o = run(faults[_i].fault);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    (void)snprintf(vector, sizeof vector, "--vector %s ", faults[_i].vector);
    assert_holds(o->out, vector);
}
END_TEST

START_TEST(a_failure_has_its_class)
{
    static const char *const classes[][2] = {
        {"token", "tokens"},   {"stop-set", "tokens"}, {"finish", "stops"},   {"stop-id", "stops"},
        {"prompt", "text"},    {"count", "text"},      {"reasoning", "text"}, {"empty", "shape"},
        {"decode", "refused"}, {"memory", "memory"}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char arguments[64];
        (void)snprintf(arguments, sizeof arguments, "--fail-class %s cases", classes[i][1]);
        assert_code(support_run_module("speaker", classes[i][0], arguments), 1);
    }
}
END_TEST

START_TEST(a_missing_function_is_skipped_by_name)
{
    const support_output *o = run("lacks");
    assert_code(o, 77);
    assert_holds(o->out, "its serving table lacks completion_push");
    o = support_assay("run -e %s cases", support_engine("letters"));
    assert_code(o, 77);
    assert_holds(o->out, "it has no engine: it does not export assay_engine_v2");
    support_write_text(
        support_path("cases/case.json"),
        BAD("\"input\":{\"prompt\":\"hi\",\"max_tokens\":4,\"thinking\":true,\"reasoning_parser\":\"x\"}",
            WHOLE("")));
    o = run("none");
    assert_code(o, 77);
    assert_holds(o->out, "parser: expected angles");
}
END_TEST

START_TEST(fields_that_a_vector_lacks_are_not_compared)
{
    support_write_text(support_path("cases/case.json"), BAD(INPUT("hi", "20", "true"), WHOLE("")));
    assert_code(run("reasoning"), 0);
    assert_code(run("calls"), 0);
}
END_TEST

/* Cases with a vector that breaks the format, and the message expected. */
static const struct {
    const char *text, *reason;
} unsound[] = {
    {BAD("\"input\":{}", WHOLE("")), "input.prompt: is missing, expected a string"},
    {BAD(INPUT("hi", "0", "true"), WHOLE("")), "input.max_tokens: found 0, expected a whole number from 1"},
    {BAD(INPUT("hi", "4097", "true"), WHOLE("")), "input.max_tokens: found 4097, expected"},
    {BAD(INPUT("hi", "4", "1"), WHOLE("")), "input.thinking: found a whole number, expected"},
    {BAD("\"input\":{\"prompt\":\"a\",\"max_tokens\":1,\"thinking\":true,\"reasoning_parser\":1}", WHOLE("")),
     "input.reasoning_parser: found a whole number, expected"},
    {BAD("\"input\":{\"prompt\":\"a\",\"max_tokens\":1,\"thinking\":true,\"tool_parser\":1}", WHOLE("")),
     "input.tool_parser: found a whole number, expected"},
    {BAD(INPUT("hi", "4", "true"), "\"expect\":{}"), "expect.ids: is missing, expected an array"},
    {BAD(INPUT("hi", "4", "true"), EXPECT("[-1]", "a", "1", "stop", "")),
     "expect.ids[0]: found -1, expected"},
    {BAD(INPUT("hi", "4", "true"), EXPECT("[1,-1]", "a", "1", "stop", "")),
     "expect.ids[1]: found -1, expected"},
    {BAD(INPUT("hi", "4", "true"), EXPECT("[1]", "a", "0", "stop", "")),
     "expect.completion_tokens: found 0, expected a whole number from 1"},
    {BAD(INPUT("hi", "4", "true"), EXPECT("[1]", "a", "1", "end", "")), "expect.finish_reason: found"},
    {BAD(INPUT("hi", "4", "true"), EXPECT("[1]", "a", "1", "stop", ",\"stop_id\":-1")),
     "expect.stop_id: found -1, expected a whole number from 0"},
    {BAD(INPUT("hi", "4", "true"), WHOLE(",\"reasoning\":1")), "expect.reasoning: found a whole number"},
    {BAD(INPUT("hi", "4", "true"), WHOLE(",\"content\":[]")), "expect.content: found an array"},
    {BAD(INPUT("hi", "4", "true"), WHOLE(",\"calls\":[{\"name\":\"f\"}]")),
     "expect.calls[0]: has no member arguments"},
    {BAD("\"verdict\":\"reject\"," INPUT("hi", "4", "true"), WHOLE("")),
     "its verdict is reject, which dialogues cannot have"},
};

START_TEST(a_vector_that_breaks_the_format_is_an_error)
{
    assert_malformed("speaker", "cases/case.json", unsound[_i].text, unsound[_i].reason);
}
END_TEST

START_TEST(an_unknown_member_is_ignored_with_a_warning)
{
    support_write_text(support_path("cases/case.json"),
                       BAD("\"input\":{\"prompt\":\"hi\",\"max_tokens\":20,\"thinking\":true,\"mood\":1}",
                           WHOLE(",\"weather\":1")));
    const support_output *o = run("none");
    assert_code(o, 0);
    assert_holds(o->err, "mood");
    assert_holds(o->err, "weather");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/dialogue");
    TCase *t = tcase_create("dialogue");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, a_correct_model_agrees);
    tcase_add_loop_test(t, a_broken_rule_is_reported_with_its_vector, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, a_failure_has_its_class);
    tcase_add_test(t, a_missing_function_is_skipped_by_name);
    tcase_add_test(t, fields_that_a_vector_lacks_are_not_compared);
    tcase_add_loop_test(t, a_vector_that_breaks_the_format_is_an_error, 0, sizeof unsound / sizeof *unsound);
    tcase_add_test(t, an_unknown_member_is_ignored_with_a_warning);
    suite_add_tcase(s, t);
    return support_run(s);
}
