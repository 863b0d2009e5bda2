/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "dialogue/response/tests/angles.h"

#include <string.h>

/* Whether the reply is opened with thinking off, and with which tools. */
static const struct {
    size_t endpoint;
    const char *request, *server;
    bool off, tools;
    const char *parsed; /* the request that the tool-call parser receives */
} READINGS[] = {
    {0, "{}", "{\"model\":\"m\",\"reasoning_parser\":\"p\"}", false, false, ""},
    {0, "{\"enable_thinking\":false}", "{\"model\":\"m\"}", true, false, ""},
    {1, "{\"enable_thinking\":false}", "{\"model\":\"m\"}", false, false, ""},
    {2, "{\"chat_template_kwargs\":{\"enable_thinking\":false}}", "{\"model\":\"m\"}", true, false, ""},
    {1, "{}", "{\"model\":\"m\",\"default_chat_template_kwargs\":{\"enable_thinking\":false}}", true, false,
     ""},
    {1, "{\"chat_template_kwargs\":{\"enable_thinking\":true}}",
     "{\"model\":\"m\",\"default_chat_template_kwargs\":{\"enable_thinking\":false}}", false, false, ""},
    {0, "{\"enable_thinking\":true}",
     "{\"model\":\"m\",\"default_chat_template_kwargs\":{\"enable_thinking\":false}}", true, false, ""},
    {2, "{\"chat_template_kwargs\":{\"enable_thinking\":null}}",
     "{\"model\":\"m\",\"default_chat_template_kwargs\":{\"enable_thinking\":false}}", false, false, ""},
    {1, "{\"chat_template_kwargs\":{\"enable_thinking\":\"false\"}}",
     "{\"model\":\"m\",\"default_chat_template_kwargs\":{\"enable_thinking\":false}}", false, false, ""},
    {0, "{\"chat_template_kwargs\":{\"x\":1},\"enable_thinking\":null}",
     "{\"model\":\"m\",\"default_chat_template_kwargs\":{\"enable_thinking\":false}}", true, false, ""},
    {0, "{\"chat_template_kwargs\":{\"enable_thinking\":0}}", "{\"model\":\"m\"}", false, false, ""},
    {0, "{\"tools\":[]}", "{\"model\":\"m\",\"tool_parser\":\"t\",\"auto_tool_choice\":true}", false, false,
     ""},
    {0, "{\"tools\":[{\"x\":1}]}", "{\"model\":\"m\",\"tool_parser\":\"t\"}", false, false,
     "{\"tools\":[{\"x\":1}]}"},
    {0, "{\"tools\":[{\"x\":1}],\"tool_choice\":\"none\"}", ANGLES_SERVER, false, false,
     "{\"tools\":[{\"x\":1}]}"},
    {0, "{\"tools\":[{\"x\":1}],\"tool_choice\":\"none\\u0000\"}", ANGLES_SERVER, false, true,
     "{\"tools\":[{\"x\":1}]}"},
    {0, "{\"tools\":[{\"x\":1}],\"tool_choice\":{\"type\":\"none\"}}", ANGLES_SERVER, false, true,
     "{\"tools\":[{\"x\":1}]}"},
    {1, "{\"tools\":[{\"name\":\"f\",\"input_schema\":{}}],\"tool_choice\":{\"type\":\"none\"}}",
     ANGLES_SERVER, false, false,
     "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{}}}]}"},
    {1, "{\"tools\":[{\"name\":\"f\",\"input_schema\":{}}]}", ANGLES_SERVER, false, true,
     "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{}}}]}"},
    {2, "{\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{\"a\":1}}]}", ANGLES_SERVER, false,
     true, "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"a\":1}}}]}"},
};

START_TEST(request_and_server_say_how_a_reply_is_read)
{
    buffer body = {0};
    assay_response *r;
    assay_error err;
    ck_assert_msg(angles_open(angles_paths[READINGS[_i].endpoint], READINGS[_i].request, READINGS[_i].server,
                              &r, &err) == ASSAY_OK,
                  "%s", err.text);
    ck_assert_str_eq(angles_request, READINGS[_i].parsed);
    ck_assert_int_eq(angles_say(r, "<t>a[f|{}]", 10, "stop", &body), ASSAY_OK);
    serve_response_free(r);
    buffer_append(&body, "", 1);
    const char *thought = strstr(body.data, "\"t\""), *call = strstr(body.data, "\"f\"");
    ck_assert_int_eq(thought == NULL, READINGS[_i].off);
    ck_assert_int_eq(call != NULL, READINGS[_i].tools);
    buffer_free(&body);
}
END_TEST

static const struct {
    const char *path, *request, *server;
    assay_status status;
    const char *text;
} REFUSED[] = {
    {"/v1/embeddings", "{}", "{}", ASSAY_EUNSUPPORTED, "/v1/embeddings"},
    {"/v1/chat/completions", "{\"n\": 0}", "{\"model\":\"m\"}", ASSAY_EFORMAT, "n: found 0"},
    {"/v1/completions", "{\"n\": 9000, \"prompt\": [[1], [2]]}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "n: found 9000 for 2"},
    {"/v1/completions", "{\"logprobs\": true}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "logprobs: found boolean"},
    {"/v1/messages", "[]", "{}", ASSAY_EFORMAT, "request"},
    {"/v1/messages", "{", "{}", ASSAY_EFORMAT, "request"},
    {"/v1/messages", "{}", "7", ASSAY_EFORMAT, "server"},
    {"/v1/messages", "{}", "{}", ASSAY_EFORMAT, "request: model: found none, expected a name"},
    {"/v1/messages", "{\"model\": 7}", "{}", ASSAY_EFORMAT, "model"},
    {"/v1/messages", "{\"model\": \"a\\u0000\"}", "{}", ASSAY_EFORMAT, "U+0000"},
    {"/v1/messages", "{\"stream\": 1}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "request: stream: found int, expected boolean"},
    {"/v1/messages", "{\"tools\": {}}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "request: tools: found object, expected array"},
    {"/v1/messages", "{\"tools\": [1]}", "{\"model\":\"m\"}", ASSAY_EFORMAT, "tools"},
    {"/v1/messages", "{\"tools\": [{\"name\": 1}]}", "{\"model\":\"m\"}", ASSAY_EFORMAT, "name"},
    {"/v1/chat/completions", "{\"stream_options\": []}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "request: stream_options: found array, expected object"},
    {"/v1/chat/completions", "{\"stream_options\": {\"include_usage\": 1}}", "{\"model\":\"m\"}",
     ASSAY_EFORMAT, "stream_options: include_usage: found int, expected boolean"},
    {"/v1/chat/completions", "{\"enable_thinking\": 0}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "request: enable_thinking: found int, expected boolean"},
    {"/v1/messages", "{}", "{\"model\":\"m\",\"default_chat_template_kwargs\":[]}", ASSAY_EFORMAT,
     "server: default_chat_template_kwargs: found array, expected object"},
    {"/v1/messages", "{\"chat_template_kwargs\":[]}", "{\"model\":\"m\"}", ASSAY_EFORMAT,
     "request: chat_template_kwargs: found array, expected object"},
    {"/v1/responses", "{}", "{\"model\":\"m\",\"auto_tool_choice\":\"yes\"}", ASSAY_EFORMAT,
     "server: auto_tool_choice: found string, expected boolean"},
};

START_TEST(invalid_requests_are_refused_by_member_name)
{
    assay_response *r = NULL;
    assay_error err;
    ck_assert_int_eq(angles_open(REFUSED[_i].path, REFUSED[_i].request, REFUSED[_i].server, &r, &err),
                     REFUSED[_i].status);
    ck_assert_ptr_null(r);
    support_expect_error(&err, REFUSED[_i].status, REFUSED[_i].text, NULL);
}
END_TEST

#define N(rows) ((int)(sizeof(rows) / sizeof *(rows)))

int main(void)
{
    Suite *suite = suite_create("dialogue/response/request");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, request_and_server_say_how_a_reply_is_read, 0, N(READINGS));
    tcase_add_loop_test(all, invalid_requests_are_refused_by_member_name, 0, N(REFUSED));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
