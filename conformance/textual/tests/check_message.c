/* Folding bodies of each endpoint. Folding must take time linear in the number of fragments: the test
 * counts copied bytes in functions that the linker puts in place of the copying ones (--wrap).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "conformance/support/fields.h"
#include "conformance/tests/support.h"
#include "conformance/textual/message.h"

static size_t n_copied;

bool __real_buffer_append_text(buffer *bytes, assay_text text);
bool __wrap_buffer_append_text(buffer *bytes, assay_text text);
bool __wrap_buffer_append_text(buffer *bytes, assay_text text)
{
    n_copied += text.n;
    return __real_buffer_append_text(bytes, text);
}

json_object *__real_json_object_new_string_len(const char *text, int n);
json_object *__wrap_json_object_new_string_len(const char *text, int n);
json_object *__wrap_json_object_new_string_len(const char *text, int n)
{
    n_copied += (size_t)n;
    return __real_json_object_new_string_len(text, n);
}

/* A stream: `begin`, n times `more`, `end`. */
typedef struct stream {
    serve_endpoint endpoint;
    const char *begin, *more, *end;
    const char *folded; /* expected in the message, up to the first fragments */
} stream;

#define CHAT(delta)   "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "},\"finish_reason\":null}]}\n\n"
#define CALL(i, more) "\"tool_calls\":[{\"index\":" i ",\"function\":{" more "}}]"

static const stream streams[] = {
    {SERVE_CHAT, CHAT(CALL("0", "\"name\":\"f\",\"arguments\":\"\\\"\"")),
     CHAT(CALL("0", "\"arguments\":\"x\"")), CHAT(CALL("0", "\"arguments\":\"\\\"\"")),
     "\"tool_calls\":[{\"name\":\"f\",\"arguments\":\"xxx"},
    {SERVE_CHAT,
     CHAT(CALL("0", "\"name\":\"f\",\"arguments\":\"1\""))
         CHAT(CALL("1", "\"name\":\"g\",\"arguments\":\"\\\"\"")),
     CHAT(CALL("1", "\"arguments\":\"x\"")), CHAT(CALL("1", "\"arguments\":\"\\\"\"")),
     "\"tool_calls\":[{\"name\":\"f\",\"arguments\":1},{\"name\":\"g\",\"arguments\":\"xxx"},
    {SERVE_CHAT, "", CHAT("\"content\":\"x\""), "", "\"content\":\"xxx"},
    {SERVE_CHAT, "", CHAT("\"reasoning_content\":\"x\""), "", "\"reasoning_content\":\"xxx"},
    {SERVE_MESSAGES, "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\"}}\n\n",
     "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"x\"}}\n\n",
     "data: {\"type\":\"content_block_stop\"}\n\n", "\"text\":\"xxx"},
};

/* Folds the stream with n fragments; returns the number of bytes copied. */
static size_t fold(const stream *s, size_t n)
{
    char *body = NULL;
    size_t n_body = 0;
    json_object *message;
    FILE *out = open_memstream(&body, &n_body);
    ck_assert_ptr_nonnull(out);
    (void)fputs(s->begin, out);
    for (size_t i = 0; i < n; i++) (void)fputs(s->more, out);
    (void)fputs(s->end, out);
    ck_assert_int_eq(fclose(out), 0);
    n_copied = 0;
    ck_assert_int_eq(conf_message_fold(s->endpoint, true, body, n_body, &message, NULL), ASSAY_OK);
    const size_t copied = n_copied;
    const char *folded = json_object_to_json_string_ext(message, JSON_C_TO_STRING_PLAIN);
    const char *found = strstr(folded, s->folded);
    ck_assert_msg(found, "%.200s", folded);
    ck_assert_uint_ge(strspn(strstr(found, "xxx"), "x"), n);
    json_object_put(message);
    free(body);
    return copied;
}

START_TEST(folding_copies_linearly_many_bytes)
{
    const size_t n = 2000;
    const size_t once = fold(&streams[_i], n), twice = fold(&streams[_i], 2 * n);
    ck_assert_uint_ge(once, n);
    ck_assert_msg(twice <= 2 * once, "%zu bytes for %zu fragments, %zu for twice as many", once, n, twice);
}
END_TEST

#define BLOCK(block, delta)                                                                                  \
    "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":" block "}}\n\n" delta              \
    "data: {\"type\":\"content_block_stop\"}\n\n"
#define DELTA(delta) "data: {\"type\":\"content_block_delta\",\"delta\":{" delta "}}\n\n"
#define OUTPUT                                                                                               \
    "\"output\":[{\"type\":\"reasoning\",\"content\":[{\"text\":\"a\"},{\"text\":\"b \"}]},"                 \
    "{\"type\":\"message\",\"content\":[{\"text\":\" "                                                       \
    "\"}]},{\"type\":\"message\",\"content\":[{\"text\":\"c\"}]},"                                           \
    "{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":\"{}\"}]"
#define FOLDED                                                                                               \
    "{\"output\":[{\"type\":\"reasoning\",\"text\":\"ab\"},{\"type\":\"message\",\"text\":\"c\"},"           \
    "{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":{}}],\"status\":"

static const struct {
    serve_endpoint endpoint;
    bool streamed;
    const char *body, *folded;
} bodies[] = {
    {SERVE_CHAT, true,
     CHAT("\"role\":\"assistant\"") CHAT("\"reasoning_content\":\"t\"") CHAT("\"content\":\" a \"") CHAT(
         CALL("0", "\"name\":\"f\",\"arguments\":\"{\\\"x\\\"\"")) CHAT(CALL("0", "\"arguments\":\":1}\""))
         CHAT(CALL("1", "\"name\":\"g\",\"arguments\":\"no\""))
             CHAT(CALL("2", "\"name\":\"h\",\"arguments\":\"null\"")) CHAT(
                 "\"content\":\"b\\n\"") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                                         "data: {\"choices\":[],\"usage\":{}}\n\ndata: [DONE]\n\n",
     "{\"tool_calls\":[{\"name\":\"f\",\"arguments\":{\"x\":1}},{\"name\":\"g\",\"arguments\":\"no\"},"
     "{\"name\":\"h\",\"arguments\":null}],\"finish_reason\":\"stop\",\"content\":\"a "
     "b\",\"reasoning_content\":\"t\"}"},
    {SERVE_CHAT, false,
     "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{\"name\":\"f\","
     "\"arguments\":\"1\"}},"
     "{\"function\":{\"name\":\"g\",\"arguments\":\"2\"}}]},\"finish_reason\":\"tool_calls\"}]}",
     "{\"tool_calls\":[{\"name\":\"f\",\"arguments\":1},{\"name\":\"g\",\"arguments\":2}],"
     "\"finish_reason\":\"tool_calls\",\"content\":null,\"reasoning_content\":null}"},
    {SERVE_CHAT, false, "{\"choices\":7}", "{\"tool_calls\":[],\"content\":null,\"reasoning_content\":null}"},
    {SERVE_MESSAGES, true,
     BLOCK("\"thinking\"", DELTA("\"thinking\":\"t\"")) BLOCK("\"text\"", DELTA("\"text\":\" \""))
         BLOCK("\"text\"", DELTA("\"text\":\"a\"")) BLOCK("\"tool_use\",\"name\":\"f\"", "")
             BLOCK("\"tool_use\",\"name\":\"g\"",
                   DELTA("\"partial_json\":\"{\\\"x\\\"\"")
                       DELTA("\"partial_json\":\":1}\"")) "data: "
                                                          "{\"type\":\"message_delta\",\"delta\":{\"stop_"
                                                          "reason\":\"tool_use\"}}\n\n",
     "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\"},{\"type\":\"text\",\"text\":\"a\"},"
     "{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{}},{\"type\":\"tool_use\",\"name\":\"g\",\"input\":{"
     "\"x\":1}}],"
     "\"stop_reason\":\"tool_use\"}"},
    {SERVE_MESSAGES, false,
     "{\"content\":[{\"type\":\"thinking\",\"thinking\":\" "
     "t\"},{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"a\"},"
     "{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{\"x\":1}}],\"stop_reason\":null}",
     "{\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\"},{\"type\":\"text\",\"text\":\"a\"},"
     "{\"type\":\"tool_use\",\"name\":\"f\",\"input\":{\"x\":1}}],\"stop_reason\":null}"},
    {SERVE_RESPONSES, true,
     "data: {\"type\":\"response.created\",\"response\":{" OUTPUT ",\"status\":\"in_progress\"}}\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{" OUTPUT ",\"status\":\"completed\"}}\n\n",
     FOLDED "\"completed\"}"},
    {SERVE_RESPONSES, true,
     "data: {\"type\":\"response.incomplete\",\"response\":{" OUTPUT ",\"status\":\"incomplete\"}}\n\n",
     FOLDED "\"incomplete\"}"},
    {SERVE_RESPONSES, true,
     "data: {\"type\":\"response.failed\",\"response\":{\"output\":[],\"status\":\"failed\"}}\n\n",
     "{\"output\":[],\"status\":\"failed\"}"},
    {SERVE_RESPONSES, false, "{" OUTPUT ",\"status\":\"completed\"}", FOLDED "\"completed\"}"},
};

START_TEST(a_body_is_folded_into_its_message)
{
    json_object *message = NULL, *expected = json_tokener_parse(bodies[_i].folded);
    ck_assert_ptr_nonnull(expected);
    ck_assert_int_eq(conf_message_fold(bodies[_i].endpoint, bodies[_i].streamed, bodies[_i].body,
                                       strlen(bodies[_i].body), &message, NULL),
                     ASSAY_OK);
    ck_assert_msg(json_equals(expected, message, JSON_BY_VALUE), "%s", json_object_to_json_string(message));
    json_object_put(message);
    json_object_put(expected);
}
END_TEST

START_TEST(an_answer_that_is_not_an_object_is_refused)
{
    static const char *const answers[][2] = {{"[1]", "the answer: found array, expected an object"},
                                             {"<", "the answer: byte 0: "}};
    for (size_t i = 0; i < 2; i++) {
        json_object *message = NULL;
        assay_error err;
        ck_assert_int_eq(
            conf_message_fold(SERVE_CHAT, false, answers[i][0], strlen(answers[i][0]), &message, &err),
            ASSAY_EFORMAT);
        ck_assert_ptr_nonnull(strstr(err.text, answers[i][1]));
        ck_assert_ptr_null(message);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/textual/message");
    TCase *all = tcase_create("linear");
    tcase_add_loop_test(all, folding_copies_linearly_many_bytes, 0, sizeof streams / sizeof *streams);
    suite_add_tcase(suite, all);
    TCase *folding = tcase_create("folding");
    tcase_add_loop_test(folding, a_body_is_folded_into_its_message, 0, sizeof bodies / sizeof *bodies);
    tcase_add_test(folding, an_answer_that_is_not_an_object_is_refused);
    suite_add_tcase(suite, folding);
    return support_run(suite);
}
