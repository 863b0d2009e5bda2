/* Regular expressions as a tokenizer.json writes them (Oniguruma's Ruby syntax), rewritten for PCRE2.
 *
 * What the two read differently is rewritten: \s, \w, \h, \v and \b, ^ and $, {,m}, {n}? and {n,m}+, and the
 * names of properties. (What Unicode 15 and 16 have added PCRE2 10.42 does not know: \p{L} and its like lack
 * it.) What has no counterpart, or has not been looked into, is refused: references, sets of sets,
 * options but i and m, absent operators, callouts, and without regard to
 * case what is several characters, such as a sharp s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_H
#define TOKENIZER_TEXT_RUBY_H

#include "tokenizer/text/ruby_writer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the pattern text[0..n), valid UTF-8, to out as PCRE2 reads it with PCRE2_UTF, PCRE2_UCP and LF for
 * a newline. */
bool tokenizer_ruby_rewrite(const char *text, size_t n, buffer *out, tokenizer_ruby_problem *problem);

#endif
