/* The messages and tools that a template sees, for the requests of each endpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "server/request/tests/served.h"

/* The request with these messages (or input items), and more members. */
static char *body_of(serve_endpoint e, const char *messages, const char *more)
{
    static char body[1 << 15];
    (void)snprintf(body, sizeof body, "{\"model\":\"m\",\"%s\":%s%s%s%s}",
                   e == SERVE_RESPONSES ? "input" : "messages", messages,
                   e == SERVE_MESSAGES ? ",\"max_tokens\":9" : "", *more ? "," : "", more);
    return body;
}

/* Line `number` of the rendered template must be this JSON. */
static void expect_line(const server_request *q, size_t number, const char *expected)
{
    const char *at = served_prompt(q, 0);
    json_object *found = NULL, *must = NULL;
    assay_error err = {0};
    for (size_t i = 0; i < number; i++) at = strchr(at, '\n') + 1;
    ck_assert_msg(json_parse("found", at, strcspn(at, "\n"), &found, &err) == ASSAY_OK, "%s: %s", err.text,
                  at);
    ck_assert_msg(json_parse("expected", expected, strlen(expected), &must, &err) == ASSAY_OK, "%s",
                  err.text);
    ck_assert_msg(json_equals(found, must, JSON_BY_VALUE), "found %.*s\nexpected %s", (int)strcspn(at, "\n"),
                  at, expected);
    json_object_put(found);
    json_object_put(must);
}

static void expect(serve_endpoint e, const char *messages, const char *more, const char *expected)
{
    server_request *q = served_read(e, body_of(e, messages, more));
    expect_line(q, 0, expected);
    server_request_free(q);
}

static void refuse(serve_endpoint e, const char *messages, const char *member, const char *words)
{
    served_refuse(e, body_of(e, messages, ""), 400, member, words);
}

START_TEST(chat_messages_keep_their_members)
{
    expect(SERVE_CHAT,
           "[{\"role\":\"developer\",\"content\":\"d\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\","
           "\"text\":"
           "\"a\"},{\"type\":\"text\",\"text\":\"é\\u0000\"}],\"name\":\"n\"},{\"role\":\"assistant\","
           "\"content\":null,"
           "\"reasoning_content\":\"t\",\"refusal\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
           "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\": [1]}\"}},{\"function\":{\"name\":\"g\","
           "\"arguments\":\"\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"r\"}]",
           "",
           "[{\"role\":\"system\",\"content\":\"d\"},{\"role\":\"user\",\"content\":\"a\\né\\u0000\","
           "\"name\":\"n\"},"
           "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
           "\"function\":{"
           "\"name\":\"f\",\"arguments\":{\"x\":[1]}}},{\"type\":\"function\",\"function\":{\"name\":\"g\","
           "\"arguments\":{}}}],\"reasoning_content\":\"t\"},{\"role\":\"tool\",\"content\":\"r\",\"tool_"
           "call_id\":"
           "\"c\"}]");
}
END_TEST

static const struct {
    serve_endpoint endpoint;
    const char *messages, *member, *words;
} REFUSED[] = {
    {SERVE_CHAT, "[]", "messages", "a list of messages"},
    {SERVE_CHAT, "{}", "messages", "a list of messages"},
    {SERVE_CHAT, "[7]", "messages[0]", "an object"},
    {SERVE_CHAT, "[{\"content\":\"a\"}]", "messages[0].role", "found none"},
    {SERVE_CHAT, "[{\"role\":\"model\",\"content\":\"a\"}]", "messages[0].role", "found \"model\""},
    {SERVE_CHAT, "[{\"role\":\"user\"}]", "messages[0].content", "found null"},
    {SERVE_CHAT, "[{\"role\":\"user\",\"content\":7}]", "messages[0].content", "found 7"},
    {SERVE_CHAT, "[{\"role\":\"user\",\"content\":\"a\",\"mood\":1}]", "messages[0].mood", "not supported"},
    {SERVE_CHAT, "[{\"role\":\"user\",\"content\":[{\"type\":\"video_url\"}]}]",
     "messages[0].content[0].type", "found \"video_url\""},
    {SERVE_CHAT, "[{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}]", "messages[0].content[0].text",
     "found none"},
    {SERVE_CHAT, "[{\"role\":\"system\",\"content\":[{\"type\":\"image_url\",\"image_url\":\"data:\"}]}]",
     "messages[0].content[0].type", "expected \"text\""},
    {SERVE_CHAT,
     "[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}]",
     "messages[0].tool_calls[0].function.arguments", "arguments"},
    {SERVE_CHAT,
     "[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":\"[]\"}}]}]",
     "messages[0].tool_calls[0].function.arguments", "a JSON object"},
    {SERVE_MESSAGES, "[{\"role\":\"system\",\"content\":\"a\"}]", "messages[0].role", "found \"system\""},
    {SERVE_MESSAGES, "[{\"role\":\"user\",\"content\":[{\"type\":\"document\"}]}]",
     "messages[0].content[0].type", "found \"document\""},
    {SERVE_MESSAGES,
     "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_result\",\"tool_"
     "use_id\":"
     "\"c\"}]}]",
     "messages[0].content[1].type", "before other blocks"},
    {SERVE_MESSAGES,
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"redacted_thinking\",\"data\":\"x\"}]}]",
     "messages[0].content[0].type", "redacted_thinking"},
    {SERVE_MESSAGES,
     "[{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\"}]}]",
     "messages[0].content[0].input", "found none"},
    {SERVE_RESPONSES, "[]", "input", "a list of items"},
    {SERVE_RESPONSES, "[{\"type\":\"item_reference\",\"id\":\"x\"}]", "input[0].type", "item_reference"},
    {SERVE_RESPONSES, "[{\"role\":\"user\",\"content\":[{\"type\":\"input_file\"}]}]",
     "input[0].content[0].type", "input_file"},
    {SERVE_RESPONSES, "[{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"x\"}]",
     "input[0].encrypted_content", "not supported"},
    {SERVE_RESPONSES, "[{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"7\"}]",
     "input[0].arguments", "a JSON object"},
};

START_TEST(messages_that_cannot_be_shown_to_the_model_are_refused_by_name)
{
    refuse(REFUSED[_i].endpoint, REFUSED[_i].messages, REFUSED[_i].member, REFUSED[_i].words);
}
END_TEST

START_TEST(blocks_of_messages_become_messages_of_a_template)
{
    expect(
        SERVE_MESSAGES,
        "[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
        "\"thinking\":\"t\",\"signature\":\"\"},{\"type\":\"text\",\"text\":\"a\",\"cache_control\":{"
        "\"type\":"
        "\"ephemeral\"}},{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{\"x\":1}}]},{\"role\":"
        "\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":[{\"type\":"
        "\"text\","
        "\"text\":\"r\"}]},{\"type\":\"tool_result\",\"tool_use_id\":\"d\",\"is_error\":true},{\"type\":"
        "\"text\","
        "\"text\":\"more\"}]}]",
        "\"system\":[{\"type\":\"text\",\"text\":\"s\"},{\"type\":\"text\",\"text\":\"S\"}]",
        "[{\"role\":\"system\",\"content\":\"s\\nS\"},{\"role\":\"user\",\"content\":\"q\"},{\"role\":"
        "\"assistant\","
        "\"reasoning_content\":\"t\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{"
        "\"name\":"
        "\"f\",\"arguments\":{\"x\":1}}}],\"content\":\"a\"},{\"role\":\"tool\",\"content\":\"r\",\"tool_"
        "call_id\":"
        "\"c\"},{\"role\":\"tool\",\"content\":\"\",\"tool_call_id\":\"d\",\"is_error\":true},{\"role\":"
        "\"user\","
        "\"content\":\"more\"}]");
    expect(SERVE_MESSAGES, "[{\"role\":\"user\",\"content\":\"q\"}]", "\"system\":\"s\"",
           "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"q\"}]");
    served_refuse(SERVE_MESSAGES,
                  body_of(SERVE_MESSAGES, "[{\"role\":\"user\",\"content\":\"q\"}]", "\"system\":7"), 400,
                  "system", "found 7");
}
END_TEST

START_TEST(items_of_one_turn_become_one_message)
{
    expect(SERVE_RESPONSES, "\"hi\"", "\"instructions\":\"s\"",
           "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"hi\"}]");
    expect(
        SERVE_RESPONSES,
        "[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"q\"}]},{\"type\":\"reasoning\","
        "\"id\":\"rs\",\"summary\":[],\"content\":[{\"type\":\"reasoning_text\",\"text\":\"t\"}]},{\"type\":"
        "\"message\",\"role\":\"assistant\",\"id\":\"msg\",\"status\":\"completed\",\"content\":[{\"type\":"
        "\"output_text\",\"text\":\"a\",\"annotations\":[],\"logprobs\":[]}]},{\"type\":\"function_call\","
        "\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"},{\"type\":\"function_call\",\"call_id\":"
        "\"d\","
        "\"name\":\"g\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\",\"call_id\":\"c\","
        "\"output\":\"r\""
        "},{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"assistant\",\"content\":\"B\"},{\"role\":"
        "\"developer\",\"content\":\"d\"}]",
        "",
        "[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"a\",\"reasoning_"
        "content\":"
        "\"t\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\","
        "\"arguments\":{}}},"
        "{\"id\":\"d\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":{}}}]},{\"role\":"
        "\"tool\","
        "\"content\":\"r\",\"tool_call_id\":\"c\"},{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":"
        "\"assistant\",\"content\":\"B\"},{\"role\":\"system\",\"content\":\"d\"}]");
}
END_TEST

START_TEST(tools_of_all_endpoints_have_one_form)
{
    static const struct {
        serve_endpoint endpoint;
        const char *tools;
    } rows[] = {
        {SERVE_CHAT,
         "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"d\",\"parameters\":{"
         "\"type\":\"object\"},\"strict\":false}}]"},
        {SERVE_MESSAGES, "[{\"name\":\"f\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\"}}]"},
        {SERVE_RESPONSES,
         "[{\"type\":\"function\",\"name\":\"f\",\"description\":\"d\",\"parameters\":{\"type\":"
         "\"object\"}}]"}};
    static const char *const none[] = {"\"none\"", "{\"type\":\"none\"}", "\"none\""};
    const serve_endpoint e = rows[_i].endpoint;
    char more[1024];
    (void)snprintf(more, sizeof more, "\"tools\":%s", rows[_i].tools);
    server_request *q = served_read(e, body_of(e, "[{\"role\":\"user\",\"content\":\"q\"}]", more));
    expect_line(q, 1,
                "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"d\",\"parameters\":{"
                "\"type\":\"object\"}}}]");
    server_request_free(q);
    (void)snprintf(more, sizeof more, "\"tools\":%s,\"tool_choice\":%s", rows[_i].tools, none[_i]);
    q = served_read(e, body_of(e, "[{\"role\":\"user\",\"content\":\"q\"}]", more));
    const char *line = strchr(served_prompt(q, 0), '\n');
    ck_assert_int_eq(strncmp(line + 1, "null\n", 5), 0);
    server_request_free(q);
}
END_TEST

START_TEST(tools_that_the_server_lacks_are_refused)
{
    static const char *const messages = "[{\"role\":\"user\",\"content\":\"q\"}]";
    served_refuse(SERVE_CHAT, body_of(SERVE_CHAT, messages, "\"tools\":[{\"type\":\"custom\"}]"), 400,
                  "tools[0].type", "found \"custom\"");
    served_refuse(
        SERVE_CHAT,
        body_of(SERVE_CHAT, messages,
                "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"strict\":true}}]"),
        400, "tools[0].function.strict", "expected false");
    served_refuse(SERVE_MESSAGES,
                  body_of(SERVE_MESSAGES, messages, "\"tools\":[{\"type\":\"bash_20250124\"}]"), 400,
                  "tools[0].type", "bash_20250124");
    served_refuse(SERVE_RESPONSES,
                  body_of(SERVE_RESPONSES, messages, "\"tools\":[{\"type\":\"web_search\"}]"), 400,
                  "tools[0].type", "web_search");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/request/conversation");
    TCase *all = tcase_create("all");
    tcase_add_test(all, chat_messages_keep_their_members);
    tcase_add_loop_test(all, messages_that_cannot_be_shown_to_the_model_are_refused_by_name, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, blocks_of_messages_become_messages_of_a_template);
    tcase_add_test(all, items_of_one_turn_become_one_message);
    tcase_add_loop_test(all, tools_of_all_endpoints_have_one_form, 0, 3);
    tcase_add_test(all, tools_that_the_server_lacks_are_refused);
    suite_add_tcase(s, all);
    return support_run(s);
}
