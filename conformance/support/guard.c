/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/guard.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLACK 0xA5 /* value of the bytes before a buffer */

static conf_guard *all;

static size_t page_bytes(void)
{
    static size_t bytes;
    if (!bytes) bytes = (size_t)sysconf(_SC_PAGESIZE);
    return bytes;
}

static void link_guard(conf_guard *g)
{
    g->previous = NULL;
    g->next = all;
    if (all) all->previous = g;
    all = g;
}

static void unlink_guard(const conf_guard *g)
{
    if (g->next) g->next->previous = g->previous;
    if (g->previous) g->previous->next = g->next;
    else all = g->next;
}

void conf_guard_free(conf_guard *g)
{
    const size_t page = page_bytes();
    if (g->map) {
        unlink_guard(g);
        (void)munmap(g->map - page, g->map_bytes + 2 * page);
    }
    *g = (conf_guard){0};
}

/* Maps at least n_bytes between two inaccessible pages. */
static bool map_pages(conf_guard *g, size_t n_bytes)
{
    const size_t page = page_bytes();
    if (n_bytes > SIZE_MAX - 4 * page) return false;
    const size_t bytes = (n_bytes / page + 1) * page;
    unsigned char *map =
        mmap(NULL, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return false;
    /* The kernel does not merge a hidden buffer with the inaccessible pages if only these are left out of
     * dumps. To protect a buffer is then a change of one mapping, in half of the time. */
    (void)madvise(map, page, MADV_DONTDUMP);
    (void)madvise(map + page + bytes, page, MADV_DONTDUMP);
    g->map = map + page;
    g->map_bytes = bytes;
    link_guard(g);
    return true;
}

void *conf_guard_take(conf_guard *g, size_t n_bytes, const char *name)
{
    if (n_bytes > g->map_bytes || !g->map) {
        conf_guard_free(g);
        if (!map_pages(g, n_bytes)) return NULL;
    }
    if (mprotect(g->map, g->map_bytes, PROT_READ | PROT_WRITE) != 0) {
        conf_guard_free(g);
        return NULL;
    }
    g->access = CONF_GUARD_WRITABLE;
    g->n_bytes = n_bytes;
    g->data = g->map + g->map_bytes - n_bytes;
    const size_t slack = (size_t)(g->data - g->map), page = page_bytes();
    memset(g->data - (slack < page ? slack : page), SLACK, slack < page ? slack : page);
    (void)snprintf(g->name, sizeof g->name, "%s", name);
    return g->data;
}

void conf_guard_protect(conf_guard *g, conf_guard_access access)
{
    static const int protections[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
    if (!g->map || g->access == access) return;
    (void)mprotect(g->map, g->map_bytes, protections[access]);
    g->access = access;
}

bool conf_guard_is_intact(const conf_guard *g)
{
    const size_t slack = (size_t)(g->data - g->map), page = page_bytes();
    for (size_t i = 1; i <= slack && i <= page; i++)
        if (g->data[-(ptrdiff_t)i] != SLACK) return false;
    return true;
}

const conf_guard *conf_guard_find(const void *address)
{
    const size_t page = page_bytes();
    const uintptr_t at = (uintptr_t)address;
    for (const conf_guard *g = all; g; g = g->next)
        if (at >= (uintptr_t)g->map - page && at < (uintptr_t)g->map + g->map_bytes + page) return g;
    return NULL;
}
