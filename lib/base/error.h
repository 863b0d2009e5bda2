/* Filling in an assay_error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <assay/status.h>

#define STATUS_TEXT_MAX 24

/* Writes "ASSAY_EINVAL", … into text and returns it, for messages; "status 42" for a number that is no
 * status, which an engine may return. */
const char *assay_status_print(assay_status status, char text[STATUS_TEXT_MAX]);

/* Writes the printf-formatted reason into err (may be NULL; a longer text is cut) and returns status, so
 * that a failing function can end with `return assay_fail(…)`. */
assay_status assay_fail(assay_error *err, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
