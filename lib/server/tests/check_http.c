/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/http.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/http/key.h"
#include "server/http/listen.h"
#include "server/http/routes.h"
#include "server/tests/talking.h"

START_TEST(a_whole_answer_has_its_length_and_a_stream_comes_in_chunks)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    char *answer = talk(&s, POST_CHAT "Content-Length: 4\r\n\r\nwxyz");
    ck_assert_ptr_nonnull(strstr(answer, "HTTP/1.1 200 "));
    ck_assert_ptr_nonnull(strstr(answer, "Content-Length: 4\r\n"));
    ck_assert_str_eq(strstr(answer, "\r\n\r\n"), "\r\n\r\nwxyz");
    free(answer);
    answer = talk(&s, POST_CHAT "Content-Length: 1\r\n\r\ns");
    ck_assert_ptr_nonnull(strstr(answer, "Transfer-Encoding: chunked\r\n"));
    ck_assert_ptr_nonnull(strstr(answer, "Content-Type: text/event-stream\r\n"));
    size_t n = 0;
    for (const char *at = answer; (at = strstr(at, "data: piece\n")); at++) n++;
    ck_assert_uint_le(n, 100); /* a chunk may end within a piece */
    ck_assert_ptr_nonnull(strstr(answer, "\r\n0\r\n"));
    free(answer);
    scripted_close(&s);
}
END_TEST

START_TEST(requests_that_are_not_served_are_refused_by_their_headers)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    expect_status(&s, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 200 ");
    expect_status(&s, "GET /v1/models/a%20b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 200 ");
    expect_status(&s, "GET /v1/modelsx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 404 ");
    expect_status(&s, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "HTTP/1.1 404 ");
    expect_status(&s, "GET /v1/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 405 ");
    expect_status(&s, "DELETE /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 405 ");
    expect_status(&s, POST_CHAT "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nw", "HTTP/1.1 415 ");
    expect_status(&s, "POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 400 ");
    scripted_close(&s);
}
END_TEST

START_TEST(bytes_that_are_no_request_are_refused)
{
    static const char *const bad[] = {
        "\r\n\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03",
        POST_CHAT "Content-Length: -5\r\n\r\n",
        POST_CHAT "Content-Length: 99999999999999999999999999\r\n\r\n",
        POST_CHAT "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        POST_CHAT "Content-Length: 5\r\nContent-Length: 7\r\n\r\nwwwwwww",
        POST_CHAT "Content-Length: 5\r\nContent-Length: 5\r\n\r\nwwwww",
        POST_CHAT "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwwwww\r\n0\r\n\r\n",
    };
    scripted s;
    server_http_options options = scripted_options;
    options.idle_seconds = 1; /* of those that are not complete */
    scripted_open(&s, &options);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const int fd = dial(&s);
        say(fd, bad[i], strlen(bad[i]));
        (void)shutdown(fd, SHUT_WR);
        char *answer = hear(fd, NULL);
        ck_assert_msg(strncmp(answer, "HTTP/1.1 200", 12) != 0, "%zu: %s", i, answer);
        free(answer);
        (void)close(fd);
    }
    expect_status(&s, POST_CHAT "Content-Length: 1\r\n\r\nw", "HTTP/1.1 200 ");
    scripted_close(&s);
}
END_TEST

/* Bodies with two lengths are answered, and close the connection: what follows is no request. */
START_TEST(a_request_with_two_lengths_ends_the_connection)
{
    static const char *const lengths[] = {"Content-Length: 5\r\nContent-Length: 40",
                                          "Content-Length: 5\r\nTransfer-Encoding: chunked"};
    scripted s;
    scripted_open(&s, &scripted_options);
    for (size_t i = 0; i < 2; i++) {
        char request[512];
        (void)snprintf(request, sizeof request,
                       "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\nwwwww"
                       "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                       lengths[i]);
        char *answer = talk(&s, request);
        ck_assert_msg(strncmp(answer, "HTTP/1.1 400 ", 13) == 0, "%zu: %s", i, answer);
        ck_assert_ptr_null(strstr(answer + 1, "HTTP/1.1 "));
        free(answer);
    }
    scripted_close(&s);
}
END_TEST

/* RFC 9112, section 2.2, lets a server take a line feed alone for the end of a line. */
START_TEST(lines_that_end_with_a_line_feed_alone_are_one_request)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    char *answer = talk(&s, "POST /v1/chat/completions HTTP/1.1\nHost: localhost\nConnection: close\n"
                            "Content-Length: 4\n\nwxyz");
    ck_assert_msg(strncmp(answer, "HTTP/1.1 200 ", 13) == 0, "%s", answer);
    ck_assert_str_eq(strstr(answer, "\r\n\r\n"), "\r\n\r\nwxyz");
    free(answer);
    scripted_close(&s);
}
END_TEST

/* What a browser sends for a page of another site. */
static const struct {
    const char *headers, *status;
} PAGES[] = {
    {"Host: localhost:8080\r\n", "HTTP/1.1 200 "},
    {"Host: 127.0.0.1\r\nOrigin: http://localhost:3000\r\n", "HTTP/1.1 200 "},
    {"Host: [::1]:8080\r\nOrigin: http://[::1]\r\n", "HTTP/1.1 200 "},
    {"Host: app.localhost\r\nOrigin: https://app.localhost\r\n", "HTTP/1.1 200 "},
    {"Host: attacker.example:8080\r\n", "HTTP/1.1 403 "},
    {"Host: localhost.attacker.example\r\n", "HTTP/1.1 403 "},
    {"Host: notlocalhost\r\n", "HTTP/1.1 403 "},
    {"Host: 128.0.0.1\r\n", "HTTP/1.1 403 "},
    {"Host: localhost\r\nHost: attacker.example\r\n", "HTTP/1.1 400 "},
    {"Host: localhost\r\nOrigin: https://attacker.example\r\n", "HTTP/1.1 403 "},
    {"Host: localhost\r\nOrigin: null\r\n", "HTTP/1.1 403 "},
};

START_TEST(pages_of_other_sites_reach_no_server_without_a_key)
{
    scripted s;
    server_http_options options = scripted_options;
    scripted_open(&s, &options);
    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES; i++) {
        char request[512];
        (void)snprintf(
            request, sizeof request,
            "POST /v1/chat/completions HTTP/1.1\r\n%sConnection: close\r\nContent-Length: 1\r\n\r\nw",
            PAGES[i].headers);
        char *answer = talk(&s, request);
        ck_assert_msg(strncmp(answer, PAGES[i].status, 13) == 0, "%s: %s", PAGES[i].headers, answer);
        ck_assert_ptr_null(strstr(answer, "Access-Control-"));
        free(answer);
    }
    expect_status(&s,
                  "OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                  "Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 405 ");
    scripted_close(&s);
    options.key = "secret";
    scripted_open(&s, &options);
    expect_status(
        &s,
        "GET /v1/models HTTP/1.1\r\nHost: api.example\r\nOrigin: https://api.example\r\nx-api-key: secret\r\n"
        "Connection: close\r\n\r\n",
        "HTTP/1.1 200 ");
    scripted_close(&s);
}
END_TEST

START_TEST(every_path_but_the_open_ones_needs_the_key)
{
    scripted s;
    server_http_options options = scripted_options;
    options.key = "secret";
    scripted_open(&s, &options);
    const server_route *route;
    for (size_t i = 0; (route = server_route_at(i)); i++) {
        for (size_t below = 0; below < (route->below ? 2 : 1); below++) {
            char request[512];
            (void)snprintf(request, sizeof request,
                           "%s %s%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
                           route->posts ? "POST" : "GET", route->path, below ? "/m" : "", route->posts,
                           route->posts ? "w" : "");
            expect_status(&s, request, route->open ? "HTTP/1.1 200 " : "HTTP/1.1 401 ");
        }
    }
    scripted_close(&s);
}
END_TEST

START_TEST(headers_of_any_length_are_bounded)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    const int fd = dial(&s);
    char line[1000];
    memset(line, 'a', sizeof line);
    memcpy(line, "X: ", 3);
    memcpy(line + sizeof line - 2, "\r\n", 2);
    say(fd, "GET /health HTTP/1.1\r\n", 22);
    for (size_t i = 0; i < 2000; i++) say(fd, line, sizeof line);
    char *answer = hear(fd, NULL);
    ck_assert_ptr_null(strstr(answer, "HTTP/1.1 200"));
    free(answer);
    (void)close(fd);
    scripted_close(&s);
}
END_TEST

START_TEST(a_body_that_is_too_long_is_refused_before_it_is_sent)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    const int fd = dial(&s);
    static const char request[] = "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                                  "1000000000\r\nExpect: 100-continue\r\n\r\n";
    say(fd, request, sizeof request - 1);
    char *answer = hear(fd, NULL); /* the server closes, without a byte of the body */
    ck_assert_ptr_nonnull(strstr(answer, "HTTP/1.1 413 "));
    ck_assert_ptr_null(strstr(answer, "100 Continue"));
    ck_assert_ptr_nonnull(strstr(answer, "\"type\":\"error\""));
    free(answer);
    (void)close(fd);
    scripted_close(&s);
}
END_TEST

START_TEST(a_body_in_chunks_that_is_too_long_is_refused)
{
    scripted s;
    char chunk[5 + 4095 + 2];
    memset(chunk, 'w', sizeof chunk);
    memcpy(chunk, "fff\r\n", 5);
    memcpy(chunk + sizeof chunk - 2, "\r\n", 2);
    scripted_open(&s, &scripted_options);
    for (size_t i = 0; i < 2; i++) {
        /* just over the limit: an answer; without an end: none */
        const size_t n = i == 0 ? BODY_MAX / 4095 + 1 : 4 * (BODY_MAX / 4095);
        const int fd = dial(&s);
        static const char request[] = POST_CHAT "Transfer-Encoding: chunked\r\n\r\n";
        say(fd, request, sizeof request - 1);
        for (size_t k = 0; k < n; k++) say(fd, chunk, sizeof chunk);
        if (i == 0) say(fd, "0\r\n\r\n", 5);
        char *answer = hear(fd, NULL);
        if (i == 0) ck_assert_ptr_nonnull(strstr(answer, "HTTP/1.1 413 "));
        else ck_assert_str_eq(answer, "");
        free(answer);
        (void)close(fd);
    }
    scripted_close(&s);
}
END_TEST

START_TEST(requests_need_the_key_and_health_does_not)
{
    scripted s;
    server_http_options options = scripted_options;
    options.key = "secret";
    scripted_open(&s, &options);
    expect_status(&s, "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 200 ");
    expect_status(&s, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 401 ");
    expect_status(&s, "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                  "HTTP/1.1 401 ");
    expect_status(&s, POST_CHAT "Content-Length: 1\r\n\r\nw", "HTTP/1.1 401 ");
    expect_status(&s, POST_CHAT "Authorization: Bearer secre\r\nContent-Length: 1\r\n\r\nw", "HTTP/1.1 401 ");
    expect_status(&s, POST_CHAT "Authorization: Bearer secret\r\nContent-Length: 1\r\n\r\nw",
                  "HTTP/1.1 200 ");
    expect_status(&s, POST_CHAT "x-api-key: secret\r\nContent-Length: 1\r\n\r\nw", "HTTP/1.1 200 ");
    scripted_close(&s);
}
END_TEST

START_TEST(keys_are_equal_only_as_a_whole)
{
    char lengthy[SERVER_KEY_MAX + 2];
    memset(lengthy, 'k', sizeof lengthy);
    lengthy[SERVER_KEY_MAX + 1] = '\0';
    ck_assert(server_key_equals("key", "key"));
    ck_assert(!server_key_equals("key", "ke"));
    ck_assert(!server_key_equals("key", "keyy"));
    ck_assert(!server_key_equals("key", ""));
    ck_assert(!server_key_equals("key", NULL));
    ck_assert(!server_key_equals("key", "Key"));
    ck_assert(!server_key_equals(lengthy + 1, lengthy));
    ck_assert(server_key_equals(lengthy + 1, lengthy + 1));
    ck_assert_str_eq(server_key_of_bearer("bearer  abc"), "abc");
    ck_assert_ptr_null(server_key_of_bearer("Basic abc"));
}
END_TEST

START_TEST(an_address_that_others_reach_needs_a_key)
{
    assay_error err = {0};
    int fd;
    uint16_t port;
    ck_assert_int_eq(server_listen("0.0.0.0", 0, false, &fd, &port, &err), ASSAY_EINVAL);
    ck_assert_ptr_nonnull(strstr(err.text, "0.0.0.0"));
    ck_assert_int_eq(server_listen("0.0.0.0", 0, true, &fd, &port, &err), ASSAY_OK);
    ck_assert_uint_gt(port, 0);
    int other;
    uint16_t same;
    ck_assert_int_eq(server_listen("0.0.0.0", port, true, &other, &same, &err), ASSAY_EIO);
    (void)close(fd);
    ck_assert_int_eq(server_listen("no.such.host.invalid", 0, true, &fd, &port, &err), ASSAY_EIO);
}
END_TEST

START_TEST(idle_connections_are_probed)
{
    assay_error err = {0};
    int fd, probed[3] = {0};
    uint16_t port;
    struct sockaddr_in address = {.sin_family = AF_INET};
    ck_assert_int_eq(server_listen("127.0.0.1", 0, false, &fd, &port, &err), ASSAY_OK);
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    ck_assert_int_eq(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    ck_assert_int_eq(poll(&waiting, 1, 30000), 1);
    const int connection = accept(fd, NULL, NULL);
    ck_assert_int_ge(connection, 0);
    socklen_t n = sizeof probed[0];
    ck_assert_int_eq(getsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &probed[0], &n), 0);
    ck_assert_int_eq(getsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &probed[1], &n), 0);
    ck_assert_int_eq(getsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &probed[2], &n), 0);
    ck_assert_int_eq(probed[0], 1);
    ck_assert_int_eq(probed[1], SERVER_PROBE_SECONDS);
    ck_assert_int_eq(probed[2], SERVER_PROBES);
    (void)close(connection);
    (void)close(client);
    (void)close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server/http");
    TCase *t = tcase_create("http");
    tcase_set_timeout(t, 60); /* of a machine that does other things, under a sanitizer */
    tcase_add_test(t, a_whole_answer_has_its_length_and_a_stream_comes_in_chunks);
    tcase_add_test(t, requests_that_are_not_served_are_refused_by_their_headers);
    tcase_add_test(t, bytes_that_are_no_request_are_refused);
    tcase_add_test(t, a_request_with_two_lengths_ends_the_connection);
    tcase_add_test(t, lines_that_end_with_a_line_feed_alone_are_one_request);
    tcase_add_test(t, pages_of_other_sites_reach_no_server_without_a_key);
    tcase_add_test(t, every_path_but_the_open_ones_needs_the_key);
    tcase_add_test(t, headers_of_any_length_are_bounded);
    tcase_add_test(t, a_body_that_is_too_long_is_refused_before_it_is_sent);
    tcase_add_test(t, a_body_in_chunks_that_is_too_long_is_refused);
    tcase_add_test(t, requests_need_the_key_and_health_does_not);
    tcase_add_test(t, keys_are_equal_only_as_a_whole);
    tcase_add_test(t, an_address_that_others_reach_needs_a_key);
    tcase_add_test(t, idle_connections_are_probed);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
