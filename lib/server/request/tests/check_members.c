/* Every member of every endpoint: honoured, refused by name, or harmless.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/request/members.h"

#include <stdio.h>
#include <string.h>

#include "server/request/tests/served.h"

static const char *const least[SERVE_N_ENDPOINTS] = {
    [SERVE_CHAT] = "\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]",
    [SERVE_COMPLETIONS] = "\"model\":\"m\",\"prompt\":\"a\"",
    [SERVE_MESSAGES] =
        "\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]",
    [SERVE_RESPONSES] = "\"model\":\"m\",\"input\":\"a\""};

/* A request with one more member. */
static const char *with(serve_endpoint endpoint, const char *more)
{
    static char body[4096];
    (void)snprintf(body, sizeof body, "{%s,%s}", least[endpoint], more);
    return body;
}

static server_request *read_with(serve_endpoint endpoint, const char *more)
{
    return served_read(endpoint, with(endpoint, more));
}

static void refuse_with(serve_endpoint endpoint, const char *more, const char *member, const char *words)
{
    served_refuse(endpoint, with(endpoint, more), 400, member, words);
}

START_TEST(a_plain_request_has_the_published_defaults)
{
    static const size_t limits[SERVE_N_ENDPOINTS] = {[SERVE_COMPLETIONS] = 16, [SERVE_MESSAGES] = 9};
    const serve_endpoint e = (serve_endpoint)_i;
    char body[512];
    (void)snprintf(body, sizeof body, "{%s}", least[e]);
    server_request *q = served_read(e, body);
    ck_assert_uint_eq(q->n_prompts, 1);
    ck_assert_uint_eq(q->n, 1);
    ck_assert_uint_eq(q->max_tokens, limits[e] ? limits[e] : SERVED_POSITIONS - q->prompts[0].n_tokens);
    ck_assert(q->sampling.temperature == 1 && q->sampling.top_p == 1 && q->sampling.top_k == 0 &&
              q->sampling.min_p == 0 && q->sampling.repetition_penalty == 1);
    ck_assert(!q->streams && !q->has_seed && !q->logprobs && !q->prompt_logprobs && !q->echo &&
              !q->token_ids && !q->ignore_stop_ids && !q->thinking_off);
    ck_assert_uint_eq(q->n_stop_texts, 0);
    ck_assert_uint_eq(q->n_body, strlen(body));
    server_request_free(q);
}
END_TEST

START_TEST(required_members_are_missed_by_name)
{
    served_refuse(SERVE_CHAT, "{\"messages\":[]}", 400, "model", "found none");
    served_refuse(SERVE_CHAT, "{\"model\":\"m\"}", 400, "messages", "found none");
    served_refuse(SERVE_COMPLETIONS, "{\"model\":\"m\"}", 400, "prompt", "found none");
    served_refuse(SERVE_RESPONSES, "{\"model\":\"m\"}", 400, "input", "found none");
    served_refuse(SERVE_MESSAGES, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}",
                  400, "max_tokens", "found none");
    served_refuse(SERVE_CHAT, "{\"model\":\"gpt\",\"messages\":[]}", 404, "model",
                  "found \"gpt\", expected \"m\"");
    served_refuse(SERVE_CHAT, "{\"model\":7,\"messages\":[]}", 400, "model", "expected a string");
}
END_TEST

START_TEST(sampling_is_honoured)
{
    server_request *q =
        read_with(SERVE_CHAT, "\"temperature\":0.5,\"top_p\":0.25,\"top_k\":7,\"min_p\":0.125,"
                              "\"repetition_penalty\":1.5,\"seed\":-1,\"n\":3");
    ck_assert(q->sampling.temperature == 0.5 && q->sampling.top_p == 0.25 && q->sampling.top_k == 7 &&
              q->sampling.min_p == 0.125 && q->sampling.repetition_penalty == 1.5);
    ck_assert(q->has_seed && q->sampling.seed == UINT64_MAX);
    ck_assert_uint_eq(q->n, 3);
    server_request_free(q);
    q = read_with(SERVE_MESSAGES, "\"temperature\":0,\"top_k\":-1");
    ck_assert(q->sampling.temperature == 0 && q->sampling.top_k == 0);
    server_request_free(q);
}
END_TEST

static const struct {
    serve_endpoint endpoint;
    const char *more, *member, *words;
} REFUSED[] = {
    {SERVE_CHAT, "\"temperature\":-1", "temperature", "found -1"},
    {SERVE_CHAT, "\"temperature\":\"1\"", "temperature", "found \"1\""},
    {SERVE_CHAT, "\"temperature\":true", "temperature", "found true"},
    {SERVE_CHAT, "\"temperature\":1e300", "temperature", "expected a number"},
    {SERVE_CHAT, "\"top_p\":0", "top_p", "above 0"},
    {SERVE_CHAT, "\"top_p\":1.5", "top_p", "at most 1"},
    {SERVE_CHAT, "\"top_k\":-2", "top_k", "found -2"},
    {SERVE_CHAT, "\"top_k\":1.5", "top_k", "found 1.5"},
    {SERVE_CHAT, "\"top_k\":99999999999999999999", "top_k", "found 99999999999999999999"},
    {SERVE_CHAT, "\"min_p\":2", "min_p", "from 0 to 1"},
    {SERVE_CHAT, "\"repetition_penalty\":0", "repetition_penalty", "above 0"},
    {SERVE_CHAT, "\"seed\":1.5", "seed", "an integer"},
    {SERVE_CHAT, "\"n\":0", "n", "found 0"},
    {SERVE_CHAT, "\"n\":129", "n", "at most 128"},
    {SERVE_CHAT, "\"n\":2147483647", "n", "at most 128"},
    {SERVE_CHAT, "\"max_tokens\":0", "max_tokens", "found 0"},
    {SERVE_CHAT, "\"max_tokens\":-1", "max_tokens", "found -1"},
    {SERVE_CHAT, "\"max_tokens\":4096", "max_tokens", "expected at most"},
    {SERVE_CHAT, "\"max_completion_tokens\":4096", "max_completion_tokens", "expected at most"},
    {SERVE_CHAT, "\"max_completion_tokens\":5,\"max_tokens\":6", "max_tokens", "the same limit"},
    {SERVE_RESPONSES, "\"max_output_tokens\":4096", "max_output_tokens", "expected at most"},
    {SERVE_COMPLETIONS, "\"max_tokens\":0", "max_tokens", "without echo"},
    {SERVE_CHAT, "\"stream\":1", "stream", "true or false"},
    {SERVE_CHAT, "\"stream_options\":{\"include_usage\":1}", "stream_options.include_usage", "true or false"},
    {SERVE_CHAT, "\"stream_options\":{\"continuous_usage_stats\":true}",
     "stream_options.continuous_usage_stats", "not supported"},
    {SERVE_RESPONSES, "\"stream_options\":{\"include_usage\":true}", "stream_options.include_usage",
     "not supported"},
    {SERVE_CHAT, "\"stop\":\"\"", "stop", "found 0 bytes"},
    {SERVE_CHAT, "\"stop\":[\"a\",7]", "stop[1]", "found 7"},
    {SERVE_CHAT, "\"stop\":{}", "stop", "a list of texts"},
    {SERVE_MESSAGES, "\"stop_sequences\":\"a\"", "stop_sequences", "a list of texts"},
    {SERVE_CHAT, "\"logprobs\":5", "logprobs", "true or false"},
    {SERVE_CHAT, "\"top_logprobs\":5", "top_logprobs", "logprobs to be true"},
    {SERVE_CHAT, "\"logprobs\":true,\"top_logprobs\":263", "top_logprobs", "found 263"},
    {SERVE_CHAT, "\"logprobs\":true,\"top_logprobs\":-2", "top_logprobs", "found -2"},
    {SERVE_COMPLETIONS, "\"logprobs\":true", "logprobs", "a number of tokens"},
    {SERVE_COMPLETIONS, "\"echo\":true,\"logprobs\":1,\"prompt_logprobs\":2", "prompt_logprobs", "found 2"},
    {SERVE_COMPLETIONS, "\"best_of\":2", "best_of", "at most n"},
    {SERVE_COMPLETIONS, "\"suffix\":\"x\"", "suffix", "found \"x\""},
    {SERVE_CHAT, "\"frequency_penalty\":0.5", "frequency_penalty", "found 0.5, expected 0"},
    {SERVE_CHAT, "\"presence_penalty\":-1", "presence_penalty", "expected 0"},
    {SERVE_CHAT, "\"logit_bias\":{\"1\":2}", "logit_bias", "expected {}"},
    {SERVE_CHAT, "\"response_format\":{\"type\":\"json_object\"}", "response_format",
     "expected {\"type\": \"text\"}"},
    {SERVE_CHAT, "\"parallel_tool_calls\":0", "parallel_tool_calls", "expected true or false"},
    {SERVE_CHAT, "\"min_tokens\":3", "min_tokens", "expected 0"},
    {SERVE_CHAT, "\"tool_choice\":\"required\"", "tool_choice", "auto or none"},
    {SERVE_CHAT, "\"tool_choice\":{\"type\":\"function\"}", "tool_choice", "auto or none"},
    {SERVE_MESSAGES, "\"tool_choice\":{\"type\":\"any\"}", "tool_choice", "auto or none"},
    {SERVE_MESSAGES, "\"tool_choice\":\"auto\"", "tool_choice", "an object"},
    {SERVE_MESSAGES, "\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":1}",
     "tool_choice.disable_parallel_tool_use", "true or false"},
    {SERVE_MESSAGES, "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1024}", "thinking.type", "budget"},
    {SERVE_RESPONSES, "\"text\":{\"format\":{\"type\":\"json_object\"}}", "text.format.type", "\"text\""},
    {SERVE_RESPONSES, "\"text\":{\"verbosity\":\"low\"}", "text.verbosity", "not supported"},
    {SERVE_RESPONSES, "\"include\":[\"file_search_call.results\"]", "include[0]",
     "message.output_text.logprobs"},
    {SERVE_RESPONSES, "\"previous_response_id\":\"r\"", "previous_response_id", "does not know"},
    {SERVE_RESPONSES, "\"background\":true", "background", "expected false"},
    {SERVE_RESPONSES, "\"reasoning\":{\"effort\":\"low\"}", "reasoning", "expected {}"},
    {SERVE_RESPONSES, "\"truncation\":\"auto\"", "truncation", "\"disabled\""},
    {SERVE_CHAT, "\"functions\":[]", "functions", "does not know"},
    {SERVE_CHAT, "\"tempreature\":1", "tempreature", "does not know"},
    {SERVE_CHAT, "\"chat_template_kwargs\":[]", "chat_template_kwargs", "an object"},
    {SERVE_CHAT, "\"chat_template_kwargs\":{\"messages\":[]}", "chat_template_kwargs.messages", "cannot be"},
    {SERVE_CHAT, "\"enable_thinking\":\"no\"", "enable_thinking", "true or false"},
    {SERVE_CHAT, "\"chat_template_kwargs\":{\"fail\":1}", "messages", "it shall fail"},
};

START_TEST(what_would_change_the_answer_is_refused_by_name)
{
    refuse_with(REFUSED[_i].endpoint, REFUSED[_i].more, REFUSED[_i].member, REFUSED[_i].words);
}
END_TEST

/* Each row of the table with a value of another kind: nothing is accepted whatever its value, but what is
 * harmless. */
START_TEST(every_known_member_checks_its_value_or_is_harmless)
{
    size_t n;
    const server_member *members = server_members(&n);
    for (size_t i = 0; i < n; i++)
        for (serve_endpoint e = 0; e < SERVE_N_ENDPOINTS; e++) {
            char body[1024], more[128];
            server_request *q = NULL;
            server_refusal refusal = {0};
            if (!(members[i].endpoints & 1U << e) || strstr(least[e], members[i].name)) continue;
            (void)snprintf(more, sizeof more, "\"%s\":[[\"no such value\"]]", members[i].name);
            (void)snprintf(body, sizeof body, "{%s,%s}", least[e], more);
            const assay_status rc = server_request_read(served_requests(), e,
                                                        (assay_text){body, strlen(body)}, NULL, &q, &refusal);
            const bool harmless = members[i].kind == SERVER_MEMBER_HARMLESS;
            ck_assert_msg((rc == ASSAY_OK) == harmless, "%s: %s", body, refusal.text);
            if (rc != ASSAY_OK)
                ck_assert_msg(strncmp(refusal.member, members[i].name, strlen(members[i].name)) == 0,
                              "%s: %s", body, refusal.text);
            server_request_free(q);
            (void)snprintf(more, sizeof more, "\"%s\":null", members[i].name);
            server_request_free(read_with(e, more)); /* null counts as absent */
        }
}
END_TEST

START_TEST(fixed_members_accept_what_the_server_does)
{
    size_t n;
    const server_member *members = server_members(&n);
    for (size_t i = 0; i < n; i++)
        for (serve_endpoint e = 0; e < SERVE_N_ENDPOINTS; e++) {
            char more[128];
            if (members[i].kind != SERVER_MEMBER_FIXED || !(members[i].endpoints & 1U << e)) continue;
            (void)snprintf(more, sizeof more, "\"%s\":%s", members[i].name, members[i].values);
            server_request_free(read_with(e, more));
        }
    server_request_free(read_with(SERVE_CHAT, "\"frequency_penalty\":0.0"));
}
END_TEST

START_TEST(reports_are_honoured)
{
    server_request *q = read_with(SERVE_CHAT, "\"logprobs\":true,\"top_logprobs\":-1,\"prompt_logprobs\":3,"
                                              "\"max_tokens\":2,\"return_token_ids\":true");
    ck_assert(q->logprobs && q->n_top == SERVED_VOCAB && q->prompt_logprobs && q->n_prompt_top == 3 &&
              q->token_ids);
    server_request_free(q);
    q = read_with(SERVE_COMPLETIONS, "\"echo\":true,\"logprobs\":2,\"max_tokens\":0");
    ck_assert(q->echo && q->logprobs && q->n_top == 2 && q->prompt_logprobs && q->n_prompt_top == 2);
    ck_assert_uint_eq(q->max_tokens, 0);
    server_request_free(q);
    q = read_with(SERVE_COMPLETIONS, "\"prompt_logprobs\":0,\"max_tokens\":0");
    ck_assert(!q->logprobs && q->prompt_logprobs && q->n_prompt_top == 0);
    server_request_free(q);
    q = read_with(SERVE_RESPONSES, "\"include\":[\"message.output_text.logprobs\"],\"top_logprobs\":4");
    ck_assert(q->logprobs && q->n_top == 4);
    server_request_free(q);
}
END_TEST

START_TEST(limits_and_stops_are_honoured)
{
    server_request *q =
        read_with(SERVE_CHAT, "\"max_tokens\":5,\"max_completion_tokens\":5,\"stop\":[\"a\\n\",\"é\"],"
                              "\"stream\":true,\"ignore_eos\":true");
    ck_assert_uint_eq(q->max_tokens, 5);
    ck_assert_uint_eq(q->n_stop_texts, 2);
    ck_assert_mem_eq(q->stop_texts[0].at, "a\n", 2);
    ck_assert_uint_eq(q->stop_texts[1].n, 2);
    ck_assert(q->streams && q->ignore_stop_ids);
    server_request_free(q);
    q = read_with(SERVE_MESSAGES, "\"stop_sequences\":[\"x\"]");
    ck_assert_uint_eq(q->n_stop_texts, 1);
    server_request_free(q);
    q = read_with(SERVE_RESPONSES, "\"max_output_tokens\":7");
    ck_assert_uint_eq(q->max_tokens, 7);
    server_request_free(q);
}
END_TEST

START_TEST(the_template_sees_its_arguments)
{
    server_request *q = read_with(SERVE_CHAT, "\"add_generation_prompt\":false,\"enable_thinking\":false,"
                                              "\"chat_template_kwargs\":{\"extra\":5}");
    ck_assert_ptr_nonnull(strstr(served_prompt(q, 0), "\nFalse False <|im_end|> 5"));
    ck_assert(q->thinking_off);
    server_request_free(q);
    q = read_with(SERVE_CHAT, "\"enable_thinking\":true");
    ck_assert_ptr_nonnull(strstr(served_prompt(q, 0), "\nTrue True <|im_end|> none"));
    server_request_free(q);
    q = read_with(SERVE_MESSAGES, "\"thinking\":{\"type\":\"disabled\"}");
    ck_assert_ptr_nonnull(strstr(served_prompt(q, 0), "\nTrue False <|im_end|> none"));
    ck_assert(q->thinking_off);
    server_request_free(q);
    q = read_with(SERVE_MESSAGES, "\"chat_template_kwargs\":{\"enable_thinking\":false}");
    ck_assert_ptr_nonnull(strstr(served_prompt(q, 0), "\nTrue False <|im_end|> none"));
    server_request_free(q);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/request/members");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_plain_request_has_the_published_defaults, 0, SERVE_N_ENDPOINTS);
    tcase_add_test(all, required_members_are_missed_by_name);
    tcase_add_test(all, sampling_is_honoured);
    tcase_add_loop_test(all, what_would_change_the_answer_is_refused_by_name, 0,
                        (int)(sizeof REFUSED / sizeof *REFUSED));
    tcase_add_test(all, every_known_member_checks_its_value_or_is_harmless);
    tcase_add_test(all, fixed_members_accept_what_the_server_does);
    tcase_add_test(all, reports_are_honoured);
    tcase_add_test(all, limits_and_stops_are_honoured);
    tcase_add_test(all, the_template_sees_its_arguments);
    suite_add_tcase(s, all);
    return support_run(s);
}
