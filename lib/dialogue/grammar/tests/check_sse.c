/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/sse.h"

#include "base/buffer.h"
#include "base/tests/support.h"

#include <stdio.h>
#include <string.h>

/* The events as text: "[type|data@offset]" for each. */
static buffer seen;

static assay_status take(void *context, const serve_sse_event *event)
{
    char offset[32];
    (void)context;
    buffer_append_string(&seen, "[");
    if (event->type.at) buffer_append(&seen, event->type.at, event->type.n);
    buffer_append_string(&seen, event->type.at ? "|" : "-|");
    buffer_append(&seen, event->data.at, event->data.n);
    (void)snprintf(offset, sizeof offset, "@%zu]", event->offset);
    buffer_append_string(&seen, offset);
    return ASSAY_OK;
}

/* The first breach. */
typedef struct refusal {
    const char *rule;
    size_t event, offset;
} refusal;

static assay_status refuse(void *context, const char *rule, size_t event, size_t offset, const char *text)
{
    refusal *first = context;
    ck_assert_uint_gt(strlen(text), 0);
    if (!*first->rule) *first = (refusal){rule, event, offset};
    return ASSAY_OK;
}

/* Reads bytes in two pieces, the second one byte by byte. Returns the first rule that is broken, or "". */
static const char *read_cut(const char *bytes, size_t n, size_t cut, refusal *first)
{
    const serve_sse_sink sink = {.take = take, .refuse = refuse, .context = first};
    serve_sse *s;
    seen.n = 0;
    *first = (refusal){.rule = ""};
    ck_assert_int_eq(serve_sse_open(&sink, &s), ASSAY_OK);
    ck_assert_int_eq(serve_sse_feed(s, bytes, cut), ASSAY_OK);
    for (size_t i = cut; i < n; i++) ck_assert_int_eq(serve_sse_feed(s, bytes + i, 1), ASSAY_OK);
    ck_assert_int_eq(serve_sse_end(s), ASSAY_OK);
    serve_sse_free(s);
    buffer_append(&seen, "", 1);
    return first->rule;
}

/* The same, cut at every offset. */
static void expect_events(const char *bytes, size_t n, const char *events)
{
    refusal breach;
    for (size_t cut = 0; cut <= n; cut++) {
        ck_assert_str_eq(read_cut(bytes, n, cut, &breach), "");
        ck_assert_str_eq(seen.data, events);
    }
}

static void expect_rule(const char *bytes, size_t n, const char *rule, size_t event, size_t offset)
{
    refusal breach;
    for (size_t cut = 0; cut <= n; cut++) {
        ck_assert_str_eq(read_cut(bytes, n, cut, &breach), rule);
        ck_assert_uint_eq(breach.event, event);
        ck_assert_uint_eq(breach.offset, offset);
    }
}

#define EVENTS(text, events)            expect_events(text, sizeof(text) - 1, events)
#define RULE(text, rule, event, offset) expect_rule(text, sizeof(text) - 1, rule, event, offset)

START_TEST(lines_end_in_lf_cr_or_both)
{
    EVENTS("data: a\n\ndata: b\r\rdata: c\r\n\r\n", "[-|a@0][-|b@9][-|c@18]");
    EVENTS("data: a\r\n\rdata: b\n\r\n", "[-|a@0][-|b@10]");
}
END_TEST

START_TEST(an_event_has_a_type_and_lines_of_data)
{
    EVENTS("event: ping\ndata: {}\n\n", "[ping|{}@0]");
    EVENTS("data: a\ndata:b\ndata:  c\n\n", "[-|a\nb\n c@0]");
    EVENTS("data\n\n", "[-|@0]");
    EVENTS("data: a\nevent: late\nid: 7\nretry: 100\n\n", "[late|a@0]");
    EVENTS("event:\ndata:\n\n", "[|@0]");
}
END_TEST

START_TEST(comments_empty_lines_and_a_leading_byte_order_mark_are_ignored)
{
    EVENTS("\xef\xbb\xbf\n:\n: keep-alive\n\n\ndata: a\n: within\n\n:", "[-|a@21]");
    EVENTS("\xef\xbb\xbf"
           "data: a\n\n",
           "[-|a@0]");
    EVENTS("\xef\xbb\xbf", "");
    EVENTS("", "");
    EVENTS("id: 7\n\nretry: 9\n\ndata: a\n\n", "[-|a@17]");
}
END_TEST

START_TEST(lines_that_browsers_ignore_are_refused)
{
    RULE("data: a\n\n{\"a\": 1}\n\n", "sse-field", 2, 9);
    RULE("Data: a\n\n", "sse-field", 1, 0);
    RULE(" data: a\n\n", "sse-field", 1, 0);
    RULE("data: a\n\xef\xbb\xbf"
         "data: b\n\n",
         "sse-field", 1, 8);
    RULE("event: a\nevent: b\ndata: c\n\n", "sse-field", 1, 9);
    RULE("data: a\nretry: 1s\n\n", "sse-field", 1, 8);
    RULE("data: a\nretry\n\n", "sse-field", 1, 8);
    RULE("data: a\nid: \0\n\n", "sse-field", 1, 8);
}
END_TEST

START_TEST(an_event_without_data_or_without_end_is_refused)
{
    RULE("data: a\n\nevent: b\n\n", "sse-data", 2, 9);
    RULE("data: a\n\ndata: b", "sse-end", 2, 16);
    RULE("data: a\n\ndata: b\n", "sse-end", 2, 17);
    RULE("da", "sse-end", 1, 2);
    RULE("event", "sse-end", 1, 5);
    RULE("\xef\xbb\xbf"
         "data: a",
         "sse-end", 1, 10);
}
END_TEST

START_TEST(a_truncated_last_line_is_distinguished_from_an_invalid_one)
{
    RULE("{\"error\":{\"message\":\"no\"}}", "sse-field", 1, 0);
    RULE("data: a\n\nInternal Server Error", "sse-field", 2, 9);
    RULE("d:", "sse-field", 1, 0);
    RULE("datas", "sse-field", 1, 0);
    RULE("\xef\xbb\xbfx", "sse-field", 1, 0);
    EVENTS("data: a\n\n: a comment", "[-|a@0]");
}
END_TEST

START_TEST(an_event_that_is_too_long_is_reported_with_its_offset)
{
    static char line[SERVE_SSE_EVENT_MAX / 4];
    refusal first = {.rule = ""};
    const serve_sse_sink sink = {.take = take, .refuse = refuse, .context = &first};
    serve_sse *s;
    ck_assert_int_eq(serve_sse_open(&sink, &s), ASSAY_OK);
    ck_assert_int_eq(serve_sse_feed(s, "data: a\n\ndata: ", 15), ASSAY_OK);
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(serve_sse_feed(s, line, sizeof line), ASSAY_OK);
    ck_assert_int_eq(serve_sse_feed(s, line, sizeof line), ASSAY_OK);
    ck_assert_uint_eq(first.event, 2);
    ck_assert_uint_eq(first.offset, 9);
    serve_sse_free(s);
}
END_TEST

START_TEST(an_event_is_bounded)
{
    static char line[SERVE_SSE_EVENT_MAX / 4];
    refusal first = {.rule = ""};
    const serve_sse_sink sink = {.take = take, .refuse = refuse, .context = &first};
    serve_sse *s;
    memset(line, 'x', sizeof line);
    memcpy(line, "data:", 5);
    line[sizeof line - 1] = '\n';
    ck_assert_int_eq(serve_sse_open(&sink, &s), ASSAY_OK);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(serve_sse_feed(s, line, sizeof line), ASSAY_OK);
    ck_assert_int_eq(serve_sse_feed(s, line, sizeof line), ASSAY_OK);
    ck_assert_str_eq(first.rule, "sse-size");
    ck_assert_uint_eq(first.offset, 0);
    serve_sse_free(s);
    ck_assert_int_eq(serve_sse_open(&sink, &s), ASSAY_OK);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(serve_sse_feed(s, line, sizeof line - 1), ASSAY_OK);
    ck_assert_int_eq(serve_sse_feed(s, line, sizeof line - 1), ASSAY_OK);
    serve_sse_free(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/grammar/sse");
    TCase *all = tcase_create("all");
    tcase_add_test(all, lines_end_in_lf_cr_or_both);
    tcase_add_test(all, an_event_has_a_type_and_lines_of_data);
    tcase_add_test(all, comments_empty_lines_and_a_leading_byte_order_mark_are_ignored);
    tcase_add_test(all, lines_that_browsers_ignore_are_refused);
    tcase_add_test(all, an_event_without_data_or_without_end_is_refused);
    tcase_add_test(all, a_truncated_last_line_is_distinguished_from_an_invalid_one);
    tcase_add_test(all, an_event_that_is_too_long_is_reported_with_its_offset);
    tcase_add_test(all, an_event_is_bounded);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
