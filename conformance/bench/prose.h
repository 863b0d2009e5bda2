/* Text as models write it, for measurements: prose of several scripts, lists, markup and code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_PROSE_H
#define CONFORMANCE_BENCH_PROSE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes sentences and blocks of code until they are n bytes or a little more; the last is whole. It begins
 * with a word and holds no marker of any parser, but much of what markers begin with. Returns the bytes that
 * were written.
 * state: of conf_draw. */
size_t conf_bench_prose_print(FILE *out, uint64_t *state, size_t n);

#endif
