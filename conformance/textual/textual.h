/* The interface of a textual kind: how one vector is checked and replayed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_TEXTUAL_H
#define CONFORMANCE_TEXTUAL_TEXTUAL_H

#include "conformance/case/case.h"
#include "conformance/judge/verdict.h"

/* Arrays of a vector: an element of `expect` for each of `input`. */
typedef struct conf_textual_prefix {
    const char *input, *expect;
    const char *no_more; /* a member of expect that a shorter input does not have; NULL: none */
} conf_textual_prefix;

typedef struct conf_textual {
    bool shares_process; /* one process may replay several vectors, one after the other */

    /* Checks input and expect of the vector at `at`, without an engine. Adds unknown members to
     * *unknown. Fails with ASSAY_EFORMAT, naming the member, or ASSAY_ENOMEM. */
    assay_status (*check)(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                          assay_error *err);

    /* Loads a module for the rest of the process and returns the functions that this kind needs, to be
     * passed to replay as `offered`. NULL if *v was set instead: CONF_SKIPPED if the module lacks them,
     * CONF_BROKEN if it cannot be opened. */
    const void *(*open)(const char *module, conf_verdict *v);

    /* Replays a vector that `check` accepted. Runs in a child process in which the module has been used
     * only by `open` and, if shares_process, by the replay of earlier vectors. *v is zeroed beforehand; if
     * the answer diverges, *v is set to CONF_FAILED with the class and, in v->reason, the part of the vector,
     * the expected and the found value. v->where is kept up to date with the current operation, for the
     * report of a crash. */
    void (*replay)(const void *offered, const conf_case *c, const conf_vector *vector, const conf_json_at *at,
                   conf_verdict *v);

    /* Frees what `replay` has kept for later vectors of the case. Called in each process after its last
     * vector. NULL: it keeps nothing. */
    void (*finish)(const void *offered);

    /* Sets the members that the vector's `expect` has to what the module answers to its input, which `check`
     * has not seen yet. Runs like replay. Fails with the module's error, with ASSAY_EFORMAT if the answer has
     * no such members (an error where a text was expected, or a text where an error was), or with
     * ASSAY_ENOMEM. NULL: the expected values of another input are not computed. */
    assay_status (*answer)(const void *offered, const conf_case *c, const conf_json_at *at, assay_error *err);

    /* Arrays of which the first elements have their expected values by themselves, whatever comes after them.
     * NULL: none. */
    const conf_textual_prefix *prefix;
} conf_textual;

#endif
