/* Bodies verbatim: what a client of each endpoint receives for a reply that has all kinds of parts, and for
 * one that fails. The members and their order are those of the examples in the published protocols.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "dialogue/response/tests/angles.h"

#include <string.h>

enum { PIECES_MAX = 24 };

static const char REPLY[] = "<t>a[f|{}][g|{\"x\":1}]";

#define CHAT_USAGE "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}"
#define CHAT_HEAD(object)                                                                                    \
    "{\"id\":\"chatcmpl-7\",\"object\":\"" object "\",\"created\":5,\"model\":\"m\",\"choices\":["
#define CHAT_CHUNK(delta, finish)                                                                            \
    "data: " CHAT_HEAD("chat.completion.chunk") "{\"index\":0,\"delta\":{" delta                             \
                                                "},\"finish_reason\":" finish "}]}\n\n"
#define CHAT_CALL(number, name, arguments)                                                                   \
    "\"id\":\"call_7_" number "\",\"type\":\"function\",\"function\":{\"name\":\"" name                      \
    "\",\"arguments\":\"" arguments "\"}}"
#define CHAT_ERROR                                                                                           \
    "{\"error\":{\"message\":\"no luck\",\"type\":\"server_error\",\"param\":null,\"code\":null}}"

#define MESSAGE_HEAD                                                                                         \
    "{\"id\":\"msg_7\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":["
#define MESSAGE_USAGE "\"usage\":{\"input_tokens\":3,\"output_tokens\":2}"
#define MESSAGE_START                                                                                        \
    TYPED("message_start",                                                                                   \
          ",\"message\":" MESSAGE_HEAD "],\"stop_reason\":null,\"stop_sequence\":null," MESSAGE_USAGE "}")
#define BLOCK_START(index, block)                                                                            \
    TYPED("content_block_start", ",\"index\":" index ",\"content_block\":{\"type\":" block "}")
#define BLOCK_DELTA(index, delta)                                                                            \
    TYPED("content_block_delta", ",\"index\":" index ",\"delta\":{\"type\":" delta "}")
#define BLOCK_STOP(index) TYPED("content_block_stop", ",\"index\":" index)
#define MESSAGE_ERROR     "\"error\":{\"type\":\"api_error\",\"message\":\"no luck\"}"

/* The type of an event, and the text after it. */
#define TYPED(type, more) "event: " type "\ndata: {\"type\":\"" type "\"" more "}\n\n"

#define NUMBERED(type, number, more) TYPED(type, ",\"sequence_number\":" number more)
#define RESPONSE(status, error, output, usage)                                                               \
    "{\"id\":\"resp_7\",\"object\":\"response\",\"created_at\":5,\"status\":\"" status "\",\"error\":" error \
    ",\"incomplete_details\":null,\"instructions\":null,\"metadata\":{},\"model\":\"m\",\"output\":[" output \
    "],\"parallel_tool_calls\":true,\"temperature\":null,\"tool_choice\":\"auto\",\"tools\":[],"             \
    "\"top_p\":null,\"usage\":" usage "}"
#define RESPONSE_USAGE                                                                                       \
    "{\"input_tokens\":3,\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":2,"                \
    "\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":5}"
#define RESPONSE_CREATED                                                                                     \
    NUMBERED("response.created", "1", ",\"response\":" RESPONSE("in_progress", "null", "", "null"))
#define RESPONSE_BEGUN                                                                                       \
    NUMBERED("response.in_progress", "2", ",\"response\":" RESPONSE("in_progress", "null", "", "null"))
#define ITEM_OF(id, type, status, more)                                                                      \
    "{\"id\":\"" id "\",\"type\":\"" type "\",\"status\":\"" status "\"" more "}"
#define THOUGHT(status, content)                                                                             \
    ITEM_OF("rs_7_0", "reasoning", status, ",\"summary\":[],\"content\":[" content "]")
#define SAID(id, status, content)                                                                            \
    ITEM_OF(id, "message", status, ",\"role\":\"assistant\",\"content\":[" content "]")
#define CALLED(id, status, number, name, arguments)                                                          \
    ITEM_OF(id, "function_call", status,                                                                     \
            ",\"call_id\":\"call_7_" number "\",\"name\":\"" name "\",\"arguments\":\"" arguments "\"")
#define THOUGHT_PART(text) "{\"type\":\"reasoning_text\",\"text\":\"" text "\"}"
#define SAID_PART(text)    "{\"type\":\"output_text\",\"text\":\"" text "\",\"annotations\":[],\"logprobs\":[]}"
#define ITEM(index, item)  ",\"output_index\":" index ",\"item\":" item
#define PART(index, id)    ",\"output_index\":" index ",\"item_id\":\"" id "\",\"content_index\":0"
#define CALL(index, id)    ",\"output_index\":" index ",\"item_id\":\"" id "\""
#define OUTPUT                                                                                               \
    THOUGHT("completed", THOUGHT_PART("t"))                                                                  \
    "," SAID("msg_7_1", "completed", SAID_PART("a")) "," CALLED(                                             \
        "fc_7_2", "completed", "0", "f", "{}") "," CALLED("fc_7_3", "completed", "1", "g", "{\\\"x\\\":1}")

/* For each endpoint: streamed or whole, complete or failing after the content "a". */
static const struct {
    size_t endpoint;
    bool streams, fails;
    const char *pieces[PIECES_MAX]; /* its fragments; the rest NULL */
} BODIES[] = {
    {0,
     false,
     false,
     {CHAT_HEAD("chat.completion") "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"a\","
                                   "\"reasoning_content\":\"t\",",
      "\"tool_calls\":[{" CHAT_CALL("0", "f", "{}") ",{" CHAT_CALL(
          "1", "g", "{\\\"x\\\":1}") "]},\"finish_reason\":\"tool_calls\"}],",
      CHAT_USAGE "}"}},
    {0, false, true, {CHAT_ERROR}},
    {0,
     true,
     false,
     {CHAT_CHUNK("\"role\":\"assistant\"", "null"), CHAT_CHUNK("\"reasoning_content\":\"t\"", "null"),
      CHAT_CHUNK("\"content\":\"a\"", "null"),
      CHAT_CHUNK("\"tool_calls\":[{\"index\":0," CHAT_CALL("0", "f", "{}") "]", "null"),
      CHAT_CHUNK("\"tool_calls\":[{\"index\":1," CHAT_CALL("1", "g", "{\\\"x\\\":1}") "]", "null"),
      CHAT_CHUNK("", "\"tool_calls\""), "data: " CHAT_HEAD("chat.completion.chunk") "]," CHAT_USAGE "}\n\n",
      "data: [DONE]\n\n"}},
    {0,
     true,
     true,
     {CHAT_CHUNK("\"role\":\"assistant\"", "null"), CHAT_CHUNK("\"content\":\"a\"", "null"),
      "data: " CHAT_ERROR "\n\n", "data: [DONE]\n\n"}},
    {1,
     false,
     false,
     {MESSAGE_HEAD, "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"\"},",
      "{\"type\":\"text\",\"text\":\"a\"},",
      "{\"type\":\"tool_use\",\"id\":\"toolu_7_0\",\"name\":\"f\",\"input\":{}},",
      "{\"type\":\"tool_use\",\"id\":\"toolu_7_1\",\"name\":\"g\",\"input\":{\"x\":1}}],",
      "\"stop_reason\":\"tool_use\",\"stop_sequence\":null,", MESSAGE_USAGE "}"}},
    {1, false, true, {"{\"type\":\"error\"," MESSAGE_ERROR "}"}},
    {1,
     true,
     false,
     {MESSAGE_START, BLOCK_START("0", "\"thinking\",\"thinking\":\"\",\"signature\":\"\""),
      BLOCK_DELTA("0", "\"thinking_delta\",\"thinking\":\"t\""), BLOCK_STOP("0"),
      BLOCK_START("1", "\"text\",\"text\":\"\""), BLOCK_DELTA("1", "\"text_delta\",\"text\":\"a\""),
      BLOCK_STOP("1"), BLOCK_START("2", "\"tool_use\",\"id\":\"toolu_7_0\",\"name\":\"f\",\"input\":{}"),
      BLOCK_DELTA("2", "\"input_json_delta\",\"partial_json\":\"{}\""), BLOCK_STOP("2"),
      BLOCK_START("3", "\"tool_use\",\"id\":\"toolu_7_1\",\"name\":\"g\",\"input\":{}"),
      BLOCK_DELTA("3", "\"input_json_delta\",\"partial_json\":\"{\\\"x\\\":1}\""), BLOCK_STOP("3"),
      TYPED("message_delta",
            ",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null}," MESSAGE_USAGE),
      TYPED("message_stop", "")}},
    {1,
     true,
     true,
     {MESSAGE_START, BLOCK_START("0", "\"text\",\"text\":\"\""),
      BLOCK_DELTA("0", "\"text_delta\",\"text\":\"a\""), TYPED("error", "," MESSAGE_ERROR)}},
    {2, false, false, {RESPONSE("completed", "null", OUTPUT, RESPONSE_USAGE)}},
    {2, false, true, {CHAT_ERROR}},
    {2,
     true,
     false,
     {RESPONSE_CREATED,
      RESPONSE_BEGUN,
      NUMBERED("response.output_item.added", "3", ITEM("0", THOUGHT("in_progress", ""))),
      NUMBERED("response.content_part.added", "4", PART("0", "rs_7_0") ",\"part\":" THOUGHT_PART("")),
      NUMBERED("response.reasoning_text.delta", "5", PART("0", "rs_7_0") ",\"delta\":\"t\""),
      NUMBERED("response.reasoning_text.done", "6", PART("0", "rs_7_0") ",\"text\":\"t\""),
      NUMBERED("response.content_part.done", "7", PART("0", "rs_7_0") ",\"part\":" THOUGHT_PART("t")),
      NUMBERED("response.output_item.done", "8", ITEM("0", THOUGHT("completed", THOUGHT_PART("t")))),
      NUMBERED("response.output_item.added", "9", ITEM("1", SAID("msg_7_1", "in_progress", ""))),
      NUMBERED("response.content_part.added", "10", PART("1", "msg_7_1") ",\"part\":" SAID_PART("")),
      NUMBERED("response.output_text.delta", "11", PART("1", "msg_7_1") ",\"delta\":\"a\",\"logprobs\":[]"),
      NUMBERED("response.output_text.done", "12", PART("1", "msg_7_1") ",\"text\":\"a\",\"logprobs\":[]"),
      NUMBERED("response.content_part.done", "13", PART("1", "msg_7_1") ",\"part\":" SAID_PART("a")),
      NUMBERED("response.output_item.done", "14", ITEM("1", SAID("msg_7_1", "completed", SAID_PART("a")))),
      NUMBERED("response.output_item.added", "15", ITEM("2", CALLED("fc_7_2", "in_progress", "0", "f", ""))),
      NUMBERED("response.function_call_arguments.delta", "16", CALL("2", "fc_7_2") ",\"delta\":\"{}\""),
      NUMBERED("response.function_call_arguments.done", "17", CALL("2", "fc_7_2") ",\"arguments\":\"{}\""),
      NUMBERED("response.output_item.done", "18", ITEM("2", CALLED("fc_7_2", "completed", "0", "f", "{}"))),
      NUMBERED("response.output_item.added", "19", ITEM("3", CALLED("fc_7_3", "in_progress", "1", "g", ""))),
      NUMBERED("response.function_call_arguments.delta", "20",
               CALL("3", "fc_7_3") ",\"delta\":\"{\\\"x\\\":1}\""),
      NUMBERED("response.function_call_arguments.done", "21",
               CALL("3", "fc_7_3") ",\"arguments\":\"{\\\"x\\\":1}\""),
      NUMBERED("response.output_item.done", "22",
               ITEM("3", CALLED("fc_7_3", "completed", "1", "g", "{\\\"x\\\":1}"))),
      NUMBERED("response.completed", "23",
               ",\"response\":" RESPONSE("completed", "null", OUTPUT, RESPONSE_USAGE))}},
    {2,
     true,
     true,
     {RESPONSE_CREATED, RESPONSE_BEGUN,
      NUMBERED("response.output_item.added", "3", ITEM("0", SAID("msg_7_0", "in_progress", ""))),
      NUMBERED("response.content_part.added", "4", PART("0", "msg_7_0") ",\"part\":" SAID_PART("")),
      NUMBERED("response.output_text.delta", "5", PART("0", "msg_7_0") ",\"delta\":\"a\",\"logprobs\":[]"),
      NUMBERED("response.failed", "6",
               ",\"response\":" RESPONSE("failed", "{\"code\":\"server_error\",\"message\":\"no luck\"}", "",
                                         "null"))}},
};

START_TEST(a_body_is_as_the_protocol_has_it)
{
    buffer body = {0};
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    assay_response *r;
    ck_assert_int_eq(angles_open(angles_paths[BODIES[_i].endpoint],
                                 BODIES[_i].streams ? angles_stream : angles_whole, ANGLES_SERVER, &r, NULL),
                     ASSAY_OK);
    if (BODIES[_i].fails) {
        ck_assert_int_eq(angles_say(r, "a", 1, NULL, &body), ASSAY_OK);
        ck_assert_int_eq(serve_response_fail(r, "no luck", &sink, NULL), ASSAY_OK);
    } else ck_assert_int_eq(angles_say(r, REPLY, sizeof REPLY - 1, "stop", &body), ASSAY_OK);
    serve_response_free(r);
    buffer_append(&body, "", 1);
    const char *at = body.data;
    for (size_t i = 0; i < PIECES_MAX && BODIES[_i].pieces[i]; i++) {
        const char *piece = BODIES[_i].pieces[i];
        ck_assert_msg(strncmp(at, piece, strlen(piece)) == 0, "expected\n%s\nfound\n%s", piece, at);
        at += strlen(piece);
    }
    ck_assert_str_eq(at, "");
    buffer_free(&body);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/response/bodies");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_body_is_as_the_protocol_has_it, 0, (int)(sizeof BODIES / sizeof *BODIES));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
