/* An exchange as a page shows it: what a server sends is cleaned and cut, and what is wrong is marked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/run/excerpt.h"
#include "conformance/tests/support.h"

static probe_exchange x;
static char *text;

static void setup(void)
{
    probe_exchange_begin(&x, "protocol/chat/whole", "/v1/chat/completions");
    ck_assert(buffer_append_string(&x.request, "{\"model\":\"m\"}"));
    x.end = PROBE_ANSWERED;
    x.status = 200;
}

static void teardown(void)
{
    free(text);
    text = NULL;
    probe_exchange_free(&x);
}

static const char *excerpt(probe_mark mark)
{
    free(text);
    text = probe_excerpt(&x, mark);
    ck_assert_ptr_nonnull(text);
    return text;
}

static const char *excerpt_of(const char *body)
{
    x.body.n = 0;
    ck_assert(buffer_append_string(&x.body, body));
    return excerpt((probe_mark){0, 0});
}

START_TEST(an_exchange_has_its_request_and_its_answer)
{
    (void)snprintf(x.content_type, sizeof x.content_type, "application/json");
    ck_assert_str_eq(excerpt_of("{\n}"), "POST /v1/chat/completions\n{\"model\":\"m\"}\n\n"
                                         "answered, status 200, application/json\n{\n}\n");
}
END_TEST

/* What a server may send, and its form in an excerpt. */
static const struct {
    const char *sent, *shown;
} cleaned[] = {
    {"a\x1b[31mb", "a\\u001B[31mb"}, /* escape sequences of terminals */
    {"a\rb\tc\x7f", "a b c\\u007F"}, /* control characters but the end of a line */
    {"a\xc2\x9b"
     "b",
     "a\\u009Bb"}, /* C1 */
    {"a\xe2\x80\xae"
     "b",
     "a\\u202Eb"}, /* right-to-left override */
    {"a\xe2\x81\xa6"
     "b\xe2\x81\xa9",
     "a\\u2066b\\u2069"}, /* isolates */
    {"a\xe2\x80\xa8"
     "b",
     "a\\u2028b"}, /* line separator */
    {"a\xff"
     "b",
     "a?b"}, /* no UTF-8 */
    {"a\xc0\xaf"
     "b",
     "a??b"}, /* overlong */
    {"a\xed\xa0\x80"
     "b",
     "a???b"},                                          /* a surrogate */
    {"a\xe2\x82", "a?"},                                /* cut off */
    {"\xc3\xa9 \xe6\xbc\xa2", "\xc3\xa9 \xe6\xbc\xa2"}, /* text */
};

START_TEST(what_a_server_sends_is_shown_in_characters_that_do_nothing)
{
    const char *shown = strstr(excerpt_of(cleaned[_i].sent), "status 200\n");
    ck_assert_ptr_nonnull(shown);
    shown += strlen("status 200\n");
    ck_assert_uint_eq(strlen(shown), strlen(cleaned[_i].shown) + 1);
    ck_assert_msg(strncmp(shown, cleaned[_i].shown, strlen(cleaned[_i].shown)) == 0, "%s", shown);
}
END_TEST

START_TEST(a_byte_zero_ends_nothing)
{
    ck_assert(buffer_append(&x.body, "a\0b", 3));
    assert_holds(excerpt((probe_mark){0, 0}), "a\\u0000b\n");
}
END_TEST

START_TEST(a_request_is_cleaned_too)
{
    ck_assert(buffer_append_string(&x.request, "\x1b\xe2\x80\xae"));
    assert_holds(excerpt_of("{}"), "{\"model\":\"m\"}\\u001B\\u202E\n");
}
END_TEST

START_TEST(the_header_of_an_answer_is_cleaned_too)
{
    (void)snprintf(x.content_type, sizeof x.content_type, "text/\x1b\xe2\x80\xaehtml");
    (void)snprintf(x.why, sizeof x.why, "ended \xff");
    assert_holds(excerpt_of("{}"), "status 200, text/\\u001B\\u202Ehtml, ended ?\n");
}
END_TEST

static void append_many(const char *piece, size_t n)
{
    for (size_t i = 0; i < n; i++) ck_assert(buffer_append_string(&x.body, piece));
}

START_TEST(a_long_body_is_cut_between_characters)
{
    ck_assert(buffer_append_string(&x.body, "a"));
    append_many("\xe6\xbc\xa2", 2 * PROBE_EXCERPT_MAX);
    const char *shown = excerpt((probe_mark){0, 0});
    ck_assert_uint_lt(strlen(shown), PROBE_EXCERPT_MAX + 200);
    assert_holds(shown, "\n[18001 bytes in all]\n");
    ck_assert_ptr_null(strchr(shown, '?'));
}
END_TEST

START_TEST(what_is_wrong_is_marked)
{
    const char *shown;
    (void)excerpt_of("{\"usage\":{\"prompt_tokens\":0,\"total\":1}}");
    const probe_mark mark = probe_mark_member(&x.body, 0, "usage.prompt_tokens");
    shown = excerpt(mark);
    assert_holds(shown, "what is wrong is between >>> and <<<\n");
    assert_holds(shown, "{\"usage\":{>>>\"prompt_tokens\":0<<<,\"total\":1}}\n");
}
END_TEST

START_TEST(a_mark_far_into_a_body_is_shown)
{
    append_many("\xe6\xbc\xa2", PROBE_EXCERPT_MAX);
    ck_assert(buffer_append_string(&x.body, "{\"id\": -1}"));
    append_many("\xe6\xbc\xa2", PROBE_EXCERPT_MAX);
    const char *shown = excerpt(probe_mark_member(&x.body, 0, "id"));
    assert_holds(shown, "{>>>\"id\": -1<<<}");
    assert_holds(shown, " bytes before]\n");
    assert_holds(shown, " bytes in all]\n");
    ck_assert_ptr_null(strchr(shown, '?'));
    ck_assert_uint_lt(strlen(shown), PROBE_EXCERPT_MAX + 300);
}
END_TEST

static const struct {
    const char *body, *path, *marked;
} members[] = {
    {"{\"a\":1,\"b\":2}", "b", "\"b\":2"},
    {"{\"x\":\"\\\"b\\\":1\",\"b\" : [1,{\"c\":2}] }", "b", "\"b\" : [1,{\"c\":2}]"},
    {"{\"choices\":[{\"delta\":{\"content\":\"a}\"}}]}", "choices[].delta.content", "\"content\":\"a}\""},
    {"{\"usage\":{\"a\":1},\"total\":2}", "usage.total", "\"usage\":{\"a\":1}"},
    {"{\"a\":1}", "b", ""},
    {"{\"a\":[[1]]}", "a[][]", "\"a\":[[1]]"},
    {"{\"a\":\"", "a", "\"a\":\""},
    {"{\"a\":", "a", "\"a\":"},
    {"\"", "a", ""},
    {"", "a", ""},
};

static void assert_marked(probe_mark mark, const char *expected)
{
    ck_assert_uint_le(mark.to, x.body.n);
    ck_assert_uint_eq(mark.to - mark.from, strlen(expected));
    if (*expected) ck_assert_mem_eq(x.body.data + mark.from, expected, strlen(expected));
}

START_TEST(a_member_is_found_by_its_path)
{
    ck_assert(buffer_append_string(&x.body, members[_i].body));
    assert_marked(probe_mark_member(&x.body, 0, members[_i].path), members[_i].marked);
}
END_TEST

START_TEST(an_event_ends_at_its_empty_line)
{
    ck_assert(buffer_append_string(&x.body, "data: 1\n\nevent: a\r\ndata: 2\r\n\r\ndata: 3"));
    assert_marked(probe_mark_event(&x.body, 9), "event: a\r\ndata: 2");
    assert_marked(probe_mark_event(&x.body, 30), "data: 3");
    assert_marked(probe_mark_event(&x.body, 1000), "");
}
END_TEST

START_TEST(a_number_is_found_by_its_value)
{
    ck_assert(buffer_append_string(&x.body, "{\"t\":\"-0.5\",\"n\":0,\"logprob\":0,\"more\":[-5e-1,-0.25]}"));
    assert_marked(probe_mark_number(&x.body, -0.5), "-5e-1");
    assert_marked(probe_mark_number(&x.body, -0.25), "-0.25");
    const probe_mark zero = probe_mark_number(&x.body, 0);
    assert_marked(zero, "0");
    ck_assert_mem_eq(x.body.data + zero.from - 10, "\"logprob\":", 10);
    assert_marked(probe_mark_number(&x.body, 3), "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/probe/excerpt");
    TCase *tc = tcase_create("excerpts");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, an_exchange_has_its_request_and_its_answer);
    tcase_add_loop_test(tc, what_a_server_sends_is_shown_in_characters_that_do_nothing, 0,
                        (int)(sizeof cleaned / sizeof *cleaned));
    tcase_add_test(tc, a_byte_zero_ends_nothing);
    tcase_add_test(tc, a_request_is_cleaned_too);
    tcase_add_test(tc, the_header_of_an_answer_is_cleaned_too);
    tcase_add_test(tc, a_long_body_is_cut_between_characters);
    tcase_add_test(tc, what_is_wrong_is_marked);
    tcase_add_test(tc, a_mark_far_into_a_body_is_shown);
    tcase_add_loop_test(tc, a_member_is_found_by_its_path, 0, (int)(sizeof members / sizeof *members));
    tcase_add_test(tc, an_event_ends_at_its_empty_line);
    tcase_add_test(tc, a_number_is_found_by_its_value);
    suite_add_tcase(s, tc);
    return support_run(s);
}
