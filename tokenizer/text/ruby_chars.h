/* Characters and sets of characters of a regular expression that is being rewritten.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_CHARS_H
#define TOKENIZER_TEXT_RUBY_CHARS_H

#include "tokenizer/text/ruby_writer.h"

/* A character that stands for itself, in brackets or outside. */
bool ruby_put_char(ruby_rewriting *r);

/* Behind a backslash: what means the same in brackets and outside. */
bool ruby_put_escape(ruby_rewriting *r, bool bracketed);

/* Behind '['. A hyphen is a range where characters stand on both sides. */
bool ruby_put_brackets(ruby_rewriting *r);

#endif
