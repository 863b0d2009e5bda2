/* JSON values inside a reply, where they stand: nothing is built, and what is passed on is the reply's own
 * text. Strict as base/json_scan.h, but for finding ends, which takes brackets and strings alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_VALUES_JSON_VALUE_H
#define SERVING_VALUES_JSON_VALUE_H

#include "serving/text/bytes.h"

#include <stdbool.h>
#include <stddef.h>

/* How far into a value a text reaches; zeroed at its beginning. */
typedef struct serve_json_balance {
    size_t depth;
    bool in_string;
    bool escaped;
} serve_json_balance;

/* Whether it has come to the inside of a string, where no byte but a quote or a backslash tells anything. */
static inline bool serve_json_balance_in_text(const serve_json_balance *b)
{
    return b->in_string && !b->escaped;
}

/* Reads text from *at on, where the value, an object or an array, begins or was left. True: it closes before
 * *at. False: *at is text.n, and more is needed. */
bool serve_json_balance_run(serve_json_balance *b, assay_text text, size_t *at);

/* Whether text is one JSON value, white space around it included. ASSAY_EFORMAT where it is not,
 * ASSAY_ENOMEM. */
assay_status serve_json_check(assay_text text);

/* values[i] becomes the text of the member names[i] of an object, .at NULL where it has none.
 * ASSAY_EFORMAT where text is no object; then values are untouched. */
assay_status serve_json_members(assay_text text, const char *const *names, assay_text *values, size_t n);

/* Calls take with what serve_json_members finds in each element of an array: [n], all .at NULL where the
 * element is no object. ASSAY_EFORMAT where text is no array; elements before the flaw have been taken. */
assay_status serve_json_elements_members(assay_text text, const char *const *names, size_t n,
                                         void (*take)(void *context, const assay_text *values),
                                         void *context);

/* Calls take with each member of an object; name: as it stands, with its quotes. ASSAY_EFORMAT where text is
 * none; members before the flaw have been taken. */
assay_status serve_json_object(assay_text text,
                               void (*take)(void *context, assay_text name, assay_text value), void *context);

/* Whether a value, valid, is a string; and what it says, added to out. */
bool serve_json_is_string(assay_text value);
void serve_json_unquote(serve_bytes *out, assay_text string);

/* Adds to out the JSON of a value: of JSON, itself; of any other text, a string. ASSAY_ENOMEM shows in
 * out->failed. */
void serve_json_or_string(serve_bytes *out, assay_text value);

#endif
