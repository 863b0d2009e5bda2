/* Properties of characters that utf8proc does not have; unicode.h uses them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_UNICODE_TABLE_H
#define TEMPLATE_VALUES_UNICODE_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tpl_range {
    uint32_t from, to; /* inclusive, ascending */
} tpl_range;

typedef struct tpl_ranges {
    const tpl_range *at; /* [n] */
    size_t n;
} tpl_ranges;

enum {
    TPL_UNICODE_ASSIGNED,    /* all characters of this version of Unicode */
    TPL_UNICODE_LOWERCASE,   /* lower case, but not of the category Ll */
    TPL_UNICODE_UPPERCASE,   /* upper case, but not of the category Lu */
    TPL_UNICODE_DIGIT,       /* digits that are not decimal */
    TPL_UNICODE_NUMERIC,     /* numeric, but not of a category N */
    TPL_UNICODE_ZERO,        /* the zeros of the decimal digits */
    TPL_UNICODE_IGNORED,     /* the exceptions to: Case_Ignorable are Mn, Me, Cf, Lm, Sk */
    TPL_UNICODE_NAME_BEGIN,  /* the exceptions to: a name begins with L, Nl, _ */
    TPL_UNICODE_NAME_WITHIN, /* the exceptions to: a name goes on with L, Nl, Nd, Mn, Mc, Pc */
    TPL_UNICODE_SETS
};

/* A character whose upper or title case is several characters, and these in UTF-8. */
typedef struct tpl_special {
    uint32_t c;
    const char *upper, *title;
} tpl_special;

extern const char tpl_unicode_version[];
extern const tpl_ranges tpl_unicode_sets[TPL_UNICODE_SETS];
extern const tpl_special tpl_unicode_special[]; /* [tpl_unicode_n_special], ascending */
extern const size_t tpl_unicode_n_special;

#endif
