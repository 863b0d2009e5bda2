/* Clients that are slow, vanish, or are many.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/http/http.h"

#include <linux/filter.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/tests/talking.h"

START_TEST(all_bodies_together_are_bounded)
{
    scripted s;
    int fds[10];
    char request[200];
    scripted_open(&s, &scripted_options);
    (void)snprintf(request, sizeof request, POST_CHAT "Content-Length: %d\r\n\r\nw", BODY_MAX);
    for (size_t i = 0; i < 10; i++) {
        fds[i] = dial(&s);
        say(fds[i], request, strlen(request));
    }
    WAIT_FOR(server_http_receiving(s.http) == 10 * BODY_MAX);
    expect_status(&s, request, "HTTP/1.1 503 ");
    for (size_t i = 0; i < 10; i++) (void)close(fds[i]);
    WAIT_FOR(server_http_receiving(s.http) == 0);
    expect_status(&s, POST_CHAT "Content-Length: 1\r\n\r\nw", "HTTP/1.1 200 ");
    scripted_close(&s);
}
END_TEST

START_TEST(half_open_requests_time_out)
{
    scripted s;
    server_http_options options = scripted_options;
    options.receive_seconds = 1;
    scripted_open(&s, &options);
    static const char *const starts[] = {"", "GET /hea", POST_CHAT "Content-Length: 100\r\n\r\nww"};
    int fds[3];
    for (size_t i = 0; i < 3; i++) {
        fds[i] = dial(&s);
        say(fds[i], starts[i], strlen(starts[i]));
    }
    for (size_t i = 0; i < 8; i++) { /* a byte now and then does not help */
        const struct timespec tick = {.tv_nsec = 250000000};
        (void)nanosleep(&tick, NULL);
        say(fds[2], "w", 1);
    }
    for (size_t i = 0; i < 3; i++) {
        const time_t start = time(NULL);
        free(hear(fds[i], NULL));
        ck_assert_int_lt(time(NULL) - start, 20);
        (void)close(fds[i]);
    }
    WAIT_FOR(server_http_busy(s.http) == 0);
    WAIT_FOR(server_metrics_get(s.metrics, SERVER_GAUGE_CONNECTIONS) == 0);
    scripted_close(&s);
}
END_TEST

START_TEST(the_exchange_of_a_client_that_goes_is_abandoned)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    const int held = dial(&s), streaming = dial(&s);
    static const char hold[] = POST_CHAT "Content-Length: 1\r\n\r\nh";
    static const char stream[] = POST_CHAT "Content-Length: 1\r\n\r\ns";
    s.n_pieces = 100000000;
    say(held, hold, sizeof hold - 1);
    say(streaming, stream, sizeof stream - 1);
    free(hear(streaming, "data: piece"));
    WAIT_FOR(atomic_load(&s.n_held) == 2);
    (void)close(held);
    WAIT_FOR(atomic_load(&s.n_gone) == 1);
    (void)close(streaming);
    WAIT_FOR(atomic_load(&s.n_gone) == 2);
    WAIT_FOR(server_http_busy(s.http) == 0);
    scripted_close(&s);
}
END_TEST

START_TEST(a_client_that_does_not_read_is_given_up)
{
    scripted s;
    server_http_options options = scripted_options;
    options.idle_seconds = 1;
    scripted_open(&s, &options);
    s.n_pieces = 100000000;
    const int fd = dial(&s);
    static const char stream[] = POST_CHAT "Content-Length: 1\r\n\r\ns";
    say(fd, stream, sizeof stream - 1);
    WAIT_FOR(atomic_load(&s.n_gone) == 1);
    (void)close(fd);
    scripted_close(&s);
}
END_TEST

/* From now on the socket receives nothing, and so acknowledges nothing, as if its machine had vanished. */
static void vanish(int fd)
{
    struct sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    const struct sock_fprog program = {.len = 1, .filter = &drop};
    ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
}

START_TEST(a_client_whose_machine_vanishes_is_noticed_and_one_that_reads_nothing_for_as_long_is_kept)
{
    scripted s;
    server_http_options options = scripted_options;
    options.silent_seconds = 1;
    scripted_open(&s, &options);
    s.n_pieces = 100000000;
    static const char stream[] = POST_CHAT "Content-Length: 1\r\n\r\ns";
    const int slow = dial(&s), vanishing = dial(&s);
    say(slow, stream, sizeof stream - 1);
    say(vanishing, stream, sizeof stream - 1);
    free(hear(slow, "data: piece"));
    free(hear(vanishing, "data: piece"));
    vanish(vanishing);
    WAIT_FOR(atomic_load(&s.n_gone) == 1);
    const struct timespec pause = {.tv_sec = 2}; /* until probes of the closed window are further apart */
    (void)nanosleep(&pause, NULL);
    free(hear(slow, "data: piece"));
    ck_assert_uint_eq(atomic_load(&s.n_gone), 1);
    (void)close(slow);
    (void)close(vanishing);
    WAIT_FOR(atomic_load(&s.n_gone) == 2);
    scripted_close(&s);
}
END_TEST

START_TEST(one_connection_carries_one_request_after_another)
{
    scripted s;
    scripted_open(&s, &scripted_options);
    const int fd = dial(&s);
    static const char request[] =
        "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nw1"
        "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nw2";
    say(fd, request, sizeof request - 1);
    char *answer = hear(fd, "w2");
    ck_assert_ptr_nonnull(strstr(answer, "w1HTTP/1.1 200 "));
    free(answer);
    say(fd, request, sizeof request - 1);
    free(hear(fd, "w2"));
    (void)close(fd);
    scripted_close(&s);
}
END_TEST

#define MANY 500

START_TEST(many_connections_wait_at_once_and_are_all_answered)
{
    scripted s;
    int fds[MANY];
    static const char hold[] = POST_CHAT "Content-Length: 1\r\n\r\nh";
    scripted_open(&s, &scripted_options);
    for (size_t i = 0; i < MANY; i++) {
        fds[i] = dial(&s);
        say(fds[i], hold, sizeof hold - 1);
    }
    WAIT_FOR(atomic_load(&s.n_held) == MANY);
    expect_status(&s, POST_CHAT "Content-Length: 1\r\n\r\nw", "HTTP/1.1 200 ");
    atomic_store(&s.release, true);
    for (size_t i = 0; i < MANY; i++) {
        char *answer = hear(fds[i], NULL);
        ck_assert_ptr_nonnull(strstr(answer, "HTTP/1.1 200 "));
        free(answer);
        (void)close(fds[i]);
    }
    scripted_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server/clients");
    TCase *t = tcase_create("clients");
    tcase_set_timeout(t, 60); /* of a machine that does other things, under a sanitizer */
    tcase_add_test(t, all_bodies_together_are_bounded);
    tcase_add_test(t, half_open_requests_time_out);
    tcase_add_test(t, the_exchange_of_a_client_that_goes_is_abandoned);
    tcase_add_test(t, a_client_that_does_not_read_is_given_up);
    tcase_add_test(t,
                   a_client_whose_machine_vanishes_is_noticed_and_one_that_reads_nothing_for_as_long_is_kept);
    tcase_add_test(t, one_connection_carries_one_request_after_another);
    tcase_add_test(t, many_connections_wait_at_once_and_are_all_answered);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
