/* Options structs of other sizes than this build's: shorter, longer, and NULL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/tests/support.h"
#include "dialogue/table.h"
#include "dialogue/tests/pieces.h"

static const assay_serving *serving;
static assay_tokenizer *tokenizer;
static assay_error err;

static void setup(void)
{
    const char *top = getenv("top_srcdir");
    char dir[1024];
    serving = assay_serving_v2();
    (void)snprintf(dir, sizeof dir, "%s/fixtures/trained/qwen3/model", top ? top : ".");
    ck_assert_msg(serving->tokenizer_open(dir, &tokenizer, &err) == ASSAY_OK, "%s", err.text);
}

static void teardown(void)
{
    serving->tokenizer_free(tokenizer);
}

#define TEXT(literal)                                                                                        \
    {                                                                                                        \
        (literal), sizeof(literal) - 1                                                                       \
    }

static const assay_reply_options REPLY = {
    .size = sizeof REPLY, .thinking_off = 1, .reasoning = "qwen3", .tools = "hermes"};

static const assay_response_options RESPONSE = {.size = sizeof RESPONSE,
                                                .endpoint = "/v1/chat/completions",
                                                .request = TEXT("{}"),
                                                .server = TEXT("{\"model\": \"m\"}"),
                                                .id = "7",
                                                .created = 5};

static const assay_response_chunk CHUNK = {.size = sizeof CHUNK,
                                           .finished = 1,
                                           .new_text = TEXT("ab"),
                                           .prompt_tokens = 3,
                                           .completion_tokens = 2,
                                           .finish_reason = "length"};

/* A struct as a later header has it: with one more member. */
typedef union longer {
    assay_reply_options reply;
    assay_response_options response;
    assay_response_chunk chunk;
    assay_completion_options completion;
    uint32_t size;
    unsigned char bytes[256];
} longer;

/* Copies `size` bytes of a struct, sets its member `size`, and fills what follows with 0xff, which must not
 * be read. */
static longer shorten(const void *from, size_t size)
{
    longer s;
    memset(&s, 0xff, sizeof s);
    memcpy(&s, from, size);
    s.size = (uint32_t)size;
    return s;
}

/* Appends a member of 8 bytes to a struct; value: of its last byte. */
static longer lengthen(const void *from, size_t size, unsigned char value)
{
    longer s = shorten(from, size);
    memset(s.bytes + size, 0, 8);
    s.bytes[size + 7] = value;
    s.size = (uint32_t)size + 8;
    return s;
}

static void expect_reply(const assay_reply_options *options, const char *script)
{
    assay_reply *r = NULL;
    pieces found = {0};
    const assay_sink sink = pieces_sink(&found);
    const char text[] = "<think>a</think>b<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    ck_assert_msg(serving->reply_open(options, &r, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(serving->reply_feed(r, text, sizeof text - 1, &sink, &err), ASSAY_OK);
    ck_assert_int_eq(serving->reply_end(r, &sink, &err), ASSAY_OK);
    ck_assert_str_eq(pieces_script(&found), script);
    pieces_free(&found);
    serving->reply_free(r);
}

START_TEST(options_of_a_reply_have_any_size)
{
    const longer without_tools = shorten(&REPLY, offsetof(assay_reply_options, tools));
    const longer without_all = shorten(&REPLY, sizeof(uint32_t));
    const longer later = lengthen(&REPLY, sizeof REPLY, 0);
    const char raw[] = "C{<think>a</think>b<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>}";
    expect_reply(&REPLY, "C{b} CALL{f} ARGUMENTS{{}}");
    expect_reply(&later.reply, "C{b} CALL{f} ARGUMENTS{{}}");
    expect_reply(&without_tools.reply, "C{b<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>}");
    expect_reply(&without_all.reply, raw);
    expect_reply(NULL, raw);
}
END_TEST

static void collect_bytes(void *context, const char *bytes, size_t n)
{
    buffer_append(context, bytes, n);
}

/* The body of the response to one chunk; the caller frees it. */
static buffer answer(const assay_response_options *options, const assay_response_chunk *chunk)
{
    assay_response *r = NULL;
    buffer body = {0};
    const assay_byte_sink sink = {.take = collect_bytes, .context = &body};
    ck_assert_msg(serving->response_open(options, &r, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(serving->response_chunk(r, chunk, &sink, &err) == ASSAY_OK, "%s", err.text);
    serving->response_free(r);
    buffer_append(&body, "", 1);
    return body;
}

static void expect_body(const assay_response_options *options, const assay_response_chunk *chunk,
                        const char *fragment)
{
    buffer body = answer(options, chunk);
    ck_assert_msg(strstr(body.data, fragment), "expected %s in:\n%s", fragment, body.data);
    buffer_free(&body);
}

START_TEST(options_of_a_response_have_any_size)
{
    const longer undated = shorten(&RESPONSE, offsetof(assay_response_options, created));
    const longer later = lengthen(&RESPONSE, sizeof RESPONSE, 0);
    expect_body(&RESPONSE, &CHUNK, "\"created\":5");
    expect_body(&later.response, &CHUNK, "\"created\":5");
    expect_body(&undated.response, &CHUNK, "\"created\":0");
}
END_TEST

START_TEST(chunks_have_any_size)
{
    const longer without_reason = shorten(&CHUNK, offsetof(assay_response_chunk, finish_reason));
    const longer without_all = shorten(&CHUNK, sizeof(uint32_t));
    const longer later = lengthen(&CHUNK, sizeof CHUNK, 0);
    expect_body(&RESPONSE, &CHUNK, "\"finish_reason\":\"length\"");
    expect_body(&RESPONSE, &later.chunk, "\"finish_reason\":\"length\"");
    expect_body(&RESPONSE, &without_reason.chunk, "\"finish_reason\":\"stop\"");
    buffer nothing = answer(&RESPONSE, &without_all.chunk), empty = answer(&RESPONSE, NULL);
    ck_assert_str_eq(nothing.data, "");
    ck_assert_str_eq(empty.data, "");
    buffer_free(&nothing);
    buffer_free(&empty);
}
END_TEST

static void ignore_text(void *context, assay_part part, const char *text, size_t n)
{
    (void)context, (void)part, (void)text, (void)n;
}

/* Pushes three tokens, of which id 5 is a stop id in the whole struct. */
static assay_completion_state complete(const assay_completion_options *options)
{
    assay_completion *c = NULL;
    assay_completion_state state = {0};
    const assay_sink sink = {.take = ignore_text};
    ck_assert_msg(serving->completion_open(options, &c, &err) == ASSAY_OK, "%s", err.text);
    for (int32_t id = 3; id <= 5 && state.finish == ASSAY_FINISH_NONE; id++)
        ck_assert_int_eq(serving->completion_push(c, id, &sink, &state, &err), ASSAY_OK);
    serving->completion_free(c);
    return state;
}

START_TEST(options_of_a_completion_have_any_size)
{
    static const int32_t stop_id = 5;
    const assay_completion_options whole = {.size = sizeof whole,
                                            .tokenizer = tokenizer,
                                            .stop_ids = &stop_id,
                                            .n_stop_ids = 1,
                                            .prompt_tokens = 7,
                                            .max_tokens = 2};
    const longer unlimited = shorten(&whole, offsetof(assay_completion_options, max_tokens));
    const longer endless = shorten(&whole, offsetof(assay_completion_options, stop_ids));
    const longer later = lengthen(&whole, sizeof whole, 0);
    ck_assert_int_eq(complete(&whole).finish, ASSAY_FINISH_LENGTH);
    ck_assert_int_eq(complete(&later.completion).finish, ASSAY_FINISH_LENGTH);
    assay_completion_state state = complete(&unlimited.completion);
    ck_assert_int_eq(state.finish, ASSAY_FINISH_STOP);
    ck_assert_uint_eq(state.prompt_tokens, 7);
    state = complete(&endless.completion);
    ck_assert_int_eq(state.finish, ASSAY_FINISH_NONE);
    ck_assert_uint_eq(state.prompt_tokens, 0);
    ck_assert_uint_eq(state.completion_tokens, 3);
}
END_TEST

START_TEST(a_member_that_is_not_known_is_refused)
{
    const assay_completion_options whole = {.size = sizeof whole, .tokenizer = tokenizer};
    const longer reply = lengthen(&REPLY, sizeof REPLY, 1),
                 response = lengthen(&RESPONSE, sizeof RESPONSE, 1),
                 chunk = lengthen(&CHUNK, sizeof CHUNK, 1), completion = lengthen(&whole, sizeof whole, 1);
    assay_reply *opened_reply = NULL;
    assay_completion *opened_completion = NULL;
    assay_response *r = NULL;
    buffer body = {0};
    const assay_byte_sink sink = {.take = collect_bytes, .context = &body};
    ck_assert_int_eq(serving->reply_open(&reply.reply, &opened_reply, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "options of a reply: the member at byte 47 is set", NULL);
    ck_assert_int_eq(serving->completion_open(&completion.completion, &opened_completion, &err),
                     ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "options of a completion: the member at byte", NULL);
    ck_assert_int_eq(serving->response_open(&response.response, &r, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "options of a response: the member at byte", NULL);
    ck_assert(!opened_reply && !opened_completion && !r);
    ck_assert_int_eq(serving->response_open(&RESPONSE, &r, &err), ASSAY_OK);
    ck_assert_int_eq(serving->response_chunk(r, &chunk.chunk, &sink, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "a chunk of a response: the member at byte", NULL);
    ck_assert_int_eq(serving->response_chunk(r, &CHUNK, &sink, &err), ASSAY_OK); /* it is not over */
    serving->response_free(r);
    buffer_free(&body);
}
END_TEST

START_TEST(required_and_reserved_members_are_checked)
{
    const struct {
        assay_response_options options;
        assay_status status;
        const char *reason;
    } responses[] = {
        {{.size = 2}, ASSAY_EINVAL, "options of a response: size is 2, expected at least 4"},
        {{.size = 4}, ASSAY_EINVAL, "options of a response: endpoint: found none"},
        {{.size = sizeof RESPONSE, .endpoint = "e"}, ASSAY_EINVAL, "request: found none"},
        {{.size = sizeof RESPONSE, .endpoint = "e", .request = TEXT("{}")},
         ASSAY_EINVAL,
         "server: found none"},
        {{.size = offsetof(assay_response_options, id),
          .endpoint = "e",
          .request = TEXT("{}"),
          .server = TEXT("{}"),
          .id = "7"},
         ASSAY_EINVAL,
         "id: found none"},
        {{.size = sizeof RESPONSE, .reserved = 1}, ASSAY_EUNSUPPORTED, "reserved: found 1, expected 0"},
    };
    assay_response *r = NULL;
    for (size_t i = 0; i < sizeof responses / sizeof *responses; i++) {
        ck_assert_int_eq(serving->response_open(&responses[i].options, &r, &err), responses[i].status);
        support_expect_error(&err, responses[i].status, responses[i].reason, NULL);
    }
    assay_completion *c = NULL;
    const assay_completion_options reserved = {
        .size = sizeof reserved, .reserved = 2, .tokenizer = tokenizer};
    ck_assert_int_eq(serving->completion_open(NULL, &c, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "options of a completion: tokenizer: found none", NULL);
    ck_assert_int_eq(serving->completion_open(&reserved, &c, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "reserved: found 2, expected 0", NULL);
    ck_assert_int_eq(serving->response_open(NULL, &r, &err), ASSAY_EINVAL);
    ck_assert(!c && !r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/options");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, options_of_a_reply_have_any_size);
    tcase_add_test(all, options_of_a_response_have_any_size);
    tcase_add_test(all, chunks_have_any_size);
    tcase_add_test(all, options_of_a_completion_have_any_size);
    tcase_add_test(all, a_member_that_is_not_known_is_refused);
    tcase_add_test(all, required_and_reserved_members_are_checked);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
