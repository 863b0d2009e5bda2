/* Lines of a limited width, as Python's textwrap.wrap makes them without expanding tabs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_WRAP_H
#define TEMPLATE_FILTERS_WRAP_H

#include "template/values/strings.h"

typedef struct tpl_wrapping {
    int64_t width;       /* characters of a line */
    bool breaks_words;   /* longer words are cut */
    bool breaks_hyphens; /* words may be divided after a hyphen */
} tpl_wrapping;

/* Adds the lines of a text, with `between` between them. White space at both ends of a line is dropped,
 * except at the beginning of the text. A width below 1 is an error. */
void tpl_wrap(tpl_builder *b, assay_text text, const tpl_wrapping *how, assay_text between);

#endif
