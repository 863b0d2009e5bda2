/* Shorter JSON values: what a value consists of, and the same value with some of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_TEXTS_VALUE_H
#define CONFORMANCE_REDUCE_TEXTS_VALUE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#define CONF_VALUE_DEPTH_MAX 32

/* The place of a value in a document: for each level the index of a member, in the order of the document, or
 * of an element. */
typedef struct conf_value_path {
    size_t at[CONF_VALUE_DEPTH_MAX];
    size_t n;
} conf_value_path;

/* The value at a place, borrowed; NULL: there is none. */
json_object *conf_value_at(json_object *document, const conf_value_path *path);

/* A copy of the document in which the value at that place is another one, of which it takes a reference.
 * NULL: out of memory, or there is no such place. The caller puts it. */
json_object *conf_value_replaced(json_object *document, const conf_value_path *path, json_object *value);

/* The members, elements or characters of a value; 0 of any other. */
size_t conf_value_units(json_object *value);

/* Members or elements, which have a place of their own. */
size_t conf_value_children(json_object *value);

/* A value with only these of its units; kept: [conf_value_units]. It shares members and elements. NULL: out
 * of memory, or the value has no units. The caller puts it. */
json_object *conf_value_keep(json_object *value, const bool *kept);

#endif
