/* Characters that tokens or limits cut: U+FFFD stands for their parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_CHARACTERS_H
#define CONFORMANCE_PROBE_CHECKS_CHARACTERS_H

#include "conformance/probe/truth/truth.h"

/* A text without white space at its ends, nor what stands for part of a character at its end: servers differ
 * in whether they give these. Borrowed from b. */
assay_text probe_characters_trim(const buffer *b);

/* How often U+FFFD is in a text. */
size_t probe_characters_lost(assay_text text);

/* How many tokens of a prompt's answer, the same in every sound engine, end within a character; 0: none do.
 */
size_t probe_characters_cut(const probe_truth *truth, const probe_prompt *p);

#endif
