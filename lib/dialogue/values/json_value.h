/* JSON values within a reply, read in place: no tree is built, and values are parts of the reply's own text.
 * As strict as base/json_scan.h, except for the search for the end of a value, which counts brackets and
 * strings only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_VALUES_JSON_VALUE_H
#define DIALOGUE_VALUES_JSON_VALUE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* The state of reading a value whose text grows; zeroed at its beginning. */
typedef struct serve_json_balance {
    size_t depth;
    bool in_string;
    bool escaped;
} serve_json_balance;

/* Whether the reader is within a string, where only a quote or a backslash changes the state. */
static inline bool serve_json_balance_in_text(const serve_json_balance *b)
{
    return b->in_string && !b->escaped;
}

/* Continues with text[*at..), where the value, an object or an array, begins or was left. True: it is closed,
 * and *at is the offset after it. False: *at is text.n, and more text is needed. */
bool serve_json_balance_run(serve_json_balance *b, assay_text text, size_t *at);

/* Whether text is one JSON value with optional white space around it. ASSAY_EFORMAT if not, ASSAY_ENOMEM. */
assay_status serve_json_check(assay_text text);

/* Sets values[i] to the text of the member names[i] of an object; .at is NULL if there is none. values: [n].
 * ASSAY_EFORMAT, with values unchanged, if text is no object. */
assay_status serve_json_members(assay_text text, const char *const *names, assay_text *values, size_t n);

/* Calls take for each element of an array, with what serve_json_members finds in it: [n], all .at NULL if the
 * element is no object. ASSAY_EFORMAT if text is no array; take may have been called for elements before the
 * syntax error. */
assay_status serve_json_elements_members(assay_text text, const char *const *names, size_t n,
                                         void (*take)(void *context, const assay_text *values),
                                         void *context);

/* Calls take for each member of an object; name: verbatim, with its quotes. ASSAY_EFORMAT if text is no
 * object; take may have been called for members before the syntax error. */
assay_status serve_json_object(assay_text text,
                               void (*take)(void *context, assay_text name, assay_text value), void *context);

/* Whether a valid value is a string; appends its unquoted text to out. */
bool serve_json_is_string(assay_text value);
void serve_json_unquote(buffer *out, assay_text string);

/* Adds the JSON of a value to out: JSON is copied, and any other text becomes a string. A failed allocation
 * shows in out->failed. */
void serve_json_or_string(buffer *out, assay_text value);

#endif
