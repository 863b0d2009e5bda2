/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/tests/oracle.h"

#include <arpa/inet.h>
#include <check.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/probe/tests/oracle_answer.h"

/* A connection. A whole body is collected, so that its length can be announced. */
typedef struct connection {
    int fd, status;
    bool begun, streams;
    buffer body;
} connection;

static bool send_bytes(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

void oracle_replace(const oracle *o, bool streams, const char *bytes, size_t n, buffer *out)
{
    const size_t n_from = o->from ? strlen(o->from) : 0;
    const bool applies = n_from && (o->streams == 0 || (o->streams > 0) == streams);
    while (n > 0) {
        const char *at = applies ? memmem(bytes, n, o->from, n_from) : NULL;
        const size_t before = at ? (size_t)(at - bytes) : n;
        ck_assert(buffer_append(out, bytes, before));
        if (at) ck_assert(buffer_append_string(out, o->to));
        bytes += before + (at ? n_from : 0);
        n -= before + (at ? n_from : 0);
    }
}

static void begin_body(void *context, int status, bool streams)
{
    connection *c = context;
    char head[128];
    c->status = status;
    c->streams = streams;
    c->begun = true;
    const int n =
        snprintf(head, sizeof head,
                 "HTTP/1.1 %d .\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n", status);
    if (streams) (void)send_bytes(c->fd, head, (size_t)n);
}

static bool put_body(void *context, const char *bytes, size_t n)
{
    connection *c = context;
    if (!c->streams) return buffer_append(&c->body, bytes, n);
    char byte;
    const bool closed = recv(c->fd, &byte, 1, MSG_DONTWAIT) == 0;
    return !closed && send_bytes(c->fd, bytes, n);
}

static void end_body(connection *c)
{
    char head[160];
    if (c->streams) return;
    const int n = snprintf(head, sizeof head,
                           "HTTP/1.1 %d .\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                           "Connection: close\r\n\r\n",
                           c->status, c->body.n);
    (void)send_bytes(c->fd, head, (size_t)n);
    if (c->body.n) (void)send_bytes(c->fd, c->body.data, c->body.n);
}

/* Reads a request into *all; returns the offset of its body, 0 on failure. */
static size_t read_request(int fd, buffer *all)
{
    size_t head = 0, length = 0;
    while (head == 0 || all->n < head + length) {
        char bytes[65536];
        const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
        if (got <= 0 || !buffer_append(all, bytes, (size_t)got)) return 0;
        const char *end = memmem(all->data, all->n, "\r\n\r\n", 4);
        if (!end || head) continue;
        head = (size_t)(end - all->data) + 4;
        for (const char *at = all->data; at && at < end; at = memchr(at + 1, '\n', (size_t)(end - at)))
            if (strncasecmp(at + 1, "content-length:", 15) == 0) length = strtoul(at + 16, NULL, 10);
    }
    return head;
}

static void answer_get(const oracle *o, const char *path, connection *c)
{
    char body[160] = "";
    if (strcmp(path, "/v1/models") == 0)
        (void)snprintf(body, sizeof body,
                       "{\"object\":\"list\",\"data\":[{\"id\":\"oracle\",\"object\":\"model\","
                       "\"max_model_len\":%d}]}",
                       o->n_positions);
    else if (strcmp(path, "/metrics") == 0)
        (void)snprintf(body, sizeof body,
                       "# TYPE requests_running gauge\nrequests_running{model=\"oracle\"} %d\n",
                       o->shared->n_running + o->shared->n_leaked);
    begin_body(c, body[0] ? 200 : 404, false);
    buffer replaced = {0};
    oracle_replace(o, false, body, strlen(body), &replaced);
    (void)put_body(c, replaced.data, replaced.n);
    buffer_free(&replaced);
}

static void serve(const oracle *o, int fd)
{
    connection c = {.fd = fd};
    buffer all = {0};
    char method[8] = "", path[128] = "";
    const size_t head = read_request(fd, &all);
    if (head == 0) return;
    (void)sscanf(all.data, "%7s %127s", method, path);
    if (strcmp(method, "GET") == 0) answer_get(o, path, &c);
    else {
        const oracle_out out = {put_body, &c};
        (void)__atomic_add_fetch(&o->shared->n_running, 1, __ATOMIC_SEQ_CST);
        oracle_answer(o, path, (assay_text){all.data + head, all.n - head}, begin_body, &out);
        (void)__atomic_sub_fetch(&o->shared->n_running, 1, __ATOMIC_SEQ_CST);
        if (c.streams && o->bug == ORACLE_LEAK) {
            char byte;
            if (recv(fd, &byte, 1, MSG_DONTWAIT) == 0)
                (void)__atomic_add_fetch(&o->shared->n_leaked, 1, __ATOMIC_SEQ_CST);
        }
    }
    end_body(&c);
    buffer_free(&c.body);
    buffer_free(&all);
    (void)close(fd);
}

void oracle_start(oracle *o)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t n = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    o->shared = mmap(NULL, sizeof *o->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(o->shared != MAP_FAILED);
    o->listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(o->listener, 0);
    ck_assert_int_eq(bind(o->listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(o->listener, 64), 0);
    ck_assert_int_eq(getsockname(o->listener, (struct sockaddr *)&address, &n), 0);
    o->port = ntohs(address.sin_port);
    o->child = fork();
    ck_assert_int_ge(o->child, 0);
    if (o->child > 0) return;
    (void)setpgid(0, 0);
    (void)signal(SIGCHLD, SIG_IGN);
    for (;;) {
        const int fd = accept(o->listener, NULL, NULL);
        if (fd < 0) continue;
        const pid_t child = fork();
        if (child == 0) {
            serve(o, fd);
            _exit(0);
        }
        (void)close(fd);
    }
}

void oracle_stop(oracle *o)
{
    (void)kill(-(pid_t)o->child, SIGKILL);
    (void)kill((pid_t)o->child, SIGKILL);
    (void)waitpid((pid_t)o->child, NULL, 0);
    (void)close(o->listener);
    (void)munmap(o->shared, sizeof *o->shared);
}
