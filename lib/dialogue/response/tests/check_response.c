/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/response.h"

#include "base/tests/support.h"
#include "dialogue/grammar/grammar.h"
#include "dialogue/response/tests/angles.h"

#include <stdlib.h>
#include <string.h>

static void expect_valid(const char *path, const char *body, bool failed, const char *what)
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
                char *body = angles_answer(angles_paths[e], angles_stream, REPLIES[_i], FINISHES[f], piece);
                expect_valid(angles_paths[e], body, false, REPLIES[_i]);
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
                ck_assert_int_eq(angles_open(angles_paths[e], angles_stream, ANGLES_SERVER, &r, NULL),
                                 ASSAY_OK);
                ck_assert_int_eq(angles_say(r, REPLIES[_i], angles_cut(REPLIES[_i], at), NULL, &body),
                                 ASSAY_OK);
                if (how == 0) ck_assert_int_eq(serve_response_fail(r, "no \"luck\"", &sink, NULL), ASSAY_OK);
                if (how == 1) ck_assert_int_eq(angles_say(r, "", 0, "error", &body), ASSAY_OK);
                ck_assert_int_eq(serve_response_end(r, &sink, NULL), ASSAY_OK);
                ck_assert_int_eq(serve_response_fail(r, "again", &nowhere, NULL), ASSAY_EINVAL);
                serve_response_free(r);
                buffer_append(&body, "", 1);
                expect_valid(angles_paths[e], body.data, true, REPLIES[_i]);
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
        ck_assert_int_eq(angles_open(angles_paths[e], angles_stream, ANGLES_SERVER, &r, NULL), ASSAY_OK);
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
        ck_assert_int_eq(angles_open(angles_paths[e], angles_stream, ANGLES_SERVER, &r, NULL), ASSAY_OK);
        ck_assert_int_eq(angles_say(r, "<t>a[f", 6, NULL, &body), ASSAY_OK);
        serve_response_free(r);
        buffer_free(&body);
    }
}
END_TEST

/* A last chunk with a stop text: how a message reports its end. */
static const struct {
    const char *request, *reply, *finish, *said;
} STOPPED[] = {
    {angles_stream, "a", "stop", "\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"E\\\"D\""},
    {angles_whole, "a", "stop", "\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"E\\\"D\""},
    {angles_whole, "a", NULL, "\"stop_reason\":\"stop_sequence\",\"stop_sequence\":\"E\\\"D\""},
    {angles_stream, "a[f|{}]", "stop", "\"stop_reason\":\"tool_use\",\"stop_sequence\":null"},
    {angles_whole, "a[f|{}]", "stop", "\"stop_reason\":\"tool_use\",\"stop_sequence\":null"},
    {angles_stream, "a", "length", "\"stop_reason\":\"max_tokens\",\"stop_sequence\":null"},
    {angles_whole, "a", "content_filter", "\"stop_reason\":\"refusal\",\"stop_sequence\":null"},
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
    if (request == angles_stream) expect_valid(angles_paths[1], body.data, false, reply);
    buffer_free(&body);
}
END_TEST

START_TEST(requests_without_a_possible_response_are_refused)
{
    static const assay_serving nothing = {0};
    const assay_response_options options = {.size = sizeof options,
                                            .endpoint = angles_paths[0],
                                            .request = {angles_whole, strlen(angles_whole)},
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
    ck_assert_int_eq(angles_open(angles_paths[0], angles_stream, ANGLES_SERVER, &r, NULL), ASSAY_OK);
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
    tcase_add_loop_test(all, a_stop_text_that_ended_a_message_is_named, 0, N(STOPPED));
    tcase_add_test(all, requests_without_a_possible_response_are_refused);
    tcase_add_test(all, nothing_follows_a_reply_that_cannot_be_read);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
