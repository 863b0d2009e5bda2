/* The members of the bodies of all endpoints: which are honoured, which are refused, which change nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_MEMBERS_H
#define SERVER_REQUEST_MEMBERS_H

#include "server/request/reading.h"

typedef enum server_member_kind {
    SERVER_MEMBER_READ,    /* honoured */
    SERVER_MEMBER_FIXED,   /* only the values that say what the server does; others are refused */
    SERVER_MEMBER_HARMLESS /* changes nothing of the answer; any value */
} server_member_kind;

typedef struct server_member {
    const char *name;
    unsigned endpoints; /* bits 1 << serve_endpoint */
    server_member_kind kind;
    assay_status (*read)(server_reading *r, json_object *value); /* of SERVER_MEMBER_READ */
    const char *values; /* of SERVER_MEMBER_FIXED: JSON values, divided by " | " */
} server_member;

/* [*n] */
const server_member *server_members(size_t *n);

/* Reads all members of r->body; null counts as absent. Refuses unknown ones, in alphabetical order of the
 * body's own. */
assay_status server_members_read(server_reading *r);

#endif
