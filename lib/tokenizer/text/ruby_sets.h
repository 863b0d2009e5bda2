/* Rewrites sets of characters of a regular expression: sets in sets, intersections and complements.
 *
 * A set that PCRE2's brackets can say stays one. Any other becomes a pattern that matches one character:
 * alternatives for a union, lookaheads for an intersection and a complement.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_RUBY_SETS_H
#define TOKENIZER_TEXT_RUBY_SETS_H

#include "tokenizer/text/ruby_writer.h"

/* Rewrites a set, with r->at after its '['. A hyphen makes a range unless it is first or last in the set. */
bool ruby_put_set(ruby_rewriting *r);

#endif
