/* Names, numbers and strings as a template or Python's int() and float() write them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_LITERAL_H
#define TEMPLATE_VALUES_LITERAL_H

#include "template/values/value.h"

/* Bytes of the name that begins at text; 0: none. */
size_t tpl_name_length(assay_text text);

/* Read the literal at the beginning of text, which begins with a quote or a digit, and return its length.
 * whole: a fraction does not belong to it. */
size_t tpl_literal_string(tpl *t, assay_text text, tpl_value *out);
size_t tpl_literal_number(tpl *t, assay_text text, bool whole, tpl_value *out);

/* int(text, base) and float(text), with the decimal digits of every script: false if the text is not a
 * number.
 */
bool tpl_parse_int(tpl *t, assay_text text, int64_t base, tpl_value *out);
bool tpl_parse_float(tpl *t, assay_text text, double *out);

#endif
