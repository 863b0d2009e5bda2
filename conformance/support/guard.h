/* Buffers that end at an inaccessible page, for memory that untrusted code reads or writes: an access beyond
 * the end, to a buffer that is hidden, or a write to one that is read-only, is a segmentation fault.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_GUARD_H
#define CONFORMANCE_SUPPORT_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define CONF_GUARD_NAME_MAX 96

typedef enum conf_guard_access {
    CONF_GUARD_HIDDEN,
    CONF_GUARD_READ_ONLY,
    CONF_GUARD_WRITABLE
} conf_guard_access;

/* Zeroed: without memory. The memory is used again for a later buffer. */
typedef struct conf_guard {
    unsigned char *map; /* pages, between two inaccessible ones */
    size_t map_bytes;   /* without the two */
    unsigned char *data;
    size_t n_bytes;
    conf_guard_access access;
    char name[CONF_GUARD_NAME_MAX];     /* "the tokens of sample 1", for messages */
    struct conf_guard *next, *previous; /* in the list of all guards of the process */
} conf_guard;

/* Makes a writable buffer of n_bytes whose last byte is the last of a page; the earlier contents are lost.
 * NULL if out of memory. One thread at a time may take, free and find guards. */
void *conf_guard_take(conf_guard *g, size_t n_bytes, const char *name);
void conf_guard_protect(conf_guard *g, conf_guard_access access);

/* Whether the bytes of the first page before the buffer are as conf_guard_take has left them. */
bool conf_guard_is_intact(const conf_guard *g);
void conf_guard_free(conf_guard *g);

/* The guard whose pages, or the inaccessible ones beside them, hold this address; NULL if there is none. May
 * be called from a signal handler. */
const conf_guard *conf_guard_find(const void *address);

#endif
