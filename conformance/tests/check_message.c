/* Messages that come in tiny fragments are folded in time that grows as they do: bytes are counted, and the
 * linker puts the functions below before those that copy them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/fields.h"
#include "conformance/message.h"

static size_t n_copied;

bool __real_conf_bytes_add(conf_bytes *bytes, assay_text text);
bool __wrap_conf_bytes_add(conf_bytes *bytes, assay_text text);
bool __wrap_conf_bytes_add(conf_bytes *bytes, assay_text text)
{
    n_copied += text.n;
    return __real_conf_bytes_add(bytes, text);
}

json_object *__real_json_object_new_string_len(const char *text, int n);
json_object *__wrap_json_object_new_string_len(const char *text, int n);
json_object *__wrap_json_object_new_string_len(const char *text, int n)
{
    n_copied += (size_t)n;
    return __real_json_object_new_string_len(text, n);
}

/* A stream: begin, n times `more`, and end. */
typedef struct stream {
    serve_endpoint endpoint;
    const char *begin, *more, *end;
    const char *folded; /* its first bytes, before the fragments */
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

/* The bytes that folding the stream copies. */
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

START_TEST(twice_the_fragments_are_twice_the_work)
{
    const size_t n = 2000;
    const size_t once = fold(&streams[_i], n), twice = fold(&streams[_i], 2 * n);
    ck_assert_uint_ge(once, n);
    ck_assert_msg(twice <= 2 * once, "%zu bytes for %zu fragments, %zu for twice as many", once, n, twice);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/message");
    TCase *all = tcase_create("linear");
    tcase_add_loop_test(all, twice_the_fragments_are_twice_the_work, 0, sizeof streams / sizeof *streams);
    suite_add_tcase(suite, all);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
