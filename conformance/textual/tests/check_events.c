/* Cases of kind events through assay run: a module that agrees, a module that breaks each rule in turn,
 * and malformed vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "conformance/tests/support.h"

#define CASE(vectors)                                                                                        \
    "{\"schema\":\"assay/1\",\"kind\":\"events\",\"groups\":[{\"name\":\"g\",\"vectors\":[" vectors "]}]}"
#define INPUT(endpoint, more, chunks)                                                                        \
    "\"input\":{\"endpoint\":\"" endpoint "\",\"request\":{" more                                            \
    "},\"server\":{\"model\":\"m\"},\"chunks\":[" chunks "]"
#define CHUNK(text, last, reason)                                                                            \
    "{\"new_text\":\"" text "\",\"prompt_tokens\":3,\"completion_tokens\":1,\"finished\":" last              \
    ",\"finish_reason\":" reason "}"
#define CHAT(chunks) INPUT("/v1/chat/completions", "", chunks)
#define TWO          CHUNK("aa", "false", "null") "," CHUNK(" bc", "true", "\"stop\"")

#define SOUND(id, more, folded) "{\"id\":" id "," CHAT(TWO) more "},\"expect\":{\"folded\":{" folded "}}}"
#define SAID                    "\"content\":\"aa bc\""

/* A vector without failure, two whose engine fails, and one whose engine fails after the last chunk. */
static const char sound[] =
    CASE(SOUND("1", "", SAID ",\"tool_calls\":[]") "," SOUND("2", ",\"raise_at\":1", "") "," SOUND(
        "3", ",\"raise_at\":0", "") "," SOUND("4", ",\"raise_at\":2", SAID));

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_write_text(support_path("cases/events.json"), sound);
}

/* Runs `assay run` with the test module "responses", which has the planted fault `fault`. */
static const support_output *run(const char *fault)
{
    return support_run_module("responses", fault, "cases");
}

START_TEST(a_correct_module_agrees)
{
    const support_output *o = run("none");
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
}
END_TEST

static const struct {
    const char *fault, *reason;
} faults[] = {
    {"adds", "  content: expected \"aa bc\", found \"aa bc!\"\n  first:  vector g/1\n"},
    {"finishes-twice",
     "event 5, byte 573: chat-after-finish: found more of a choice after its finish_reason"},
    {"character", "one character at a time: content: expected \"aa bc\", found null"},
    {"at-once", "the text in one piece: content: expected \"aa bc\", found null"},
    {"whole", "without a stream: content: expected \"aa bc\", found \"aa bc!\""},
    {"two-minds", "without a stream: finish_reason: expected \"stop\", found \"length\""},
    {"no-json", "without a stream: the answer: byte 0: found '<', expected a value"},
    {"silent", "the stream says that the engine did not fail, expected the contrary"},
    {"refuses", "it cannot go on"},
    {"empty", "a piece of a body without bytes"},
    {"memory", "no memory"},
};

START_TEST(a_broken_rule_is_reported)
{
    const support_output *o = run(faults[_i].fault);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, "  REPRO: assay run --engine responses --vector g/");
}
END_TEST

START_TEST(a_failure_has_its_class)
{
    static const char *const classes[][2] = {
        {"adds", "text"},     {"finishes-twice", "events"}, {"two-minds", "inconsistent"},
        {"no-json", "shape"}, {"refuses", "refused"},       {"memory", "memory"}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char arguments[64];
        (void)snprintf(arguments, sizeof arguments, "--fail-class %s cases", classes[i][1]);
        assert_code(support_run_module("responses", classes[i][0], arguments), 1);
    }
}
END_TEST

START_TEST(a_missing_member_is_skipped_by_name)
{
    const support_output *o = run("lacks");
    assert_code(o, 77);
    assert_holds(o->out, "its serving table lacks response_end");
    support_write_text(support_path("cases/events.json"),
                       CASE("{\"id\":1," INPUT("/v1/messages", "", TWO) "},\"expect\":{\"folded\":{}}}"));
    o = run("none");
    assert_code(o, 77);
    assert_holds(o->out, "endpoint: expected /v1/chat/completions");
}
END_TEST

/* Cases with a vector that breaks the format, and the message expected. */
static const struct {
    const char *text, *reason;
} unsound[] = {
    {CASE("{\"id\":1,\"input\":{},\"expect\":{\"folded\":{}}}"), "input.endpoint: is missing"},
    {CASE("{\"id\":1,\"expect\":{\"folded\":{}}}"), "input: is missing, expected an object"},
    {CASE("{\"id\":1," CHAT(CHUNK("a", "false", "null") ",1") "},\"expect\":{\"folded\":{}}}"),
     "input.chunks[1]: found a whole number"},
    {CASE("{\"id\":1," CHAT(
         CHUNK("a", "true", "null") "," CHUNK("a", "true", "null")) "},\"expect\":{\"folded\":{}}}"),
     "only its last chunk may be finished, and must be"},
    {CASE("{\"id\":1," CHAT(TWO) "},\"expect\":{}}"), "expect.folded: is missing, expected an object"},
    {CASE("{\"id\":1," INPUT("chat", "", TWO) "},\"expect\":{\"folded\":{}}}"),
     "its endpoint is chat, expected /v1/chat/completions"},
    {CASE("{\"id\":1,\"input\":{\"endpoint\":\"/v1/messages\"},\"expect\":{\"folded\":{}}}"),
     "input.request: is missing, expected an object"},
    {CASE("{\"id\":1," INPUT("/v1/messages", "\"stream_options\":1", TWO) "},\"expect\":{\"folded\":{}}}"),
     "input.request.stream_options: found a whole number, expected an object"},
    {CASE("{\"id\":1," CHAT("1") "},\"expect\":{\"folded\":{}}}"), "input.chunks[0]: found a whole number"},
    {CASE("{\"id\":1," CHAT("{}") "},\"expect\":{\"folded\":{}}}"), "input.chunks[0].new_text: is missing"},
    {CASE("{\"id\":1," CHAT(CHUNK("a", "false", "null")) "},\"expect\":{\"folded\":{}}}"),
     "only its last chunk may be finished, and must be"},
    {CASE("{\"id\":1," CHAT(CHUNK("a", "true", "1")) "},\"expect\":{\"folded\":{}}}"),
     "input.chunks[0].finish_reason: found a whole number"},
    {CASE("{\"id\":1," CHAT(TWO) ",\"raise_at\":3},\"expect\":{\"folded\":{}}}"),
     "input.raise_at: found 3, expected a whole number from 0"},
    {CASE("{\"id\":1,\"verdict\":\"reject\"," CHAT(TWO) "},\"expect\":{\"folded\":{}}}"),
     "its verdict is reject, which events cannot have"},
};

START_TEST(a_vector_that_breaks_the_format_is_an_error)
{
    assert_malformed("responses", "cases/events.json", unsound[_i].text, unsound[_i].reason);
}
END_TEST

START_TEST(an_unknown_member_is_ignored_with_a_warning)
{
    support_write_text(
        support_path("cases/events.json"),
        CASE("{\"id\":1," CHAT(TWO) ",\"mood\":1},\"expect\":{\"folded\":{\"stop_reason\":1}}}"));
    const support_output *o = run("none");
    assert_holds(o->err, "mood");
    assert_holds(o->err, "stop_reason");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/events");
    TCase *t = tcase_create("events");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, a_correct_module_agrees);
    tcase_add_loop_test(t, a_broken_rule_is_reported, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, a_failure_has_its_class);
    tcase_add_test(t, a_missing_member_is_skipped_by_name);
    tcase_add_loop_test(t, a_vector_that_breaks_the_format_is_an_error, 0, sizeof unsound / sizeof *unsound);
    tcase_add_test(t, an_unknown_member_is_ignored_with_a_warning);
    suite_add_tcase(s, t);
    return support_run(s);
}
