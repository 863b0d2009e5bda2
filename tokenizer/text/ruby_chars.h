/* Rewrites characters and sets of characters of a regular expression.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_CHARS_H
#define TOKENIZER_TEXT_RUBY_CHARS_H

#include "tokenizer/text/ruby_writer.h"

/* Rewrites the literal character at r->at, in brackets or outside. */
bool ruby_put_char(ruby_rewriting *r);

/* Rewrites an escape, with r->at after the backslash, that is allowed in brackets and outside. */
bool ruby_put_escape(ruby_rewriting *r, bool bracketed);

/* Rewrites a set, with r->at after the '['. A hyphen makes a range unless it is first or last in the
 * set. */
bool ruby_put_brackets(ruby_rewriting *r);

#endif
