/* The kinds of textual cases that are replayed: how one vector is checked, and how it is replayed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_TEXTUAL_H
#define CONFORMANCE_TEXTUAL_TEXTUAL_H

#include "conformance/case/case.h"
#include "conformance/judge/verdict.h"

typedef struct conf_textual {
    bool in_turn; /* vectors may be replayed one after the other in one process */

    /* Checks input and expect of a vector, at `at`, without an engine. Members that are not known are added
     * to *unknown. Fails with ASSAY_EFORMAT, naming the member, or ASSAY_ENOMEM. */
    assay_status (*check)(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                          assay_error *err);

    /* What a module, which is loaded, offers for this kind, for the rest of the process; NULL where the
     * verdict is CONF_SKIPPED instead, because it offers nothing, or CONF_BROKEN. */
    const void *(*open)(const char *module, conf_verdict *v);

    /* Replays a vector that has been checked, in a process of its own or of its kind, in which nothing of the
     * module has been called but `open` and, where vectors are replayed in turn, what those before called. *v
     * is zeroed; where the answer diverges it is CONF_FAILED with the class and, in `reason`, what was
     * expected and what was found, also in which part of the vector. v->where is what is under way, for
     * whoever must say at what the process died. */
    void (*replay)(const void *offered, const conf_case *c, const conf_vector *vector, const conf_json_at *at,
                   conf_verdict *v);
} conf_textual;

#endif
