/* Reading the file of assay run --expect: an object with the members schema, "assay-expected/1", and
 * failures, an array of rows:
 *
 *   case    the id of the case
 *   digest  the digest of its file, as --json has it; optional: finds the case if no case has the id
 *   engine  the name of the engine, or the last part of its path; optional: every engine
 *   class   the class of the failure
 *   reason  why the failure is known and left
 *   until   the last day on which it is expected, "2026-11-28"
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXPECTED_READ_H
#define CONFORMANCE_EXPECTED_READ_H

#include "conformance/expected/expected.h"

#define CONF_EXPECTED_SCHEMA "assay-expected/1"

/* Reads the file at `path`, which *out borrows; NULL: nothing is expected. conf_expected_free frees *out.
 * Fails with ASSAY_EFORMAT, naming the file and the member, if a row lacks a member or has one that is not
 * known, an empty reason or no date, or if two rows are of one case and engine; with ASSAY_EIO and
 * ASSAY_ENOMEM. *out is unchanged then. */
assay_status conf_expected_read(const char *path, conf_expected *out, assay_error *err);

/* The same, of a document, owned by *out afterwards, also on failure. */
assay_status conf_expected_take(const char *path, json_object *document, conf_expected *out,
                                assay_error *err);

#endif
