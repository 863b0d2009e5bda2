/* Responses and completions in which one allocation fails, each in turn: the call reports it, nothing of that
 * call is emitted, the end after it emits nothing, and nothing leaks. The linker wraps the allocating
 * functions with those below.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/completion.h"
#include "dialogue/response/tests/angles.h"
#include "dialogue/tokenizing.h"

static size_t before = SIZE_MAX; /* allocations before the one that fails; SIZE_MAX: none fails */

/* Not while libcheck asserts, because its allocations are counted as well. */
static bool fails(void)
{
    return before != SIZE_MAX && before-- == 0;
}

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n)
{
    return fails() ? NULL : __real_realloc(old, n);
}

static const char STREAM[] = "{\"stream\":true,\"tools\":[{\"function\":{\"name\":\"f\",\"parameters\":{"
                             "\"properties\":{\"x\":{\"type\":\"integer\"},\"y\":{\"type\":\"string\"}}}}}]}";
static const char WHOLE[] = "{\"tools\":[{}]}";

/* The body for a reply with every kind of run, as far as memory suffices. */
static assay_status answer(size_t endpoint, const char *request, buffer *body)
{
    static const char *const reply[] = {" <t", "t> a", "[f|{\"x\":\"1\",\"y\":{\"a\": 2}}]", "[g|no]", " c"};
    const size_t n = sizeof reply / sizeof *reply;
    const assay_byte_sink sink = {.take = angles_collect, .context = body};
    assay_response *r;
    assay_status rc = angles_open(angles_paths[endpoint], request, ANGLES_SERVER, &r, NULL);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = angles_say(r, reply[i], strlen(reply[i]), i + 1 == n ? "stop" : NULL, body);
    if (serve_response_end(r, &sink, NULL) != ASSAY_OK) rc = ASSAY_EINTERNAL; /* emits nothing */
    serve_response_free(r);
    return rc;
}

START_TEST(an_out_of_memory_response_fails_without_wrong_output)
{
    const size_t endpoint = (size_t)_i / 2;
    const char *request = _i % 2 ? STREAM : WHOLE;
    buffer expected = {0}, body = {0};
    ck_assert_int_eq(answer(endpoint, request, &expected), ASSAY_OK);
    ck_assert(buffer_reserve(&body, 2 * expected.n)); /* collected without another allocation */
    bool failed = true;
    for (size_t n = 0; failed; n++) {
        body.n = 0;
        before = n;
        const assay_status rc = answer(endpoint, request, &body);
        failed = before == SIZE_MAX;
        before = SIZE_MAX;
        ck_assert_msg(rc == (failed ? ASSAY_ENOMEM : ASSAY_OK), "the allocation after %zu fails: status %d",
                      n, rc);
        size_t same = 0;
        while (same < body.n && same < expected.n && body.data[same] == expected.data[same]) same++;
        ck_assert_msg(same == body.n, "the allocation after %zu fails: byte %zu is another: %.300s", n, same,
                      body.data + same);
        ck_assert_int_eq(rc == ASSAY_OK, body.n == expected.n);
    }
    buffer_free(&expected);
    buffer_free(&body);
}
END_TEST

enum { N_IDS = 32 };

static void take_text(void *context, assay_part part, const char *text, size_t n)
{
    (void)part;
    buffer_append(context, text, n);
}

/* The text of some ids, up to a stop text. */
static assay_status complete(const assay_tokenizer *tokenizer, const int32_t *ids, size_t n, buffer *text)
{
    static const assay_text stop = {"stop here", 9};
    const assay_sink sink = {.take = take_text, .context = text};
    const assay_completion_options options = {.size = sizeof options,
                                              .tokenizer = tokenizer,
                                              .stop_texts = &stop,
                                              .n_stop_texts = 1,
                                              .max_tokens = n};
    assay_completion_state state = {0};
    assay_completion *c;
    assay_status rc = serve_completion_open(&options, &c, NULL);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < n && rc == ASSAY_OK && state.finish == ASSAY_FINISH_NONE; i++)
        rc = serve_completion_push(c, ids[i], &sink, &state, NULL);
    serve_completion_free(c);
    return rc;
}

START_TEST(an_out_of_memory_completion_fails_without_wrong_output)
{
    static const char said[] = "st stop her. stop here!", expected[] = "st stop her. ";
    const char *top = getenv("top_srcdir");
    char dir[1024];
    assay_tokenizer *tokenizer;
    int32_t ids[N_IDS];
    size_t n_ids;
    buffer text = {0};
    (void)snprintf(dir, sizeof dir, "%s/fixtures/trained/qwen3/model", top ? top : ".");
    ck_assert_int_eq(serve_tokenizer_open(dir, &tokenizer, NULL), ASSAY_OK);
    ck_assert_int_eq(serve_encode(tokenizer, said, sizeof said - 1, false, ids, N_IDS, &n_ids, NULL),
                     ASSAY_OK);
    ck_assert_uint_le(n_ids, N_IDS);
    ck_assert(buffer_reserve(&text, 1024)); /* collected without another allocation */
    bool failed = true;
    for (size_t n = 0; failed; n++) {
        text.n = 0;
        before = n;
        const assay_status rc = complete(tokenizer, ids, n_ids, &text);
        failed = before == SIZE_MAX;
        before = SIZE_MAX;
        ck_assert_msg(rc == (failed ? ASSAY_ENOMEM : ASSAY_OK), "the allocation after %zu fails: status %d",
                      n, rc);
        ck_assert_uint_le(text.n, sizeof expected - 1);
        ck_assert_int_eq(memcmp(text.data, expected, text.n), 0);
    }
    ck_assert_uint_eq(text.n, sizeof expected - 1);
    buffer_free(&text);
    serve_tokenizer_free(tokenizer);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/response/memory");
    TCase *c = tcase_create("memory");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, an_out_of_memory_response_fails_without_wrong_output, 0, 6);
    tcase_add_test(c, an_out_of_memory_completion_fails_without_wrong_output);
    suite_add_tcase(s, c);
    return support_run(s);
}
