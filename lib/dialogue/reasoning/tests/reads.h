/* Expectations on the output of a reasoning parser, for tests. A script is what pieces_script writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_REASONING_TESTS_READS_H
#define DIALOGUE_REASONING_TESTS_READS_H

#include "dialogue/reasoning/reasoning.h"

/* The rules of a parser, which must exist. */
const serve_reasoning_rules *reads_rules(const char *name);

/* Checks a text cut at a and b, a <= b <= its length. Every byte must be in a piece or be counted as
 * dropped. */
void reads_cut(const char *parser, serve_reasoning_options options, const char *text, size_t a, size_t b,
               const char *script);

/* Checks a text cut into any three pieces, and into bytes; in the latter case no piece may end within a
 * character. */
void reads_with(const char *parser, serve_reasoning_options options, const char *text, const char *script);

/* reads_with without options, and with thinking off. */
void reads(const char *parser, const char *text, const char *script);
void reads_off(const char *parser, const char *text, const char *script);

#endif
