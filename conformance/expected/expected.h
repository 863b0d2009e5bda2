/* The failures that a user expects: the file of --expect, of assay run and assay kernels.
 *
 * A row of the file is of one case and of one engine, or of every engine; in a sweep, of an operation and of
 * a library, or of every library. A failure of the row's class is
 * CONF_EXPECTED until the row's date is over; everything else that is known of the row's case makes the run
 * fail.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXPECTED_EXPECTED_H
#define CONFORMANCE_EXPECTED_EXPECTED_H

#include "conformance/report/results.h"

#define CONF_DATE 11 /* "2026-11-28" */

/* What has become of a row: the most that any of its results says. */
typedef enum conf_expected_state {
    CONF_EXPECTED_UNSEEN,  /* no result is of its case and engine */
    CONF_EXPECTED_SKIPPED, /* every such result was skipped */
    CONF_EXPECTED_JUDGED
} conf_expected_state;

/* Texts are borrowed from the document.
 * digest: of the case's file; empty: not given.
 * engine: its name or label; NULL: every engine.
 * until: the last day, UTC, on which the failure is expected. */
typedef struct conf_expected_row {
    const char *id, *engine, *reason, *until;
    char digest[CONF_DIGEST_MAX];
    conf_class class;
    conf_expected_state state;
    const char *here; /* the id, in the run, of the case with its id or its path; NULL: none */
    bool is_here;     /* a result is of its case, found by `here` or the digest */
} conf_expected_row;

typedef struct conf_expected {
    const char *path; /* borrowed; NULL: nothing is expected, and the functions below do nothing */
    char today[CONF_DATE];
    char digest[CONF_DIGEST_MAX]; /* of the file; empty if path is NULL */
    conf_expected_row *rows;
    size_t n;
    const conf_found *cases; /* [n_cases], of conf_expected_join; borrowed */
    size_t n_cases;
    json_object *document;
} conf_expected;

/* Notes which rows have their case in the run, [n] cases, borrowed until the remark. An id depends on the
 * directory that was given. So a row whose id no case has is joined by its digest; one without a digest, by
 * the only case whose path ends with the id. */
void conf_expected_join(conf_expected *expected, const conf_found *cases, size_t n);

/* Applies the row of a case and an engine to its final verdict; a row that names the engine takes precedence.
 * v->expected says what was expected. A failure of the row's class becomes CONF_EXPECTED, unless the row's
 * date is over; a pass becomes a failure of class fixed. Other failures, broken cases and skipped ones stay.
 */
void conf_expected_apply(conf_expected *expected, const char *id, const char *digest,
                         const conf_engine_column *engine, conf_verdict *v);

/* Prints on context->err, after a whole run, which rows are of no case of it, with the nearest ids of its
 * cases; which are of none of its engines; and which only of results that were skipped. */
void conf_expected_remark(const conf_expected *expected, const conf_context *context);

void conf_expected_free(conf_expected *expected);

#endif
