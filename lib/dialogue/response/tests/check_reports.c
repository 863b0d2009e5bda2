/* Bodies verbatim with what is reported beside the text: logprobs, token ids, several choices, the echo of a
 * prompt. The spellings are those of OpenAI's API reference and, for prompt_logprobs and ids, of vLLM.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "dialogue/response/tests/angles.h"

#include <math.h>
#include <string.h>

#define SERVER "{\"model\": \"m\", \"reasoning_parser\": \"angles\"}"

static assay_token_logprob token(int32_t id, double logprob, const char *text, size_t rank)
{
    return (assay_token_logprob){.id = id, .logprob = logprob, .text = {text, strlen(text)}, .rank = rank};
}

static buffer body;

static assay_response *open_response(const char *path, const char *request)
{
    assay_response *r = NULL;
    assay_error err = {0};
    body = (buffer){0};
    ck_assert_msg(angles_open(path, request, SERVER, &r, &err) == ASSAY_OK, "%s", err.text);
    return r;
}

static void give(assay_response *r, assay_response_chunk chunk, const char *text)
{
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    assay_error err = {0};
    chunk.size = sizeof chunk;
    if (text) chunk.new_text = (assay_text){text, strlen(text)};
    ck_assert_msg(serve_response_chunk(r, &chunk, &sink, &err) == ASSAY_OK, "%s", err.text);
}

static void expect_body(assay_response *r, const char *expected)
{
    serve_response_free(r);
    buffer_append(&body, "", 1);
    ck_assert_str_eq(body.data, expected);
    buffer_free(&body);
}

#define CHAT(object, choices)                                                                                \
    "{\"id\":\"chatcmpl-7\",\"object\":\"" object "\",\"created\":5,\"model\":\"m\",\"choices\":[" choices "]"
#define TEXT(choices)                                                                                        \
    "{\"id\":\"cmpl-7\",\"object\":\"text_completion\",\"created\":5,\"model\":\"m\",\"choices\":[" choices  \
    "]"
#define USAGE(prompt, completion, total)                                                                     \
    ",\"usage\":{\"prompt_tokens\":" prompt ",\"completion_tokens\":" completion ",\"total_tokens\":" total  \
    "}}"
#define HI  "{\"id\":5,\"token\":\"hi\",\"logprob\":-0.5,\"bytes\":[104,105]"
#define CUT "{\"id\":6,\"token\":\"\xEF\xBF\xBD\",\"logprob\":-9999,\"bytes\":[226]"

START_TEST(chat_reports_logprobs_with_true_bytes)
{
    assay_response *r = open_response("/v1/chat/completions", "{\"logprobs\": true, \"top_logprobs\": 2}");
    const assay_token_logprob top[] = {token(5, -0.5, "hi", 1), token(6, -INFINITY, "\xE2", 2)};
    const assay_logprobs at[] = {{.token = top[0], .top = top, .n_top = 2}, {.token = top[1]}};
    give(r,
         (assay_response_chunk){.logprobs = at, .n_logprobs = 2, .prompt_tokens = 3, .completion_tokens = 2},
         "hi");
    give(r, (assay_response_chunk){.finished = 1}, NULL);
    expect_body(r, CHAT("chat.completion",
                        "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"logprobs\":{"
                        "\"content\":[" HI ",\"top_logprobs\":[" HI "}," CUT "}]}," CUT
                        ",\"top_logprobs\":[]}],\"refusal\":null},\"finish_reason\":\"stop\"}")
                       USAGE("3", "2", "5"));
}
END_TEST

START_TEST(withheld_text_delays_logprobs_and_loses_none)
{
    assay_response *r = open_response("/v1/chat/completions", "{\"logprobs\": true, \"stream\": true}");
    const assay_logprobs first = {.token = token(5, -0.5, "hi", 1)};
    give(r, (assay_response_chunk){.logprobs = &first, .n_logprobs = 1}, NULL);
    give(r, (assay_response_chunk){.logprobs = &first, .n_logprobs = 1}, "hihi");
    give(
        r,
        (assay_response_chunk){.logprobs = &first, .n_logprobs = 1, .finished = 1, .finish_reason = "length"},
        NULL);
#define CHUNK(delta, logprobs, reason)                                                                       \
    "data: " CHAT("chat.completion.chunk",                                                                   \
                  "{\"index\":0,\"delta\":{" delta "}" logprobs ",\"finish_reason\":" reason "}") "}\n\n"
#define LOGPROBS(tokens) ",\"logprobs\":{\"content\":[" tokens "],\"refusal\":null}"
    expect_body(r, CHUNK("\"role\":\"assistant\"", "", "null")
                       CHUNK("\"content\":\"hihi\"",
                             LOGPROBS(HI ",\"top_logprobs\":[]}," HI ",\"top_logprobs\":[]}"), "null")
                           CHUNK("", LOGPROBS(HI ",\"top_logprobs\":[]}"), "\"length\"") "data: [DONE]\n\n");
}
END_TEST

START_TEST(chat_reports_the_prompt_and_ids_as_vllm_does)
{
    assay_response *r = open_response(
        "/v1/chat/completions", "{\"prompt_logprobs\": 1, \"return_token_ids\": true, \"logprobs\": true, "
                                "\"return_tokens_as_token_ids\": true}");
    const int32_t ids[] = {8}, prompt_ids[] = {3, 4};
    const assay_token_logprob top = token(9, -0.25, "b", 1);
    const assay_logprobs prompt[] = {{.token = token(3, NAN, "a", 0)},
                                     {.token = token(4, -2, "\"", 7), .top = &top, .n_top = 1}};
    const assay_logprobs first = {.token = token(8, -1, "x", 1)};
    give(r,
         (assay_response_chunk){.prompt_logprobs = prompt,
                                .n_prompt_logprobs = 2,
                                .logprobs = &first,
                                .n_logprobs = 1,
                                .token_ids = ids,
                                .n_token_ids = 1,
                                .prompt_token_ids = prompt_ids,
                                .n_prompt_token_ids = 2,
                                .prompt_tokens = 2,
                                .completion_tokens = 1,
                                .finished = 1},
         "x");
    expect_body(
        r,
        CHAT("chat.completion",
             "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"x\"},\"logprobs\":{\"content\":["
             "{\"id\":8,\"token\":\"token_id:8\",\"logprob\":-1,\"bytes\":[120],\"top_logprobs\":[]}],"
             "\"refusal\":null},\"token_ids\":[8],\"finish_reason\":\"stop\"}") ",\"prompt_logprobs\":[null,{"
                                                                                "\"4\":{\"logprob\":-2,"
                                                                                "\"rank\":7,\"decoded_"
                                                                                "token\":\"\\\"\"},"
                                                                                "\"9\":{\"logprob\":-0.25,"
                                                                                "\"rank\":1,\"decoded_"
                                                                                "token\":\"b\"}}],\"prompt_"
                                                                                "token_ids\":[3,4]" USAGE(
                                                                                    "2", "1", "3"));
}
END_TEST

START_TEST(choices_are_parsed_and_finished_each_on_its_own)
{
    assay_response *r = open_response("/v1/chat/completions", "{\"n\": 2}");
    give(r, (assay_response_chunk){.choice = 1, .prompt_tokens = 3, .completion_tokens = 4}, "<th");
    give(r, (assay_response_chunk){.choice = 0, .prompt_tokens = 3, .completion_tokens = 1, .finished = 1},
         "a");
    const assay_response_chunk late = {.size = sizeof late, .choice = 0},
                               beyond = {.size = sizeof beyond, .choice = 2};
    assay_error err;
    ck_assert_int_eq(serve_response_chunk(r, &late, NULL, &err), ASSAY_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "choice 0 is over"));
    ck_assert_int_eq(serve_response_chunk(r, &beyond, NULL, &err), ASSAY_EINVAL);
    give(
        r,
        (assay_response_chunk){.choice = 1, .completion_tokens = 5, .finished = 1, .finish_reason = "length"},
        "t>b");
    ck_assert_int_eq(serve_response_chunk(r, &late, NULL, NULL), ASSAY_EINVAL);
    expect_body(r,
                CHAT("chat.completion",
                     "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"finish_reason\":"
                     "\"stop\"},{\"index\":1,\"message\":{\"role\":\"assistant\",\"content\":\"b\","
                     "\"reasoning_content\":\"tht\"},\"finish_reason\":\"length\"}") USAGE("3", "6", "9"));
}
END_TEST

START_TEST(completions_list_the_echoed_prompt_first)
{
    assay_response *r =
        open_response("/v1/completions", "{\"prompt\": \"é b\", \"echo\": true, \"logprobs\": 1}");
    const assay_token_logprob tops[] = {token(1, -0.5, " b", 1), token(2, -1, "\xE2", 2),
                                        token(3, -2, "\xE3", 3)};
    /* <s> is added by the tokenizer; the bytes of a character may be in two tokens */
    const assay_logprobs prompt[] = {{.token = token(0, NAN, "<s>", 0)},
                                     {.token = token(4, -3, "\xC3", 9), .top = tops, .n_top = 3},
                                     {.token = token(5, -1, "\xA9", 1)},
                                     {.token = token(1, -0.5, " b", 1), .top = tops, .n_top = 1}};
    const assay_logprobs more[] = {{.token = token(6, -0.125, "\xE6\x9D", 1)},
                                   {.token = token(7, -0.5, "\xB1!", 1)}};
    give(r,
         (assay_response_chunk){.prompt_logprobs = prompt,
                                .n_prompt_logprobs = 4,
                                .prompt_text = {"é b", 4},
                                .logprobs = more,
                                .n_logprobs = 2,
                                .prompt_tokens = 4,
                                .completion_tokens = 2,
                                .finished = 1},
         "東!");
    expect_body(
        r,
        TEXT(
            "{\"index\":0,\"text\":\"é b東!\",\"logprobs\":{\"tokens\":[\"<s>\",\"\xEF\xBF\xBD\","
            "\"\xEF\xBF\xBD\",\" b\",\"\xEF\xBF\xBD\",\"\xEF\xBF\xBD!\"],\"token_logprobs\":[null,-3,-1,-0.5,"
            "-0.125,-0.5],\"top_logprobs\":[null,{\"\xEF\xBF\xBD\":-3,\" b\":-0.5},"
            "{\"\xEF\xBF\xBD\":-1},{\" b\":-0.5},{\"\xEF\xBF\xBD\":-0.125},{\"\xEF\xBF\xBD!\":-0.5}],"
            "\"text_offset\":[0,0,0,1,3,3]},\"finish_reason\":\"stop\"}") USAGE("4", "2", "6"));
}
END_TEST

START_TEST(completions_keep_white_space_and_number_choices_over_prompts)
{
    assay_response *r = open_response(
        "/v1/completions",
        "{\"prompt\": [\"x\", \"y\"], \"stream\": true, \"stream_options\": {\"include_usage\": true}}");
    give(r, (assay_response_chunk){.choice = 1, .prompt_tokens = 2, .completion_tokens = 1}, " \n");
    give(r, (assay_response_chunk){.choice = 0, .prompt_tokens = 5, .completion_tokens = 1, .finished = 1},
         "<a>");
    give(
        r,
        (assay_response_chunk){.choice = 1, .completion_tokens = 2, .finished = 1, .finish_reason = "length"},
        NULL);
#define PIECE(index, text, reason)                                                                           \
    "data: " TEXT("{\"index\":" index ",\"text\":\"" text "\",\"logprobs\":null,\"finish_reason\":" reason   \
                  "}") "}\n\n"
    expect_body(r, PIECE("1", " \\n", "null") PIECE("0", "<a>", "null") PIECE("0", "", "\"stop\"") PIECE(
                       "1", "", "\"length\"") "data: " TEXT("") USAGE("7", "3", "10") "\n\ndata: [DONE]\n\n");
}
END_TEST

START_TEST(responses_give_each_text_the_logprobs_of_its_tokens)
{
    static const char *const tokens[] = {"<", "t", ">", "h", "i", "\xE6\x9D", "\xB1"};
    assay_response *r = open_response(
        "/v1/responses", "{\"include\": [\"message.output_text.logprobs\"], \"top_logprobs\": 0}");
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        const assay_logprobs at = {.token = token((int32_t)i, -1, tokens[i], 1)};
        give(r, (assay_response_chunk){.logprobs = &at, .n_logprobs = 1},
             i == 6   ? "東"
             : i == 5 ? NULL
                      : tokens[i]);
    }
    give(r, (assay_response_chunk){.finished = 1, .prompt_tokens = 1, .completion_tokens = 7}, NULL);
    buffer_append(&body, "", 1);
#define PLAIN(id, text, bytes)                                                                               \
    "{\"id\":" id ",\"token\":\"" text "\",\"logprob\":-1,\"bytes\":[" bytes "],\"top_logprobs\":[]}"
    ck_assert_ptr_nonnull(strstr(
        body.data, "\"text\":\"hi東\",\"annotations\":[],\"logprobs\":[" PLAIN("3", "h", "104") "," PLAIN(
                       "4", "i", "105") "," PLAIN("5", "\xEF\xBF\xBD",
                                                  "230,157") "," PLAIN("6", "\xEF\xBF\xBD", "177") "]}"));
    ck_assert_ptr_null(strstr(body.data, "\"token\":\"t\""));
    serve_response_free(r);
    buffer_free(&body);
}
END_TEST

START_TEST(usage_counts_the_tokens_before_the_content_as_reasoning)
{
    static const struct {
        const char *tokens[8], *counts;
    } replies[] = {
        {{"<", "so", "so", ">", "h", "i"},
         "\"output_tokens\":6,\"output_tokens_details\":{\"reasoning_tokens\":4}"},
        {{"<", "so", ">"}, "\"output_tokens\":3,\"output_tokens_details\":{\"reasoning_tokens\":3}"},
        {{"h", "i"}, "\"output_tokens\":2,\"output_tokens_details\":{\"reasoning_tokens\":0}"},
        {{"<", "so", ">", " ", "h", "<", "so", ">"},
         "\"output_tokens\":8,\"output_tokens_details\":{\"reasoning_tokens\":6}"},
    };
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        assay_response *r = open_response("/v1/responses", i % 2 ? "{\"stream\": true}" : "{}");
        int64_t n = 0;
        while (n < 8 && replies[i].tokens[n]) {
            const char *text = replies[i].tokens[n];
            give(r, (assay_response_chunk){.prompt_tokens = 1, .completion_tokens = ++n}, text);
        }
        give(r, (assay_response_chunk){.finished = 1, .prompt_tokens = 1, .completion_tokens = n}, NULL);
        buffer_append(&body, "", 1);
        ck_assert_ptr_nonnull(strstr(body.data, replies[i].counts));
        serve_response_free(r);
        buffer_free(&body);
        body = (buffer){0};
    }
}
END_TEST

START_TEST(tokens_of_a_call_after_the_reasoning_are_not_its_own_and_tool_choice_is_repeated)
{
    static const char *const tokens[] = {"<", "so", ">", "[", "na", "me", "|", "{}", "]"};
    static const char *const requests[] = {"{\"tools\":[{\"x\":1}]}",
                                           "{\"tools\":[{\"x\":1}],\"tool_choice\":\"none\"}"};
    static const char *const expected[] = {"\"reasoning_tokens\":3}", "\"tool_choice\":\"none\""};
    for (size_t i = 0; i < 2; i++) {
        assay_response *r = NULL;
        int64_t n = 0;
        ck_assert_int_eq(angles_open("/v1/responses", requests[i], ANGLES_SERVER, &r, NULL), ASSAY_OK);
        while (n < 9) {
            const char *text = tokens[n];
            give(r, (assay_response_chunk){.prompt_tokens = 1, .completion_tokens = ++n}, text);
        }
        give(r, (assay_response_chunk){.finished = 1, .prompt_tokens = 1, .completion_tokens = n}, NULL);
        buffer_append(&body, "", 1);
        ck_assert_msg(strstr(body.data, expected[i]) != NULL, "%s", body.data);
        serve_response_free(r);
        buffer_free(&body);
        body = (buffer){0};
    }
}
END_TEST

START_TEST(a_request_without_reports_gets_none)
{
    static const char *const paths[] = {"/v1/chat/completions", "/v1/completions", "/v1/messages",
                                        "/v1/responses"};
    const int32_t ids[] = {8};
    const assay_logprobs first = {.token = token(8, -1, "x", 1)};
    assay_response *r = open_response(paths[_i], "{}");
    give(r,
         (assay_response_chunk){.prompt_logprobs = &first,
                                .n_prompt_logprobs = 1,
                                .logprobs = &first,
                                .n_logprobs = 1,
                                .token_ids = ids,
                                .n_token_ids = 1,
                                .prompt_token_ids = ids,
                                .n_prompt_token_ids = 1,
                                .prompt_text = {"prompt", 6},
                                .finished = 1},
         "x");
    buffer_append(&body, "", 1);
    ck_assert_ptr_null(strstr(body.data, "-1"));
    ck_assert_ptr_null(strstr(body.data, "ids"));
    ck_assert_ptr_null(strstr(body.data, "prompt\""));
    serve_response_free(r);
    buffer_free(&body);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/response/reports");
    TCase *all = tcase_create("all");
    tcase_add_test(all, chat_reports_logprobs_with_true_bytes);
    tcase_add_test(all, withheld_text_delays_logprobs_and_loses_none);
    tcase_add_test(all, chat_reports_the_prompt_and_ids_as_vllm_does);
    tcase_add_test(all, choices_are_parsed_and_finished_each_on_its_own);
    tcase_add_test(all, completions_list_the_echoed_prompt_first);
    tcase_add_test(all, completions_keep_white_space_and_number_choices_over_prompts);
    tcase_add_test(all, responses_give_each_text_the_logprobs_of_its_tokens);
    tcase_add_test(all, usage_counts_the_tokens_before_the_content_as_reasoning);
    tcase_add_test(all, tokens_of_a_call_after_the_reasoning_are_not_its_own_and_tool_choice_is_repeated);
    tcase_add_loop_test(all, a_request_without_reports_gets_none, 0, 4);
    suite_add_tcase(s, all);
    return support_run(s);
}
