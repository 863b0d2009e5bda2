/* Builds JSON documents. Each function returns false if it runs out of memory; `to` may be NULL after an
 * earlier failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_JSON_ADD_H
#define CONFORMANCE_SUPPORT_JSON_ADD_H

#include <assay/status.h>

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Adds a member. Takes ownership of value, even on failure. */
bool conf_json_add(json_object *to, const char *name, json_object *value);

/* Adds an element to an array, in the same way. */
bool conf_json_append(json_object *to, json_object *value);

bool conf_json_add_null(json_object *to, const char *name);

/* Adds a new object or array. NULL if out of memory. Owned by `to`. */
json_object *conf_json_add_object(json_object *to, const char *name);
json_object *conf_json_add_array(json_object *to, const char *name);
json_object *conf_json_append_object(json_object *array);

/* Adds text as it is: a constant, or UTF-8 that has been checked. */
bool conf_json_add_string(json_object *to, const char *name, const char *text);

/* Adds text from a file or the command line, cleaned by shown_clean: json-c does not check that it is
 * UTF-8. */
bool conf_json_add_text(json_object *to, const char *name, const char *text);

bool conf_json_add_count(json_object *to, const char *name, size_t n);

/* Adds null if x is not finite: JSON has no infinity. */
bool conf_json_add_real(json_object *to, const char *name, double x);

/* Prints a document if `ok` says that it is complete, and frees it in either case; it may be NULL if not.
 * Fails with ASSAY_ENOMEM. */
assay_status conf_json_print_document(json_object *document, bool ok, FILE *out, assay_error *err);

#endif
