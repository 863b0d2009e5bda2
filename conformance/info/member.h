/* Members of the JSON document of assay info, besides those of support/json_add.h. Each function returns
 * false if it runs out of memory; `to` may be NULL after an earlier failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_MEMBER_H
#define CONFORMANCE_INFO_MEMBER_H

#include "conformance/support/json_add.h"
#include "conformance/support/strings.h"

bool conf_info_add_flag(json_object *to, const char *name, bool value);

/* text NULL: adds null. */
bool conf_info_add_text(json_object *to, const char *name, const char *text);

/* n or x 0: adds null. */
bool conf_info_add_count(json_object *to, const char *name, size_t n);
bool conf_info_add_real(json_object *to, const char *name, double x);

/* A negative id: adds null. */
bool conf_info_add_id(json_object *to, const char *name, int id);

/* Arrays. */
bool conf_info_add_counts(json_object *to, const char *name, const size_t *at, size_t n);
bool conf_info_add_reals(json_object *to, const char *name, const double *at, size_t n);
bool conf_info_add_texts(json_object *to, const char *name, const char *const *at, size_t n);

#endif
