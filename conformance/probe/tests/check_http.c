/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/tests/hostile.h"
#include "conformance/probe/wire/http.h"
#include "conformance/probe/wire/wire.h"
#include "conformance/support/clock.h"
#include "conformance/tests/support.h"

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

/* Sends `n` exchanges to a server that answers with this text. */
static void ask(hostile_server *s, probe_exchange *x, size_t n, double seconds)
{
    probe_http *http;
    probe_exchange *all[8];
    char url[64];
    assay_error err;
    hostile_start(s);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/v1/", s->port);
    ck_assert_int_eq(probe_http_open(url, NULL, seconds, &http, &err), ASSAY_OK);
    for (size_t i = 0; i < n; i++) {
        const double delay = x[i].delay;
        const size_t leave_after = x[i].leave_after;
        const double limit = x[i].seconds;
        probe_exchange_begin(&x[i], "a/b", "/v1/models");
        x[i].delay = delay;
        x[i].leave_after = leave_after;
        x[i].seconds = limit;
        ck_assert(buffer_append_string(&x[i].request, "{}"));
        all[i] = &x[i];
    }
    ck_assert_msg(probe_http_run(http, all, n, &err) == ASSAY_OK, "%s", err.text);
    probe_http_close(http);
    hostile_stop(s);
}

static hostile_server answering(const char *text)
{
    return (hostile_server){.answer = text, .n = strlen(text)};
}

START_TEST(body_and_times_of_an_answer_are_kept)
{
    probe_exchange x = {0};
    hostile_server s = answering(HEAD "Content-Length: 5\r\n\r\n{\"\xff\"}");
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_ANSWERED);
    ck_assert_int_eq(x.status, 200);
    ck_assert_str_eq(x.content_type, "application/json");
    ck_assert_uint_eq(x.body.n, 5);
    ck_assert(memcmp(x.body.data, "{\"\xff\"}", 5) == 0);
    ck_assert(x.sent >= 0 && x.first >= x.sent && x.last >= x.first);
    ck_assert_uint_eq(x.arrivals[x.n_arrivals - 1].n_bytes, 5);
    ck_assert(probe_exchange_succeeded(&x));
    probe_exchange_free(&x);
}
END_TEST

START_TEST(redirect_is_refused_and_never_followed)
{
    probe_exchange x = {0};
    hostile_server s =
        answering("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_REDIRECTED);
    ck_assert_str_eq(x.why, "found status 302, a redirect, which is not followed");
    probe_exchange_free(&x);
}
END_TEST

START_TEST(server_that_never_answers_ends_at_the_time_limit)
{
    probe_exchange x = {0};
    hostile_server s = {.answer = "", .stays = 1};
    const double start = conf_clock();
    ask(&s, &x, 1, 0.3);
    ck_assert_int_eq(x.end, PROBE_TIMEOUT);
    ck_assert_str_eq(x.why, "no complete answer within 0.3 s; 0 bytes of its body came");
    ck_assert(conf_clock() - start < 8);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(exchange_may_have_a_shorter_time_limit_of_its_own)
{
    probe_exchange x = {.seconds = 0.3};
    hostile_server s = {.answer = "", .stays = 1};
    ask(&s, &x, 1, 60);
    ck_assert_int_eq(x.end, PROBE_TIMEOUT);
    ck_assert_str_eq(x.why, "no complete answer within 0.3 s; 0 bytes of its body came");
    probe_exchange_free(&x);
}
END_TEST

START_TEST(exchanges_after_the_time_of_the_probe_are_missing)
{
    hostile_server s = {.answer = "", .stays = 1};
    probe_wire *wire;
    char url[64];
    assay_error err;
    hostile_start(&s);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", s.port);
    ck_assert_int_eq(probe_wire_open(url, NULL, NULL, 60, &wire, &err), ASSAY_OK);
    probe_wire_limit(wire, 0.3);
    for (int i = 0; i < 2; i++) { /* one is under way when the time is over, and one comes after it */
        probe_exchange x, *const all[] = {&x};
        probe_exchange_begin(&x, "a/b", "/v1/models");
        x.get = true;
        ck_assert_int_eq(probe_wire_run(wire, all, 1, &err), ASSAY_OK);
        ck_assert_int_eq(x.end, PROBE_OUT_OF_TIME);
        ck_assert(probe_exchange_is_missing(&x));
        probe_exchange_free(&x);
    }
    probe_wire_close(wire);
    hostile_stop(&s);
}
END_TEST

START_TEST(body_that_stops_in_the_middle_ends_at_the_time_limit)
{
    probe_exchange x = {0};
    hostile_server s = answering(HEAD "Content-Length: 100\r\n\r\n{\"id\":");
    s.stays = 1;
    ask(&s, &x, 1, 0.3);
    ck_assert_int_eq(x.end, PROBE_TIMEOUT);
    ck_assert_uint_eq(x.body.n, 6);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(body_that_dribbles_ends_at_the_time_limit)
{
    probe_exchange x = {0};
    hostile_server s = answering(HEAD "\r\n ");
    s.repeat = 1;
    s.dribbles = 1;
    ask(&s, &x, 1, 0.3);
    ck_assert_int_eq(x.end, PROBE_TIMEOUT);
    ck_assert_uint_lt(x.body.n, 64);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(connection_that_closes_before_the_announced_length_is_broken_off)
{
    probe_exchange x = {0};
    hostile_server s = answering(HEAD "Content-Length: 100\r\n\r\n{\"id\":");
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_BROKEN_OFF);
    ck_assert(!probe_exchange_succeeded(&x));
    probe_exchange_free(&x);
}
END_TEST

START_TEST(connection_that_closes_without_an_answer_is_broken_off)
{
    probe_exchange x = {0};
    hostile_server s = {.answer = "", .closes_at_once = 1};
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_BROKEN_OFF);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(body_without_end_is_cut_at_the_limit)
{
    static char answer[1 << 20];
    probe_exchange x = {0};
    const int n = snprintf(answer, sizeof answer, HEAD "\r\n");
    memset(answer + n, 'x', sizeof answer - (size_t)n);
    hostile_server s = {.answer = answer, .n = sizeof answer, .repeat = sizeof answer - (size_t)n};
    ask(&s, &x, 1, 60);
    ck_assert_int_eq(x.end, PROBE_TOO_LONG);
    ck_assert_uint_le(x.body.n, PROBE_BODY_MAX);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(headers_without_end_are_refused)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nX-Header: the same header again and again\r\n";
    probe_exchange x = {0};
    hostile_server s = {.answer = answer, .n = sizeof answer - 1, .repeat = sizeof answer - 1 - 17};
    ask(&s, &x, 1, 20);
    ck_assert(x.end == PROBE_TOO_LONG || x.end == PROBE_BROKEN_OFF); /* libcurl has a limit of its own */
    probe_exchange_free(&x);
}
END_TEST

START_TEST(bytes_that_are_no_http_are_broken_off)
{
    probe_exchange x = {0};
    hostile_server s = answering("\x7f\x45LF, not HTTP\n\n");
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_BROKEN_OFF);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(port_without_a_server_is_not_reached)
{
    probe_exchange x, *one = &x;
    probe_http *http;
    assay_error err;
    ck_assert_int_eq(probe_http_open("http://127.0.0.1:1", NULL, 5, &http, &err), ASSAY_OK);
    probe_exchange_begin(&x, "a", "/v1/models");
    ck_assert_int_eq(probe_http_run(http, &one, 1, &err), ASSAY_OK);
    ck_assert_int_eq(x.end, PROBE_NOT_REACHED);
    probe_exchange_free(&x);
    probe_http_close(http);
}
END_TEST

START_TEST(exchanges_are_under_way_at_once)
{
    probe_exchange x[5];
    memset(x, 0, sizeof x);
    hostile_server s = {.answer = "", .stays = 1};
    const double start = conf_clock();
    ask(&s, x, 5, 1);
    ck_assert(conf_clock() - start < 4.5); /* one after the other they would take 5 s */
    for (size_t i = 0; i < 5; i++) {
        ck_assert_int_eq(x[i].end, PROBE_TIMEOUT);
        probe_exchange_free(&x[i]);
    }
}
END_TEST

START_TEST(exchange_with_a_delay_is_sent_later)
{
    probe_exchange x = {.delay = 0.2};
    hostile_server s = answering(HEAD "Content-Length: 2\r\n\r\n{}");
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_ANSWERED);
    ck_assert(x.sent >= 0.2);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(client_leaves_after_the_given_bytes)
{
    probe_exchange x = {.leave_after = 3};
    hostile_server s = answering(HEAD "Content-Length: 50\r\n\r\n{\"id\":1,");
    s.stays = 1;
    ask(&s, &x, 1, 10);
    ck_assert_int_eq(x.end, PROBE_LEFT);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(url_is_checked)
{
    static const char *const wrong[] = {"",
                                        "127.0.0.1:80",
                                        "ftp://host",
                                        "file:///etc/passwd",
                                        "http://",
                                        "http://user:secret@host",
                                        "http://host?x=1",
                                        "http://host/a b"};
    probe_http *http;
    assay_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(probe_http_open(wrong[i], NULL, 1, &http, &err) == ASSAY_EINVAL, "%s", wrong[i]);
        ck_assert(!strstr(err.text, "secret"));
    }
    ck_assert_int_eq(probe_http_open("http://host", "a\r\nb", 1, &http, &err), ASSAY_EINVAL);
    ck_assert_int_eq(probe_http_open("https://host:8/base/v1//", "key", 1, &http, &err), ASSAY_OK);
    ck_assert_str_eq(probe_http_base(http), "https://host:8/base");
    probe_http_close(http);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("http");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, body_and_times_of_an_answer_are_kept);
    tcase_add_test(c, redirect_is_refused_and_never_followed);
    tcase_add_test(c, server_that_never_answers_ends_at_the_time_limit);
    tcase_add_test(c, exchange_may_have_a_shorter_time_limit_of_its_own);
    tcase_add_test(c, exchanges_after_the_time_of_the_probe_are_missing);
    tcase_add_test(c, body_that_stops_in_the_middle_ends_at_the_time_limit);
    tcase_add_test(c, body_that_dribbles_ends_at_the_time_limit);
    tcase_add_test(c, connection_that_closes_before_the_announced_length_is_broken_off);
    tcase_add_test(c, connection_that_closes_without_an_answer_is_broken_off);
    tcase_add_test(c, body_without_end_is_cut_at_the_limit);
    tcase_add_test(c, headers_without_end_are_refused);
    tcase_add_test(c, bytes_that_are_no_http_are_broken_off);
    tcase_add_test(c, port_without_a_server_is_not_reached);
    tcase_add_test(c, exchanges_are_under_way_at_once);
    tcase_add_test(c, exchange_with_a_delay_is_sent_later);
    tcase_add_test(c, client_leaves_after_the_given_bytes);
    tcase_add_test(c, url_is_checked);
    Suite *suite = suite_create("probe/http");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
