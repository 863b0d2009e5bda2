/* The fields of answers: one table for each form in which an endpoint answers, with what judges each field.
 *
 * A path is made of the names of members; [] is an element of a list, and * any name. An event of Responses
 * or Messages has its type before a colon; * stands for any type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_FIELD_H
#define CONFORMANCE_PROBE_FIELDS_FIELD_H

#include "conformance/probe/answer/answer.h"
#include "conformance/probe/run/finding.h"

#define PROBE_FIELD_PATH_MAX 160

/* Types of JSON values, as bits. */
enum {
    PROBE_TYPE_NULL = 1,
    PROBE_TYPE_BOOL = 2,
    PROBE_TYPE_INT = 4,
    PROBE_TYPE_NUMBER = 8 | PROBE_TYPE_INT,
    PROBE_TYPE_TEXT = 16,
    PROBE_TYPE_LIST = 32,
    PROBE_TYPE_OBJECT = 64
};

struct probe_field_rule;

/* types:    those that the value may have.
 * required: the object that holds it must have it.
 * rule:     judges the value; its finding is fields/ENDPOINT/FORM/PATH, as is that of a missing field and of
 * a value of another type. value: what the rule compares with. by:       the check of another group that
 * judges the value; {e} stands for the endpoint, {f} for whole or stream, * for one part of the name. free:
 * why no check judges the value. One of rule, by and free is not NULL, save for objects and lists, whose
 * members are rows of their own. */
typedef struct probe_field {
    const char *path;
    unsigned types;
    bool required;
    probe_grade grade; /* of a breach */
    const struct probe_field_rule *rule;
    const char *value, *by, *free;
} probe_field;

/* A table of rows, [n]. */
typedef struct probe_field_list {
    const probe_field *at;
    size_t n;
} probe_field_list;

/* fields: its rows. whole: rows that values within events have in common with the whole body; NULL: none.
 * refused: the body of a refusal. */
typedef struct probe_form {
    probe_endpoint endpoint;
    bool stream, refused;
    const probe_field_list *fields, *whole;
} probe_form;

/* The forms of answers. [*n] */
const probe_form *probe_forms(size_t *n);

/* The form of an answer with this endpoint. */
const probe_form *probe_form_find(probe_endpoint endpoint, bool stream, bool refused);

/* "whole", "stream" or "refusal" */
const char *probe_form_name(const probe_form *form);

/* The row of a path; NULL: none. */
const probe_field *probe_field_find(const probe_form *form, const char *path);

/* Whether rows are about what is in the object or list at a path. */
bool probe_field_has_members(const probe_form *form, const char *path);

extern const probe_field_list probe_chat_fields, probe_chat_chunk_fields, probe_completions_fields,
    probe_completions_chunk_fields, probe_responses_fields, probe_responses_event_fields,
    probe_messages_fields, probe_messages_event_fields, probe_refusal_fields, probe_messages_refusal_fields;

/* The types of a field in words: "a string or null". */
void probe_field_types(const probe_field *field, char text[96]);

#endif
