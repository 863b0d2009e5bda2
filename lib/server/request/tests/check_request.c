/* Prompts of completions, hostile bodies, refusals as the protocols write them, and the response of a
 * request.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "dialogue/table.h"
#include "server/request/tests/served.h"

static server_request *prompts(const char *value)
{
    char body[4096];
    (void)snprintf(body, sizeof body, "{\"model\":\"m\",\"echo\":true,\"prompt\":%s}", value);
    return served_read(SERVE_COMPLETIONS, body);
}

START_TEST(prompts_are_a_text_or_ids_or_lists_of_them)
{
    static const struct {
        const char *value;
        size_t n;
        const char *texts[3];
    } rows[] = {{"\"ab\"", 1, {"ab"}},
                {"[\"ab\",\"é\"]", 2, {"ab", "é"}},
                {"[97,98]", 1, {"ab"}},
                {"[[97],[98,256]]", 2, {"a", "b<|im_end|>"}},
                {"[\"a\",[98]]", 2, {"a", "b"}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        server_request *q = prompts(rows[i].value);
        ck_assert_uint_eq(q->n_prompts, rows[i].n);
        for (size_t k = 0; k < q->n_prompts; k++) {
            ck_assert_str_eq(served_prompt(q, k), rows[i].texts[k]);
            ck_assert_uint_eq(q->prompts[k].text.n, strlen(rows[i].texts[k]));
            ck_assert_mem_eq(q->prompts[k].text.data, rows[i].texts[k], q->prompts[k].text.n);
        }
        server_request_free(q);
    }
}
END_TEST

static const struct {
    const char *value, *member, *words;
} BAD_PROMPTS[] = {
    {"7", "prompt", "a text, or a list of token ids"},
    {"{}", "prompt", "a text, or a list of token ids"},
    {"\"\"", "prompt", "without a token"},
    {"[]", "prompt", "at least one token id"},
    {"[[]]", "prompt[0]", "at least one token id"},
    {"[\"a\",\"\"]", "prompt[1]", "without a token"},
    {"[\"a\",7]", "prompt[1]", "found 7"},
    {"[97,\"a\"]", "prompt[1]", "a token id"},
    {"[97,262]", "prompt[1]", "found 262"},
    {"[97,-1]", "prompt[1]", "found -1"},
    {"[97,1.5]", "prompt[1]", "found 1.5"},
    {"[97,18446744073709551616]", "prompt[1]", "found 18446744073709551616"},
    {"[[97],[[98]]]", "prompt[1][0]", "a token id"},
};

START_TEST(other_prompts_are_refused_by_element)
{
    char body[512];
    (void)snprintf(body, sizeof body, "{\"model\":\"m\",\"prompt\":%s}", BAD_PROMPTS[_i].value);
    served_refuse(SERVE_COMPLETIONS, body, 400, BAD_PROMPTS[_i].member, BAD_PROMPTS[_i].words);
}
END_TEST

/* n times `element`, between head and tail. */
static char *repeat(const char *head, const char *element, size_t n, const char *separator, const char *tail)
{
    buffer b = {0};
    buffer_append_string(&b, head);
    for (size_t i = 0; i < n; i++) {
        if (i) buffer_append_string(&b, separator);
        buffer_append_string(&b, element);
    }
    buffer_append_string(&b, tail);
    buffer_append(&b, "", 1);
    ck_assert(!b.failed);
    return b.data;
}

static void refuse_and_free(serve_endpoint e, char *body, int status, const char *member, const char *words)
{
    served_refuse(e, body, status, member, words);
    free(body);
}

START_TEST(bodies_that_are_no_json_object_are_refused)
{
    static const char *const bodies[] = {"",
                                         "{",
                                         "[]",
                                         "7",
                                         "null",
                                         "\"\xff\"",
                                         "{\"model\":\"m\"}x",
                                         "{\"model\":NaN}",
                                         "{\"model\":1e999}",
                                         "\xef\xbb\xbf{}",
                                         "{'a':1}"};
    for (serve_endpoint e = 0; e < SERVE_N_ENDPOINTS; e++)
        for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
            served_refuse(e, bodies[i], 400, "", "the request");
}
END_TEST

START_TEST(deep_and_large_bodies_are_refused_before_they_cost_memory)
{
    for (serve_endpoint e = 0; e < SERVE_N_ENDPOINTS; e++) {
        refuse_and_free(e, repeat("", "[", 100000, "", ""), 400, "", "");
        refuse_and_free(e, repeat("", "{\"a\":", 100000, "", ""), 400, "", "");
        refuse_and_free(e, repeat("{\"model\":\"m\",\"stop\":[", "\"a\"", 300000, ",", "]}"), 413, "", "");
    }
}
END_TEST

START_TEST(ten_thousand_messages_are_read_or_refused_by_their_length)
{
    static const char message[] = "{\"role\":\"user\",\"content\":\"\"}";
    refuse_and_free(SERVE_CHAT, repeat("{\"model\":\"m\",\"messages\":[", message, 10000, ",", "]}"), 400,
                    "messages", "tokens, expected fewer than 4096");
    refuse_and_free(SERVE_CHAT, repeat("{\"model\":\"m\",\"messages\":[", message, 16385, ",", "]}"), 413,
                    "messages[16384]", "more than 16384 messages");
    refuse_and_free(SERVE_COMPLETIONS, repeat("{\"model\":\"m\",\"prompt\":[", "\"a\"", 16385, ",", "]}"),
                    413, "prompt", "found 16385 prompts");
    refuse_and_free(SERVE_COMPLETIONS, repeat("{\"model\":\"m\",\"prompt\":[", "\"a\"", 129, ",", "]}"), 400,
                    "prompt", "at most 128 in all");
    refuse_and_free(SERVE_COMPLETIONS, repeat("{\"model\":\"m\",\"prompt\":\"", "a", 4096, "", "\"}"), 400,
                    "prompt", "the prompt has 4096 tokens");
    refuse_and_free(SERVE_COMPLETIONS,
                    repeat("{\"model\":\"m\",\"stop\":[", "\"a\"", 65, ",", "],\"prompt\":\"a\"}"), 400,
                    "stop[64]", "more than 64");
    refuse_and_free(SERVE_COMPLETIONS,
                    repeat("{\"model\":\"m\",\"prompt\":\"a\",\"stop\":\"", "a", 4097, "", "\"}"), 400,
                    "stop", "found 4097 bytes");
}
END_TEST

START_TEST(an_answer_of_too_many_logprobs_is_refused)
{
    served_refuse(SERVE_CHAT,
                  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"logprobs\":true,"
                  "\"top_logprobs\":-1,\"n\":8}",
                  413, "top_logprobs", "expected at most 4194304");
    served_refuse(SERVE_COMPLETIONS,
                  "{\"model\":\"m\",\"prompt\":\"a\",\"logprobs\":-1,\"n\":128,\"max_tokens\":4000}", 413,
                  "logprobs", "expected at most");
}
END_TEST

START_TEST(a_long_path_keeps_its_end)
{
    char name[400], body[1024], member[96];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)snprintf(body, sizeof body, "{\"model\":\"m\",\"messages\":[],\"%s\":1}", name);
    memset(member, 'x', 64);
    member[64] = '\0';
    server_refusal refusal = {0};
    server_request *q = NULL;
    ck_assert_int_eq(server_request_read(served_requests(), SERVE_CHAT, (assay_text){body, strlen(body)},
                                         NULL, &q, &refusal),
                     ASSAY_EINVAL);
    ck_assert_str_eq(refusal.member, "messages");
    (void)snprintf(body, sizeof body, "{\"model\":\"m\",\"%s\":1,\"messages\":[]}", name);
    served_refuse(SERVE_CHAT, body, 400, member, "does not know");
}
END_TEST

START_TEST(refusals_have_the_published_form)
{
    static const struct {
        serve_endpoint endpoint;
        int status;
        const char *member, *body;
    } rows[] = {
        {SERVE_CHAT, 400, "n",
         "{\"error\":{\"message\":\"a\\\"\",\"type\":\"invalid_request_error\",\"param\":\"n\",\"code\":null}"
         "}"},
        {SERVE_RESPONSES, 404, "model",
         "{\"error\":{\"message\":\"a\\\"\",\"type\":\"invalid_request_error\",\"param\":\"model\",\"code\":"
         "\"model_"
         "not_found\"}}"},
        {SERVE_COMPLETIONS, 401, "",
         "{\"error\":{\"message\":\"a\\\"\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":"
         "\"invalid_api_"
         "key\"}}"},
        {SERVE_CHAT, 503, "",
         "{\"error\":{\"message\":\"a\\\"\",\"type\":\"server_error\",\"param\":null,\"code\":null}}"},
        {SERVE_MESSAGES, 404, "model",
         "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":\"a\\\"\"}}"},
        {SERVE_MESSAGES, 500, "",
         "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"a\\\"\"}}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        buffer body = {0};
        ck_assert(server_refusal_write(rows[i].endpoint, rows[i].status, rows[i].member, "a\"", &body));
        buffer_append(&body, "", 1);
        ck_assert_str_eq(body.data, rows[i].body);
        buffer_free(&body);
    }
}
END_TEST

static void collect(void *context, const char *bytes, size_t n)
{
    buffer_append(context, bytes, n);
}

START_TEST(the_response_of_a_request_uses_the_parsers_of_the_checkpoint)
{
    ck_assert_str_eq(server_requests_reasoning(served_requests()), "qwen3");
    ck_assert_str_eq(server_requests_tools(served_requests()), "hermes");
    server_request *q = served_read(
        SERVE_CHAT,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"tools\":[{\"type\":"
        "\"function\",\"function\":{\"name\":\"f\"}}]}");
    static const char said[] = "<think>t</think>a<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    assay_response *r = NULL;
    buffer body = {0};
    const assay_byte_sink sink = {.take = collect, .context = &body};
    const assay_response_chunk chunk = {
        .size = sizeof chunk, .finished = 1, .new_text = {said, sizeof said - 1}, .prompt_tokens = 1};
    assay_error err = {0};
    ck_assert_msg(server_request_respond(served_requests(), q, "7", 5, &r, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(assay_serving_v2()->response_chunk(r, &chunk, &sink, &err), ASSAY_OK);
    buffer_append(&body, "", 1);
    ck_assert_ptr_nonnull(
        strstr(body.data, "\"content\":\"a\",\"reasoning_content\":\"t\",\"tool_calls\":[{\"id\":"));
    ck_assert_ptr_nonnull(strstr(body.data, "\"model\":\"m\""));
    assay_serving_v2()->response_free(r);
    server_request_free(q);
    buffer_free(&body);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/request/request");
    TCase *all = tcase_create("all");
    tcase_add_test(all, prompts_are_a_text_or_ids_or_lists_of_them);
    tcase_add_loop_test(all, other_prompts_are_refused_by_element, 0,
                        (int)(sizeof BAD_PROMPTS / sizeof *BAD_PROMPTS));
    tcase_add_test(all, bodies_that_are_no_json_object_are_refused);
    tcase_add_test(all, deep_and_large_bodies_are_refused_before_they_cost_memory);
    tcase_add_test(all, ten_thousand_messages_are_read_or_refused_by_their_length);
    tcase_add_test(all, an_answer_of_too_many_logprobs_is_refused);
    tcase_add_test(all, a_long_path_keeps_its_end);
    tcase_add_test(all, refusals_have_the_published_form);
    tcase_add_test(all, the_response_of_a_request_uses_the_parsers_of_the_checkpoint);
    suite_add_tcase(s, all);
    return support_run(s);
}
