/* Properties and cases of characters, as Python's str has them.
 *
 * Categories are those of utf8proc. A character that only one of the version of Unicode of the goldens
 * (tpl_unicode_version) and that of utf8proc has is refused as unsupported, by its code point.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_UNICODE_H
#define TEMPLATE_VALUES_UNICODE_H

#include "template/values/strings.h"

typedef enum tpl_property {
    TPL_ALPHA,
    TPL_DECIMAL,
    TPL_DIGIT,
    TPL_NUMERIC,
    TPL_ALNUM,
    TPL_SPACE,
    TPL_PRINTABLE,
    TPL_ASCII,
    TPL_NAME_BEGIN,  /* XID_Start, or _ */
    TPL_NAME_WITHIN, /* XID_Continue */
    TPL_IS_UPPER,
    TPL_IS_LOWER,
    TPL_IS_TITLE,
    TPL_IS_CASED,
    TPL_IS_CASE_IGNORED /* Case_Ignorable */
} tpl_property;

bool tpl_char_has(tpl *t, uint32_t c, tpl_property property);

/* 0 to 9 of a decimal digit of any script, or -1. */
int tpl_decimal_value(tpl *t, uint32_t c);

/* Append another case of a character, which may be several characters. Lower case does not see the
 * neighbours of a capital sigma (casing.h). */
void tpl_add_upper(tpl_builder *b, uint32_t c);
void tpl_add_title(tpl_builder *b, uint32_t c);
void tpl_add_lower(tpl_builder *b, uint32_t c);
void tpl_add_folded(tpl_builder *b, uint32_t c);

#endif
