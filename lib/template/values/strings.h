/* Texts in UTF-8 as Python's str treats them: a character is a code point.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_STRINGS_H
#define TEMPLATE_VALUES_STRINGS_H

#include <assay/serving.h>

#include "template/values/value.h"

/* A text that is being made; its memory is that of the rendering. */
typedef struct tpl_builder {
    tpl *t;
    char *data;
    size_t n, capacity;
} tpl_builder;

void tpl_add(tpl_builder *b, const char *at, size_t n);
void tpl_add_string(tpl_builder *b, const char *terminated);
void tpl_add_char(tpl_builder *b, uint32_t codepoint);
void tpl_add_repeated(tpl_builder *b, assay_text text, size_t n);
tpl_value tpl_built(const tpl_builder *b);

bool tpl_is_space(uint32_t c); /* str.isspace */

/* Bytes of white space at the beginning of text. */
size_t tpl_space_prefix(assay_text text);
assay_text tpl_strip_left(assay_text text);
assay_text tpl_strip_right(assay_text text);

/* Without the characters in `chars` at its ends. */
assay_text tpl_strip_chars(tpl *t, assay_text text, assay_text chars, bool left, bool right);

/* Characters of text, and the offset of character i <= tpl_length. */
size_t tpl_length(assay_text text);
size_t tpl_offset(assay_text text, size_t i);

/* Python's len: the characters, elements or members of a value; false if it has no length. */
bool tpl_size(tpl_value v, size_t *n);

/* The offset of `needle` in text[from..), or SIZE_MAX; tpl_find_last: of the last one in text[0..end). */
size_t tpl_find(tpl *t, assay_text text, assay_text needle, size_t from);
size_t tpl_find_last(tpl *t, assay_text text, assay_text needle, size_t end);

/* str.replace; count < 0: all. */
tpl_value tpl_replace(tpl *t, assay_text text, assay_text from, assay_text to, int64_t count);

/* Text with & < > ' " escaped as HTML, safe. */
tpl_value tpl_escape(tpl *t, assay_text text);

#endif
