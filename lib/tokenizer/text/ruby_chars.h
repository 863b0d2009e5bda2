/* Rewrites characters and escapes of a regular expression.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_CHARS_H
#define TOKENIZER_TEXT_RUBY_CHARS_H

#include "tokenizer/text/ruby_writer.h"

/* Rewrites the literal character at r->at, in brackets or outside. */
bool ruby_put_char(ruby_rewriting *r);

/* Whether a character of [low, high] folds to several. */
bool ruby_range_folds(uint32_t low, uint32_t high);

/* Rewrites an escape, with r->at after the backslash, that is allowed in brackets and outside. */
bool ruby_put_escape(ruby_rewriting *r);

/* Appends the set of these items of PCRE2, or of all characters but these: in brackets to the set that is
 * open, outside as a set of its own. items: at most 250 bytes. */
bool ruby_put_items(ruby_rewriting *r, const char *items, bool negated);

#endif
