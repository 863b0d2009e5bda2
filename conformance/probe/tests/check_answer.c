/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/answer/answer.h"
#include "conformance/probe/answer/logprob.h"
#include "conformance/tests/support.h"

static void read_rows(const char *text, probe_rows *rows)
{
    json_object *value = json_tokener_parse(text);
    ck_assert_ptr_nonnull(value);
    *rows = (probe_rows){0};
    ck_assert_int_eq(probe_rows_read(value, rows), ASSAY_OK);
    json_object_put(value);
}

static void assert_entry(const probe_entry *e, int32_t id, const char *text, double value)
{
    ck_assert_int_eq(e->id, id);
    ck_assert_uint_eq(e->text.n, text ? strlen(text) : 0);
    if (text) ck_assert(memcmp(e->text.at, text, e->text.n) == 0);
    ck_assert(!e->is_null);
    ck_assert(e->value == value);
}

START_TEST(chat_form_has_bytes_and_alternatives)
{
    probe_rows r;
    read_rows("{\"content\":[{\"token\":\"\\ufffd\",\"logprob\":-0.5,\"bytes\":[240,159],\"top_logprobs\":["
              "{\"token\":\"a\",\"logprob\":-0.25},{\"token\":\"b\",\"logprob\":-2,\"bytes\":[98]}]}]}",
              &r);
    ck_assert_str_eq(r.problem, "");
    ck_assert_uint_eq(r.n, 1);
    ck_assert(r.at[0].has_token);
    assert_entry(&r.at[0].token, -1, "\xf0\x9f", -0.5);
    ck_assert_uint_eq(r.at[0].n_top, 2);
    assert_entry(&r.entries[0], -1, "a", -0.25);
    assert_entry(&r.entries[1], -1, "b", -2);
    probe_rows_free(&r);
}
END_TEST

START_TEST(pairs_of_id_and_value_are_rows)
{
    probe_rows r;
    read_rows("{\"content\":[{\"id\":7,\"logprob\":-0.5},{\"id\":8,\"logprob\":0}]}", &r);
    ck_assert_uint_eq(r.n, 2);
    assert_entry(&r.at[0].token, 7, NULL, -0.5);
    assert_entry(&r.at[1].token, 8, NULL, 0);
    probe_rows_free(&r);
}
END_TEST

START_TEST(lists_have_the_first_token_of_a_prompt_without_a_value)
{
    probe_rows r;
    read_rows("{\"tokens\":[\"The\",\" cat\"],\"token_logprobs\":[null,-1.5],\"text_offset\":[0,3],"
              "\"top_logprobs\":[null,{\" cat\":-1.5,\" dog\":-2}]}",
              &r);
    ck_assert_str_eq(r.problem, "");
    ck_assert_uint_eq(r.n, 2);
    ck_assert(r.at[0].token.is_null);
    ck_assert_uint_eq(r.at[0].n_top, 0);
    assert_entry(&r.at[1].token, -1, " cat", -1.5);
    assert_entry(&r.entries[r.at[1].top + 1], -1, " dog", -2);
    probe_rows_free(&r);
}
END_TEST

START_TEST(tokens_that_are_written_as_ids_are_ids)
{
    probe_rows r;
    read_rows("{\"tokens\":[\"token_id:17\"],\"token_logprobs\":[-1],\"top_logprobs\":[{\"token_id:9\":-3}]}",
              &r);
    assert_entry(&r.at[0].token, 17, NULL, -1);
    assert_entry(&r.entries[0], 9, NULL, -3);
    probe_rows_free(&r);
}
END_TEST

START_TEST(prompt_logprobs_by_id_begin_with_the_token_of_the_prompt)
{
    probe_rows r;
    read_rows("[null,{\"12\":{\"logprob\":-3,\"rank\":4,\"decoded_token\":\" a\"},"
              "\"5\":{\"logprob\":-1,\"rank\":1,\"decoded_token\":\" b\"}}]",
              &r);
    ck_assert_str_eq(r.problem, "");
    ck_assert_uint_eq(r.n, 2);
    ck_assert(!r.at[0].has_token);
    assert_entry(&r.at[1].token, 12, " a", -3);
    ck_assert_uint_eq(r.at[1].token.rank, 4);
    assert_entry(&r.entries[1], 5, " b", -1);
    probe_rows_free(&r);
}
END_TEST

START_TEST(rows_that_cannot_be_read_are_named)
{
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {"7", "row 0: logprobs: found 7"},
        {"{\"content\":[7]}", "row 1: an entry: found 7"},
        {"{\"content\":[{\"token\":\"a\",\"logprob\":\"-Infinity\"}]}",
         "row 1: a log-probability: found \"-Infinity\""},
        {"{\"content\":[{\"token\":\"a\",\"logprob\":0,\"bytes\":[300]}]}", "row 1: bytes: found [300]"},
        {"{\"content\":[{\"token\":\"a\",\"logprob\":0,\"top_logprobs\":1}]}",
         "row 1: top_logprobs: found 1"},
        {"{\"tokens\":[\"a\"],\"token_logprobs\":[0],\"top_logprobs\":[3]}", "row 1: top_logprobs: found 3"},
        {"[{\"x\":{\"logprob\":0}}]", "row 1: an id: found {\"x\":{\"logprob\":0}}"},
        {"[5]", "row 1: prompt_logprobs: found 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        probe_rows r;
        read_rows(cases[i].text, &r);
        ck_assert_str_eq(r.problem, cases[i].problem);
        probe_rows_free(&r);
    }
}
END_TEST

static void read_answer(probe_endpoint endpoint, const char *type, const char *body, probe_answer *a)
{
    probe_exchange x;
    probe_exchange_begin(&x, "a", "/");
    (void)strcpy(x.content_type, type);
    ck_assert(probe_exchange_arrive(&x, body, strlen(body), 0));
    ck_assert_int_eq(probe_answer_read(endpoint, &x, a), ASSAY_OK);
    probe_exchange_free(&x);
}

static void assert_text(const buffer *b, const char *expected)
{
    ck_assert_uint_eq(b->n, strlen(expected));
    if (b->n) ck_assert(memcmp(b->data, expected, b->n) == 0);
}

#define JSON_TYPE   "application/json"
#define STREAM_TYPE "text/event-stream; charset=utf-8"

START_TEST(whole_and_streamed_chat_have_the_same_fields)
{
    static const struct {
        const char *type, *body;
    } forms[] = {
        {JSON_TYPE, "{\"model\":\"m\",\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":"
                    "{\"content\":\"ab\","
                    "\"reasoning_content\":\"r\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\","
                    "\"arguments\":\"{}\"}}]}}],"
                    "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}"},
        {STREAM_TYPE,
         "data: "
         "{\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\",\"reasoning\":\"r\"}}]}\n\n"
         "data: "
         "{\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\",\"tool_calls\":[{\"index\":"
         "0,"
         "\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n"
         "data: "
         "{\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\",\"delta\":{\"tool_calls\":[{\"index\":"
         "0,"
         "\"function\":{\"arguments\":\"}\"}}]}}]}\n\n"
         "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: "
         "[DONE]\n\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        probe_answer a;
        read_answer(PROBE_CHAT, forms[i].type, forms[i].body, &a);
        ck_assert_str_eq(a.problem, "");
        assert_text(&a.content, "ab");
        assert_text(&a.reasoning, "r");
        ck_assert_uint_eq(a.n_calls, 1);
        assert_text(&a.calls[0].name, "f");
        assert_text(&a.calls[0].arguments, "{}");
        ck_assert_int_eq(probe_answer_finish(&a), PROBE_FINISH_CALLS);
        ck_assert_int_eq(a.input, 3);
        ck_assert_int_eq(a.output, 2);
        ck_assert_str_eq(a.model, "m");
        probe_answer_free(&a);
    }
}
END_TEST

START_TEST(whole_and_streamed_messages_have_the_same_fields)
{
    static const struct {
        const char *type, *body;
    } forms[] = {
        {JSON_TYPE, "{\"model\":\"m\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"r\"},{\"type\":"
                    "\"text\",\"text\":\"ab\"},"
                    "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"f\",\"input\":{\"x\":1}}],\"stop_"
                    "reason\":\"tool_use\","
                    "\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}"},
        {STREAM_TYPE, "data: "
                      "{\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{\"input_tokens\":"
                      "3,\"output_tokens\":0}}}\n\n"
                      "data: "
                      "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
                      "\"thinking\",\"thinking\":\"\"}}\n\n"
                      "data: "
                      "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\","
                      "\"thinking\":\"r\"}}\n\n"
                      "data: "
                      "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\","
                      "\"text\":\"ab\"}}\n\n"
                      "data: "
                      "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_"
                      "use\",\"id\":\"1\",\"name\":\"f\","
                      "\"input\":{}}}\n\n"
                      "data: "
                      "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_"
                      "delta\",\"partial_json\":\"{\\\"x\\\":1}\"}}\n\n"
                      "data: "
                      "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{"
                      "\"output_tokens\":2}}\n\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        probe_answer a;
        read_answer(PROBE_MESSAGES, forms[i].type, forms[i].body, &a);
        ck_assert_str_eq(a.problem, "");
        assert_text(&a.content, "ab");
        assert_text(&a.reasoning, "r");
        ck_assert_uint_eq(a.n_calls, 1);
        assert_text(&a.calls[0].arguments, "{\"x\":1}");
        ck_assert_int_eq(probe_answer_finish(&a), PROBE_FINISH_CALLS);
        ck_assert_int_eq(a.input, 3);
        ck_assert_int_eq(a.output, 2);
        probe_answer_free(&a);
    }
}
END_TEST

START_TEST(a_streamed_call_of_messages_without_json_keeps_the_input_with_which_it_began)
{
    static const struct {
        const char *input, *delta, *arguments;
    } calls[] = {
        {",\"input\":{}", "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}", "{}"},
        {"", "{\"type\":\"input_json_delta\",\"partial_json\":\"\"}", ""},
        {",\"input\":{}", "{\"type\":\"input_json_delta\",\"partial_json\":\"null\"}", "null"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        probe_answer a;
        char body[512];
        (void)snprintf(body, sizeof body,
                       "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":"
                       "\"tool_use\",\"id\":\"1\",\"name\":\"f\"%s}}\n\n"
                       "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":%s}\n\n"
                       "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                       calls[i].input, calls[i].delta);
        read_answer(PROBE_MESSAGES, STREAM_TYPE, body, &a);
        ck_assert_uint_eq(a.n_calls, 1);
        assert_text(&a.calls[0].arguments, calls[i].arguments);
        probe_answer_free(&a);
    }
}
END_TEST

/* In Messages input_tokens does not contain the tokens of the prompt cache. */
START_TEST(input_of_messages_is_the_sum_with_cached_tokens)
{
    static const struct {
        const char *type, *body;
        int64_t input, cached;
    } forms[] = {
        {JSON_TYPE,
         "{\"content\":[],\"usage\":{\"cache_read_input_tokens\":65,\"input_tokens\":52,"
         "\"output_tokens\":2}}",
         117, 65},
        {JSON_TYPE,
         "{\"content\":[],\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":4,"
         "\"cache_read_input_tokens\":0,\"output_tokens\":2}}",
         7, 0},
        {JSON_TYPE,
         "{\"content\":[],\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":null,"
         "\"output_tokens\":2}}",
         3, -1},
        {JSON_TYPE,
         "{\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":2,"
         "\"cache_read_input_tokens\":9223372036854775807}}",
         INT64_MAX, INT64_MAX},
        /* the last message has the counts that are valid, if it has any */
        {STREAM_TYPE,
         "data: {\"type\":\"message_start\",\"message\":{\"usage\":{"
         "\"cache_read_input_tokens\":128,\"input_tokens\":1,\"output_tokens\":0}}}\n\n"
         "data: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":2}}\n\n",
         129, 128},
        {STREAM_TYPE,
         "data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":129,"
         "\"output_tokens\":0}}}\n\n"
         "data: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"input_tokens\":1,"
         "\"cache_read_input_tokens\":128,\"output_tokens\":2}}\n\n",
         129, 128},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        probe_answer a;
        read_answer(PROBE_MESSAGES, forms[i].type, forms[i].body, &a);
        ck_assert_int_eq(a.input, forms[i].input);
        ck_assert_int_eq(a.cached, forms[i].cached);
        ck_assert_int_eq(a.output, 2);
        probe_answer_free(&a);
    }
}
END_TEST

START_TEST(whole_and_streamed_responses_have_the_same_fields)
{
    static const struct {
        const char *type, *body;
    } forms[] = {
        {JSON_TYPE,
         "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"model\":"
         "\"m\",\"output\":["
         "{\"type\":\"reasoning\",\"summary\":[],\"content\":[{\"type\":\"reasoning_text\",\"text\":\"r\"}]},"
         "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"ab\"}]}],"
         "\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}"},
        {STREAM_TYPE,
         "data: {\"type\":\"response.reasoning_text.delta\",\"delta\":\"r\"}\n\n"
         "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n"
         "data: {\"type\":\"response.output_text.delta\",\"delta\":\"b\"}\n\n"
         "data: "
         "{\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"model\":\"m\","
         "\"incomplete_details\":"
         "{\"reason\":\"max_output_tokens\"},\"usage\":{\"input_tokens\":3,\"output_tokens\":2}}}\n\n"},
    };
    for (size_t i = 0; i < 2; i++) {
        probe_answer a;
        read_answer(PROBE_RESPONSES, forms[i].type, forms[i].body, &a);
        ck_assert_str_eq(a.problem, "");
        assert_text(&a.content, "ab");
        assert_text(&a.reasoning, "r");
        ck_assert_int_eq(probe_answer_finish(&a), PROBE_FINISH_LENGTH);
        ck_assert_int_eq(a.output, 2);
        probe_answer_free(&a);
    }
}
END_TEST

START_TEST(token_of_a_null_byte_is_a_token)
{
    probe_answer a;
    read_answer(
        PROBE_COMPLETIONS, JSON_TYPE,
        "{\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":{\"tokens\":[\"a\"],\"token_logprobs\":[-1],"
        "\"top_logprobs\":[{\"a\":-1,\"\\u0000\":-2}]}}]}",
        &a);
    ck_assert_str_eq(a.problem, "");
    ck_assert_uint_eq(a.rows.n, 1);
    ck_assert_uint_eq(a.rows.at[0].n_top, 2);
    probe_answer_free(&a);
}
END_TEST

START_TEST(bodies_that_cannot_be_read_are_named)
{
    static const struct {
        const char *type, *body, *problem;
    } cases[] = {
        {JSON_TYPE, "", "the body is empty"},
        {JSON_TYPE, "{\"a\":\"\xff\"}", "the body"},
        {JSON_TYPE, "{\"a\":1", "the body"},
        {STREAM_TYPE, "data: {\"a\":1\n\n", "event 1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        probe_answer a;
        read_answer(PROBE_CHAT, cases[i].type, cases[i].body, &a);
        ck_assert_msg(a.problem[0] != '\0', "%s", cases[i].body);
        ck_assert_msg(strstr(a.problem, cases[i].problem) != NULL, "%s", a.problem);
        probe_answer_free(&a);
    }
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("answer");
    tcase_add_test(c, chat_form_has_bytes_and_alternatives);
    tcase_add_test(c, pairs_of_id_and_value_are_rows);
    tcase_add_test(c, lists_have_the_first_token_of_a_prompt_without_a_value);
    tcase_add_test(c, tokens_that_are_written_as_ids_are_ids);
    tcase_add_test(c, prompt_logprobs_by_id_begin_with_the_token_of_the_prompt);
    tcase_add_test(c, rows_that_cannot_be_read_are_named);
    tcase_add_test(c, whole_and_streamed_chat_have_the_same_fields);
    tcase_add_test(c, whole_and_streamed_messages_have_the_same_fields);
    tcase_add_test(c, a_streamed_call_of_messages_without_json_keeps_the_input_with_which_it_began);
    tcase_add_test(c, input_of_messages_is_the_sum_with_cached_tokens);
    tcase_add_test(c, whole_and_streamed_responses_have_the_same_fields);
    tcase_add_test(c, token_of_a_null_byte_is_a_token);
    tcase_add_test(c, bodies_that_cannot_be_read_are_named);
    Suite *suite = suite_create("probe/answer");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
