/* Sets the expected values of a vector to an engine's answer: members that `expect` has, and no others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_ANSWER_H
#define CONFORMANCE_TEXTUAL_ANSWER_H

#include "conformance/support/fields.h"

/* Sets a member that is there; another is not added. Takes ownership of value, which may be NULL only for
 * JSON's null. Fails with ASSAY_ENOMEM. */
assay_status conf_answer_set(const conf_json_at *expect, const char *name, json_object *value,
                             assay_error *err);

/* The same with a text, with null for an empty field, with ids [n], and with the calls of a reply. */
assay_status conf_answer_text(const conf_json_at *expect, const char *name, assay_text text,
                              assay_error *err);
assay_status conf_answer_field(const conf_json_at *expect, const char *name, const buffer *field,
                               assay_error *err);
assay_status conf_answer_ids(const conf_json_at *expect, const char *name, const int32_t *ids, size_t n,
                             assay_error *err);
assay_status conf_answer_whole(const conf_json_at *expect, const char *name, int64_t number,
                               assay_error *err);
assay_status conf_answer_calls(const conf_json_at *expect, const conf_fields *reply, assay_error *err);

/* Fails with ASSAY_EFORMAT: the engine refuses what the vector expects an answer to, or the contrary. */
assay_status conf_answer_refused(const conf_json_at *expect, const char *reason, assay_error *err);

#endif
