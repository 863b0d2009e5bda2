/* Rewrites the regular expressions of a tokenizer.json (Oniguruma's Ruby syntax) for PCRE2.
 *
 * Syntax that the two interpret differently is rewritten: \s, \w, \h, \v and \b, ^ and $, {,m}, {n}?
 * and {n,m}+, the names of properties, and sets in sets, intersections and complements. (PCRE2 10.42 lacks
 * the characters that Unicode 15 and 16 added: \p{L} and the like do not match them.) Syntax that has no
 * counterpart or is not implemented is refused: references, options other than i and m, absent operators,
 * callouts, \X (whose clusters depend on the text before it differently), a complement each of whose terms
 * has a complement within, which Oniguruma computes wrongly, and, where case is ignored, characters that fold
 * to several, such as a sharp s, sets that have them, and sets to which Oniguruma adds other cases than
 * PCRE2.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_H
#define TOKENIZER_TEXT_RUBY_H

#include "tokenizer/text/ruby_writer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the pattern text[0..n), valid UTF-8, to out, rewritten for PCRE2 with PCRE2_UTF, PCRE2_UCP
 * and PCRE2_NEWLINE_LF. False if it is refused or out of memory; *problem then says which. */
bool tokenizer_ruby_rewrite(const char *text, size_t n, buffer *out, tokenizer_ruby_problem *problem);

#endif
