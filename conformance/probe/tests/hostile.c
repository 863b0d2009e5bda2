/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/tests/hostile.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int send_bytes(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        bytes += sent;
        n -= (size_t)sent;
    }
    return 1;
}

/* Reads the head of a request, and what comes of its body with it. */
static void read_request(int fd)
{
    char bytes[65536];
    size_t n = 0;
    while (n < sizeof bytes) {
        const ssize_t got = recv(fd, bytes + n, sizeof bytes - n, 0);
        if (got <= 0) return;
        n += (size_t)got;
        if (memmem(bytes, n, "\r\n\r\n", 4)) return;
    }
}

static void serve(const hostile_server *s, int fd)
{
    int open = 1;
    if (s->closes_at_once) return;
    read_request(fd);
    open = send_bytes(fd, s->answer, s->n);
    while (open && s->repeat) {
        open = send_bytes(fd, s->answer + s->n - s->repeat, s->repeat);
        if (s->dribbles) (void)usleep(20000);
    }
    while (open && s->stays) {
        char byte;
        open = recv(fd, &byte, 1, 0) > 0;
    }
    (void)shutdown(fd, SHUT_WR);
    for (char byte; recv(fd, &byte, 1, 0) > 0;) {}
}

void hostile_start(hostile_server *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t n = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(s->listener, 0);
    ck_assert_int_eq(bind(s->listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(s->listener, 64), 0);
    ck_assert_int_eq(getsockname(s->listener, (struct sockaddr *)&address, &n), 0);
    s->port = ntohs(address.sin_port);
    s->child = fork();
    ck_assert_int_ge(s->child, 0);
    if (s->child > 0) return;
    (void)signal(SIGCHLD, SIG_IGN);
    for (;;) { /* a process for each connection: several are served at once */
        const int fd = accept(s->listener, NULL, NULL);
        if (fd < 0) continue;
        if (fork() == 0) {
            serve(s, fd);
            _exit(0);
        }
        (void)close(fd);
    }
}

void hostile_stop(hostile_server *s)
{
    (void)kill((pid_t)s->child, SIGKILL);
    (void)waitpid((pid_t)s->child, NULL, 0);
    (void)close(s->listener);
}
