/* More readers of untrusted JSON values, for documents in which nothing may be unknown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_JSON_STRICT_H
#define CONFORMANCE_SUPPORT_JSON_STRICT_H

#include "base/shown.h"
#include "conformance/support/json_at.h"

/* Fails if the object has a member that is not in `known` (NULL-terminated). */
assay_status conf_json_only(const conf_json_at *object, const char *const *known, assay_error *err);

/* A string that shown_clean leaves as it is. */
assay_status conf_json_clean_text(const conf_json_at *at, const char **out, assay_error *err);

/* A member that is such a string of at most size - 1 bytes, copied to out [size]. */
assay_status conf_json_copy_text(const conf_json_at *object, const char *name, char *out, size_t size,
                                 assay_error *err);

/* A member that is such a string, or null: *out is NULL then. */
assay_status conf_json_text_or_null(const conf_json_at *object, const char *name, const char **out,
                                    assay_error *err);

/* Checks that a member is a whole number from 0 to UINT64_MAX, or null. */
assay_status conf_json_whole_or_null(const conf_json_at *object, const char *name, assay_error *err);

assay_status conf_json_boolean(const conf_json_at *object, const char *name, bool *out, assay_error *err);

#endif
