/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/response.h"

#include "base/tests/support.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/response/tests/angles.h"

#include <stdlib.h>
#include <string.h>

static const char STREAM[] =
    "{\"stream\": true, \"stream_options\": {\"include_usage\": true}, \"tools\": [{}]}";
static const char WHOLE[] = "{\"tools\": [{}]}";

/* The smallest number of bytes, at least n, at which a character ends. */
static size_t cut(const char *text, size_t n)
{
    n = n < strlen(text) ? n : strlen(text);
    while (((unsigned char)text[n] & 0xc0U) == 0x80U) n++;
    return n;
}

/* The whole body of a reply that is fed in pieces of about `piece` bytes, terminated; the caller frees it. */
static char *answer(const char *path, const char *request, const char *text, const char *finish, size_t piece)
{
    buffer body = {0};
    assay_response *r;
    ck_assert_int_eq(angles_open(path, request, ANGLES_SERVER, &r, NULL), ASSAY_OK);
    for (size_t n; (n = cut(text, piece)) > 0; text += n)
        ck_assert_int_eq(angles_say(r, text, n, NULL, &body), ASSAY_OK);
    ck_assert_int_eq(angles_say(r, "", 0, finish, &body), ASSAY_OK);
    serve_response_free(r);
    buffer_append(&body, "", 1);
    return body.data;
}

static void expect_sound(const char *path, const char *body, bool failed, const char *what)
{
    serve_grammar_options options = {.usage = SERVE_ASKED_FOR};
    serve_grammar_summary summary;
    serve_grammar *g;
    ck_assert(serve_endpoint_find(path, &options.endpoint));
    ck_assert_int_eq(serve_grammar_open(&options, &g), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_feed(g, body, strlen(body)), ASSAY_OK);
    ck_assert_int_eq(serve_grammar_end(g), ASSAY_OK);
    const serve_breach *breach = serve_grammar_breaches(g)->at;
    ck_assert_msg(!breach, "%s: %s: %s: %s\n%s", path, what, breach ? breach->rule : "",
                  breach ? breach->text : "", body);
    serve_grammar_summarise(g, &summary);
    ck_assert_int_eq(summary.failed, failed);
    serve_grammar_free(g);
}

static const char *const REPLIES[] = {"",
                                      "a",
                                      " \n ",
                                      "<t>a",
                                      "<t> ",
                                      "<t>a<u>b",
                                      "< > \n<t>",
                                      "[f|{}]",
                                      "[f|]",
                                      "[f|no json]",
                                      "[f|[1]]",
                                      "[f|\"s\"]",
                                      "[f|{}][g|{}]",
                                      "[f|{}]\n[g|{}] ",
                                      "a[f|{}]b",
                                      "<t>[f|{}]",
                                      "[f|{}]<t>a",
                                      "a [f|{\"x\":1",
                                      "[f|{}",
                                      "<t",
                                      "\377a\200",
                                      "a\"\\\n\x01b",
                                      "<é>東京👍🏽",
                                      "[f|{\"é\": \"\\u0000\"}]"};

static const char *const FINISHES[] = {"stop", "length", "content_filter", "other"};

START_TEST(every_stream_of_every_reply_is_valid)
{
    for (size_t e = 0; e < 3; e++) {
        for (size_t f = 0; f < sizeof FINISHES / sizeof *FINISHES; f++) {
            for (size_t piece = 1; piece < 8; piece++) {
                char *body = answer(angles_paths[e], STREAM, REPLIES[_i], FINISHES[f], piece);
                expect_sound(angles_paths[e], body, false, REPLIES[_i]);
                free(body);
            }
        }
    }
}
END_TEST

START_TEST(a_failure_anywhere_is_reported_and_ends_the_stream)
{
    static const char *const said[] = {"no \\\"luck\\\"", "the engine failed",
                                       "the engine ended without a reason"};
    const assay_byte_sink nowhere = {.take = angles_collect};
    for (size_t e = 0; e < 3; e++) {
        for (size_t at = 0; at <= strlen(REPLIES[_i]); at++) {
            for (int how = 0; how < 3; how++) {
                buffer body = {0};
                const assay_byte_sink sink = {.take = angles_collect, .context = &body};
                assay_response *r;
                ck_assert_int_eq(angles_open(angles_paths[e], STREAM, ANGLES_SERVER, &r, NULL), ASSAY_OK);
                ck_assert_int_eq(angles_say(r, REPLIES[_i], cut(REPLIES[_i], at), NULL, &body), ASSAY_OK);
                if (how == 0) ck_assert_int_eq(serve_response_fail(r, "no \"luck\"", &sink, NULL), ASSAY_OK);
                if (how == 1) ck_assert_int_eq(angles_say(r, "", 0, "error", &body), ASSAY_OK);
                ck_assert_int_eq(serve_response_end(r, &sink, NULL), ASSAY_OK);
                ck_assert_int_eq(serve_response_fail(r, "again", &nowhere, NULL), ASSAY_EINVAL);
                serve_response_free(r);
                buffer_append(&body, "", 1);
                expect_sound(angles_paths[e], body.data, true, REPLIES[_i]);
                ck_assert_ptr_nonnull(strstr(body.data, said[how]));
                buffer_free(&body);
            }
        }
    }
}
END_TEST

START_TEST(a_count_of_0_is_no_information)
{
    for (size_t e = 0; e < 3; e++) {
        buffer body = {0};
        const assay_byte_sink sink = {.take = angles_collect, .context = &body};
        const assay_response_chunk last = {.size = sizeof last, .finished = true, .finish_reason = "stop"};
        assay_response *r;
        ck_assert_int_eq(angles_open(angles_paths[e], STREAM, ANGLES_SERVER, &r, NULL), ASSAY_OK);
        ck_assert_int_eq(angles_say(r, "a", 1, NULL, &body), ASSAY_OK);
        body.n = 0; /* the position at which the input is counted, too */
        ck_assert_int_eq(serve_response_chunk(r, &last, &sink, NULL), ASSAY_OK);
        serve_response_free(r);
        buffer_append(&body, "", 1);
        ck_assert_ptr_nonnull(strstr(body.data, e == 0 ? "\"prompt_tokens\":3" : "\"input_tokens\":3"));
        ck_assert_ptr_nonnull(strstr(body.data, e == 0 ? "\"completion_tokens\":2" : "\"output_tokens\":2"));
        buffer_free(&body);
    }
}
END_TEST

START_TEST(a_response_is_freed_if_the_client_disconnects)
{
    for (size_t e = 0; e < 3; e++) {
        buffer body = {0};
        assay_response *r;
        ck_assert_int_eq(angles_open(angles_paths[e], STREAM, ANGLES_SERVER, &r, NULL), ASSAY_OK);
        ck_assert_int_eq(angles_say(r, "<t>a[f", 6, NULL, &body), ASSAY_OK);
        serve_response_free(r);
        buffer_free(&body);
    }
}
END_TEST

/* Fragments that a body has in this order, and one that it must not have. */
static const struct {
    size_t endpoint;
    const char *request, *reply, *finish, *in_order[4], *never;
} ROWS[] = {
    {0,
     STREAM,
     "<t> a",
     "stop",
     {"\"reasoning_content\":\"t\"", "\"content\":\" a\"", "\"finish_reason\":\"stop\"", "[DONE]"},
     "tool_calls"},
    {0,
     STREAM,
     "<t>",
     "length",
     {"\"role\":\"assistant\"", "\"finish_reason\":\"length\"",
      "\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}"},
     "\"content\""},
    {0, "{\"stream\":true}", "a", "stop", {"\"finish_reason\":\"stop\"", "[DONE]"}, "usage"},
    {0,
     STREAM,
     "a[f|{}] \n[g|1]",
     "length",
     {"\"index\":0,\"id\":\"call_7_0\"", "\"index\":1,\"id\":\"call_7_1\"",
      "\"finish_reason\":\"tool_calls\""},
     "\"content\":\" "},
    {0,
     STREAM,
     "a[f|{}] b",
     "stop",
     {"\"content\":\"a\"", "tool_calls", "\"content\":\" b\""},
     "null,\"content\""},
    {0, STREAM, "[f|no]", "stop", {"\"arguments\":\"\\\"no\\\"\""}, "\"arguments\":\"no"},
    {0,
     "{\"stream\":true}",
     "a[PAD]b[PA<[PAD]",
     "stop",
     {"\"content\":\"a\"", "\"content\":\"b\"", "\"content\":\"[PA\"", "\"reasoning_content\":\"[\""},
     "D]b"},
    {0, STREAM, " <t>b", "stop", {"\"reasoning_content\":\"t\"", "\"content\":\" b\""}, "\"content\":\"b"},
    {1, STREAM, "< >a<t", "stop", {"\"text\":\"a\"", "\"thinking\":\"t\""}, "\"thinking\":\" t"},
    {1, "{}", "a[SEP] [SE", "stop", {"\"text\":\"a [SE\""}, "SEP]"},
    {1,
     "{\"tools\":[{\"name\":\"f\",\"input_schema\":{\"properties\":{\"x\":{\"type\":\"integer\"}}}}]}",
     "[f|{\"x\":\"1\"}][g|{\"x\":\"1\"}]",
     "stop",
     {"\"name\":\"f\",\"input\":{\"x\": 1}", "\"name\":\"g\",\"input\":{\"x\":\"1\"}"},
     "\"f\",\"input\":{\"x\":\"1"},
    {1,
     "{\"stream\":true}",
     "ab[PA<t",
     "stop",
     {"text_delta\",\"text\":\"[PA\"", "content_block_stop", "\"thinking\":\"t\""},
     "max_tokens"},
    {0, STREAM, "[f|]", "stop", {"\"arguments\":\"{}\""}, "\"arguments\":\"\""},
    {0,
     WHOLE,
     "<t>a[f|{}]b",
     "stop",
     {"\"object\":\"chat.completion\",\"created\":5,\"model\":\"m\"", "\"content\":\"ab\"",
      "\"reasoning_content\":\"t\"", "\"tool_calls\":[{\"id\":\"call_7_0\""},
     "data:"},
    {0,
     WHOLE,
     "",
     "stop",
     {"\"content\":null", "\"finish_reason\":\"stop\"", "\"usage\":{\"prompt_tokens\":3"},
     "tool_calls"},
    {0, WHOLE, "[f|{}]", "stop", {"\"tool_calls\":[{\"id\":\"call_7_0\""}, "\"content\":\""},
    {0, STREAM, "[|{}]", "stop", {"\"function\":{\"name\":\"\",\"arguments\":\"{}\"}"}, "\\u0000"},
    {1,
     STREAM,
     "<t>a",
     "stop",
     {"\"input_tokens\":3", "\"type\":\"thinking\"", "\"type\":\"text\"",
      "\"stop_reason\":\"end_turn\",\"stop_sequence\":null"},
     "tool_use"},
    {1, STREAM, "a", "length", {"\"stop_reason\":\"max_tokens\""}, "thinking"},
    {1, STREAM, " \n <t> \n", "stop", {"\"thinking\":\"t\""}, "text_delta"},
    {1,
     STREAM,
     "a[f|{}]",
     "length",
     {"\"type\":\"tool_use\",\"id\":\"toolu_7_0\",\"name\":\"f\"", "\"partial_json\":\"{}\"",
      "\"stop_reason\":\"tool_use\""},
     "max_tokens"},
    {1, STREAM, "[f|[1]]", "stop", {"\"partial_json\":\"{}\""}, "[1"},
    {1,
     WHOLE,
     "a[f|{\"x\":1}]b",
     "stop",
     {"\"text\":\"a\"", "\"input\":{\"x\":1}", "\"text\":\"b\"", "\"stop_reason\":\"tool_use\""},
     "data:"},
    {1, WHOLE, "[f|no]", "stop", {"\"input\":{}}"}, "no"},
    {1, WHOLE, "[f| \t\n\r{\"x\":1}]", "stop", {"\"input\": \t\n\r{\"x\":1}}"}, "\"input\":{}"},
    {2,
     STREAM,
     "<t>a",
     "stop",
     {"\"sequence_number\":1,", "\"id\":\"rs_7_0\"", "\"id\":\"msg_7_1\"", "response.completed"},
     "incomplete\""},
    {2,
     STREAM,
     "a",
     "length",
     {"\"status\":\"incomplete\",\"role\"", "event: response.incomplete",
      "\"incomplete_details\":{\"reason\":\"max_output_tokens\"}"},
     "response.completed"},
    {2,
     STREAM,
     "a",
     "content_filter",
     {"\"incomplete_details\":{\"reason\":\"content_filter\"}"},
     "response.completed"},
    {2,
     STREAM,
     "[f|{}]",
     "stop",
     {"\"arguments\":\"\"", "function_call_arguments.delta", "function_call_arguments.done",
      "\"usage\":{\"input_tokens\":3"},
     "content_part"},
    {2,
     WHOLE,
     "<t>a[f|{}]",
     "stop",
     {"\"type\":\"reasoning\"", "\"type\":\"message\"", "\"type\":\"function_call\"",
      "\"usage\":{\"input_tokens\":3"},
     "event:"},
    {0,
     "{\"tools\":[{\"x\":1}],\"parallel_tool_calls\":false}",
     "[f|{}]a[g|{\"b\":1}]",
     "stop",
     {"\"name\":\"f\",\"arguments\":\"{}\"", "\"finish_reason\":\"tool_calls\""},
     "\\\"b\\\""},
    {1,
     "{\"tools\":[{\"name\":\"f\"}],\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":true}}",
     "[f|{}]a[g|{\"b\":1}]",
     "stop",
     {"\"name\":\"f\",\"input\":{}", "\"stop_reason\":\"tool_use\""},
     "\"g\""},
    {2,
     "{\"tools\":[{\"name\":\"f\"}],\"parallel_tool_calls\":false}",
     "[f|{}]a[g|{\"b\":1}]",
     "stop",
     {"\"name\":\"f\",\"arguments\":\"{}\"", "\"parallel_tool_calls\":false"},
     "\"g\""},
    {0,
     "{\"tools\":[{\"x\":1}],\"parallel_tool_calls\":false,\"stream\":true}",
     "[f|{}]a[g|{\"b\":1}]",
     "stop",
     {"\"name\":\"f\",\"arguments\":\"{}\"", "\"finish_reason\":\"tool_calls\""},
     "\\\"b\\\""},
    {1,
     "{\"tools\":[{\"name\":\"f\"}],\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":true},"
     "\"stream\":true}",
     "[f|{}]a[g|{\"b\":1}]",
     "stop",
     {"\"name\":\"f\",\"input\":{}", "\"stop_reason\":\"tool_use\""},
     "\"g\""},
    {2,
     "{\"tools\":[{\"name\":\"f\"}],\"parallel_tool_calls\":false,\"stream\":true}",
     "[f|{}]a[g|{\"b\":1}]",
     "stop",
     {"\"name\":\"f\",\"arguments\":\"{}\"", "\"parallel_tool_calls\":false"},
     "\"g\""},
};

START_TEST(a_body_has_the_models_message)
{
    char *body =
        answer(angles_paths[ROWS[_i].endpoint], ROWS[_i].request, ROWS[_i].reply, ROWS[_i].finish, 1);
    const char *at = body;
    for (size_t i = 0; i < 4 && ROWS[_i].in_order[i]; i++) {
        at = strstr(at, ROWS[_i].in_order[i]);
        ck_assert_msg(at != NULL, "%s: no %s in its place:\n%s", ROWS[_i].reply, ROWS[_i].in_order[i], body);
    }
    ck_assert_msg(!strstr(body, ROWS[_i].never), "%s: %s in:\n%s", ROWS[_i].reply, ROWS[_i].never, body);
    free(body);
}
END_TEST

/* A last chunk with a stop text: how a message reports its end. */
static const struct {
    const char *request, *reply, *finish, *said;
} STOPPED[] = {
    {STREAM, "a", "stop", "\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"E\\\"D\""},
    {WHOLE, "a", "stop", "\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"E\\\"D\""},
    {WHOLE, "a", NULL, "\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"E\\\"D\""},
    {STREAM, "a[f|{}]", "stop", "\"stop_reason\":\"tool_use\",\"stop_sequence\":null"},
    {WHOLE, "a[f|{}]", "stop", "\"stop_reason\":\"tool_use\",\"stop_sequence\":null"},
    {STREAM, "a", "length", "\"stop_reason\":\"max_tokens\",\"stop_sequence\":null"},
    {WHOLE, "a", "content_filter", "\"stop_reason\":\"refusal\",\"stop_sequence\":null"},
};

START_TEST(a_stop_text_that_ended_a_message_is_named)
{
    const char *request = STOPPED[_i].request, *reply = STOPPED[_i].reply;
    buffer body = {0};
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    const assay_response_chunk chunk = {.size = sizeof chunk,
                                        .finished = true,
                                        .new_text = {reply, strlen(reply)},
                                        .prompt_tokens = 3,
                                        .finish_reason = STOPPED[_i].finish,
                                        .stop_sequence = {"E\"D", 3}};
    assay_response *r;
    assay_error err;
    ck_assert_int_eq(angles_open(angles_paths[1], request, ANGLES_SERVER, &r, NULL), ASSAY_OK);
    ck_assert_int_eq(serve_response_chunk(r, &chunk, &sink, NULL), ASSAY_OK);
    ck_assert_int_eq(serve_response_chunk(r, &chunk, &sink, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "the response is over", NULL);
    serve_response_free(r);
    buffer_append(&body, "", 1);
    ck_assert_msg(strstr(body.data, STOPPED[_i].said), "expected %s in:\n%s", STOPPED[_i].said, body.data);
    if (request == STREAM) expect_sound(angles_paths[1], body.data, false, reply);
    buffer_free(&body);
}
END_TEST

START_TEST(requests_without_a_possible_response_are_refused)
{
    static const assay_serving nothing = {0};
    const assay_response_options options = {.size = sizeof options,
                                            .endpoint = angles_paths[0],
                                            .request = {WHOLE, sizeof WHOLE - 1},
                                            .server = {ANGLES_SERVER, sizeof ANGLES_SERVER - 1},
                                            .id = "7"};
    assay_response *r = NULL;
    assay_error err;
    ck_assert_int_eq(serve_response_open(&nothing, &options, &r, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "the serving table has no reply parser", NULL);
    ck_assert_ptr_null(r);
    serve_response_free(NULL);
}
END_TEST

START_TEST(nothing_follows_a_reply_that_cannot_be_read)
{
    buffer body = {0};
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    assay_response *r;
    ck_assert_int_eq(angles_open(angles_paths[0], STREAM, ANGLES_SERVER, &r, NULL), ASSAY_OK);
    ck_assert_int_eq(angles_say(r, "a", 1, NULL, &body), ASSAY_OK);
    const size_t n = body.n;
    ck_assert_int_eq(angles_say(r, "b" ANGLES_BROKEN, 2, NULL, &body), ASSAY_EINTERNAL);
    ck_assert_int_eq(angles_say(r, "c", 1, "stop", &body), ASSAY_EINVAL);
    ck_assert_int_eq(serve_response_end(r, &sink, NULL), ASSAY_OK);
    ck_assert_uint_eq(body.n, n);
    serve_response_free(r);
    buffer_free(&body);
}
END_TEST

#define N(rows) ((int)(sizeof(rows) / sizeof *(rows)))

int main(void)
{
    Suite *suite = suite_create("dialogue/response/response");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, every_stream_of_every_reply_is_valid, 0, N(REPLIES));
    tcase_add_loop_test(all, a_failure_anywhere_is_reported_and_ends_the_stream, 0, N(REPLIES));
    tcase_add_test(all, a_count_of_0_is_no_information);
    tcase_add_test(all, a_response_is_freed_if_the_client_disconnects);
    tcase_add_loop_test(all, a_body_has_the_models_message, 0, N(ROWS));
    tcase_add_loop_test(all, a_stop_text_that_ended_a_message_is_named, 0, N(STOPPED));
    tcase_add_test(all, requests_without_a_possible_response_are_refused);
    tcase_add_test(all, nothing_follows_a_reply_that_cannot_be_read);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
