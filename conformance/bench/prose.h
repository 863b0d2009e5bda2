/* Model-like text for measurements: prose of several scripts, lists, markup and code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_PROSE_H
#define CONFORMANCE_BENCH_PROSE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes whole sentences and blocks of code until they have at least n bytes. The text begins with a
 * word and holds no marker of any parser, but many prefixes of markers. Returns the number of bytes
 * written. state: of conf_draw. */
size_t conf_bench_prose_print(FILE *out, uint64_t *state, size_t n);

#endif
