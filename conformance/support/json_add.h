/* Putting JSON documents together. Each function returns false where there is no memory; `to` may be NULL
 * after an earlier failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_JSON_ADD_H
#define CONFORMANCE_SUPPORT_JSON_ADD_H

#include <assay/status.h>

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Adds a member, and takes value over, also where that fails. */
bool conf_json_add(json_object *to, const char *name, json_object *value);

/* Adds an element to an array, in the same way. */
bool conf_json_append(json_object *to, json_object *value);

/* Text that came from files or from the command line: json-c does not look whether it is UTF-8. */
bool conf_json_add_text(json_object *to, const char *name, const char *text);

bool conf_json_add_count(json_object *to, const char *name, size_t n);

/* null where x is not finite: JSON has no infinity. */
bool conf_json_add_real(json_object *to, const char *name, double x);

/* Prints a document that is complete where `ok`, and frees it; it may be NULL where not. Fails with
 * ASSAY_ENOMEM. */
assay_status conf_json_print_document(json_object *document, bool ok, FILE *out, assay_error *err);

#endif
