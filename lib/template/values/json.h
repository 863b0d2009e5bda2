/* JSON in and out: the variables of a template, and the filter tojson.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_JSON_H
#define TEMPLATE_VALUES_JSON_H

#include <json-c/json.h>

#include "template/values/value.h"

/* How json.dumps writes a value. */
typedef struct tpl_dump {
    assay_text indent; /* of a level; at NULL: everything on one line */
    assay_text item_separator, key_separator;
    bool ensure_ascii, sort_keys;
} tpl_dump;

/* json.dumps(v). */
tpl_value tpl_to_json(tpl *t, tpl_value v, const tpl_dump *how);

/* A JSON document as a value; strings are copied. */
tpl_value tpl_from_json(tpl *t, json_object *document);

#endif
