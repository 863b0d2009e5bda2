/* Filling in an assay_error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <assay/status.h>

/* Writes the printf-formatted reason into err (may be NULL; a longer text is cut) and returns status, so
 * that a failing function can end with `return assay_fail(…)`. */
assay_status assay_fail(assay_error *err, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
