/* Characters whose bytes are divided between tokens. A text that ends within one, at a token or at the limit
 * of an answer, has U+FFFD in its place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_CHARACTERS_H
#define CONFORMANCE_PROBE_CHECKS_CHARACTERS_H

#include "conformance/probe/truth/truth.h"

/* The text of b without white space at both ends, and without U+FFFD at its end: servers differ in whether
 * they give these. Borrowed from b. */
assay_text probe_characters_trim(const buffer *b);

/* How often U+FFFD is in a text. */
size_t probe_characters_replaced(assay_text text);

/* The smallest n such that the first n tokens of p's greedy answer end within a character; 0: there is none.
 * Only tokens count that are the same in every correct engine. */
size_t probe_characters_cut(const probe_truth *truth, const probe_prompt *p);

#endif
