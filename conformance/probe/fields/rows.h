/* Shorthand of the tables of fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_ROWS_H
#define CONFORMANCE_PROBE_FIELDS_ROWS_H

#include "conformance/probe/fields/rules.h"

enum {
    Z = PROBE_TYPE_NULL,
    B = PROBE_TYPE_BOOL,
    I = PROBE_TYPE_INT,
    N = PROBE_TYPE_NUMBER,
    T = PROBE_TYPE_TEXT,
    L = PROBE_TYPE_LIST,
    O = PROBE_TYPE_OBJECT,
    ANY = Z | B | N | T | L | O
};

/* NEEDS: a required field whose absence departs from the specification; BREAKS: one that clients read without
 * a default. MAY: an optional one. */
#define NEEDS(path, types, ...)                                                                              \
    {                                                                                                        \
        path, types, true, PROBE_DEPARTS, __VA_ARGS__                                                        \
    }
#define BREAKS(path, types, ...)                                                                             \
    {                                                                                                        \
        path, types, true, PROBE_BREAKS, __VA_ARGS__                                                         \
    }
#define MAY(path, types, ...)                                                                                \
    {                                                                                                        \
        path, types, false, PROBE_DEPARTS, __VA_ARGS__                                                       \
    }
#define MAY_BREAK(path, types, ...)                                                                          \
    {                                                                                                        \
        path, types, false, PROBE_BREAKS, __VA_ARGS__                                                        \
    }
#define HOLDS(path, types)                                                                                   \
    {                                                                                                        \
        path, types, false, PROBE_DEPARTS, NULL, NULL, NULL, NULL                                            \
    }
#define RULE(rule)        &probe_rule_##rule, NULL, NULL, NULL
#define WITH(rule, value) &probe_rule_##rule, value, NULL, NULL
#define BY(check)         NULL, NULL, check, NULL
#define FREE(reason)      NULL, NULL, NULL, reason
#define TABLE(name)                                                                                          \
    const probe_field_list name = {rows_of_##name, sizeof rows_of_##name / sizeof *rows_of_##name}

#define FINISH   "protocol/{e}/{f}/*/finish"
#define TEXTS    "protocol/{e}/{f}/*/fields"
#define USAGE    "protocol/{e}/{f}/*/usage"
#define GRAMMAR  "protocol/{e}/{f}/*/grammar"
#define THOUGHTS "protocol/{e}/{f}/*/reasoning-tokens"
#define CACHED   "protocol/{e}/{f}/cached-tokens"
#define IDS      "protocol/{e}/effects/token-ids"
#define DEPLOYED "describes the deployment, not the answer"

#endif
