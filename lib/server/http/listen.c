/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"

#define BACKLOG 1024

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof in);
        return IN6_IS_ADDR_LOOPBACK(&in.sin6_addr);
    }
    return false;
}

/* Connections, which inherit it, are probed while they are idle: a client whose machine vanishes while it
 * waits for an answer closes nothing. */
static void probe_idle_connections(int fd)
{
    static const struct {
        int level, name, value;
    } options[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, SERVER_PROBE_SECONDS},
                   {IPPROTO_TCP, TCP_KEEPINTVL, SERVER_PROBE_SECONDS},
                   {IPPROTO_TCP, TCP_KEEPCNT, SERVER_PROBES}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        (void)setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof options[i].value);
}

/* -1, with errno set, if that fails. */
static int bind_address(const struct addrinfo *a)
{
    const int on = 1;
    const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    probe_idle_connections(fd);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
    const int reason = errno;
    (void)close(fd);
    errno = reason;
    return -1;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t n = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &n) != 0) return 0;
    if (address.ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, &address, sizeof in);
        return ntohs(in.sin_port);
    }
    struct sockaddr_in6 in;
    memcpy(&in, &address, sizeof in);
    return ntohs(in.sin6_port);
}

assay_status server_listen(const char *host, uint16_t port, bool has_key, int *fd, uint16_t *bound,
                           assay_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *addresses;
    char service[8];
    (void)snprintf(service, sizeof service, "%u", (unsigned)port);
    const int failure = getaddrinfo(host, service, &hints, &addresses);
    if (failure != 0) return assay_fail(err, ASSAY_EIO, "%s: %s", host, gai_strerror(failure));
    assay_status rc = assay_fail(err, ASSAY_EIO, "%s: found no address", host);
    for (const struct addrinfo *a = addresses; a && rc != ASSAY_OK; a = a->ai_next) {
        if (!has_key && !is_loopback(a->ai_addr)) {
            rc = assay_fail(err, ASSAY_EINVAL,
                            "%s: found an address that other machines can reach, and no key that they must "
                            "send; expected a loopback address or a key (--api-key-env)",
                            host);
            break;
        }
        const int found = bind_address(a);
        if (found < 0) {
            rc = assay_fail(err, ASSAY_EIO, "%s, port %u: %s", host, (unsigned)port, strerror(errno));
            continue;
        }
        *fd = found;
        *bound = port_of(found);
        rc = ASSAY_OK;
    }
    freeaddrinfo(addresses);
    return rc;
}
