/* Texts in another case, and predicates of texts, as Python's str has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_CASING_H
#define TEMPLATE_VALUES_CASING_H

#include "template/values/value.h"

typedef enum tpl_case {
    TPL_UPPER,
    TPL_LOWER,
    TPL_SWAP,
    TPL_FOLD,
    TPL_CAPITALIZE,  /* the first character in title case, the rest in lower case */
    TPL_TITLE,       /* str.title: every word of letters */
    TPL_TITLE_WORDS, /* the filter title: every word after white space, brackets and - */
} tpl_case;

tpl_value tpl_change_case(tpl *t, assay_text text, tpl_case to);

/* str.isupper and others, by name without "is": "upper", "alpha", … */
bool tpl_has_class(tpl *t, assay_text text, const char *name);

#endif
