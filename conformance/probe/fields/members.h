/* The members of requests: one table for all endpoints, with the check that shows that a member has its
 * effect.
 *
 * A server that refuses a member by name leaves its check unexercised.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_MEMBERS_H
#define CONFORMANCE_PROBE_FIELDS_MEMBERS_H

#include "conformance/probe/fields/field.h"

/* name: with the value, where values of one member have different checks: "tool_choice: none".
 * endpoints: bits 1 << probe_endpoint.
 * by, free: as in probe_field; one of them is NULL. later: the row may say that it is not judged yet: it is
 * about schemas or forced calls. */
typedef struct probe_member {
    const char *name;
    unsigned endpoints;
    const char *by, *free;
    bool later;
} probe_member;

/* [*n] */
const probe_member *probe_members(size_t *n);

#endif
