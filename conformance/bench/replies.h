/* Long replies in the format of a parser, made from a seed, to measure parsing speed.
 *
 * A reply for a reasoning parser is a block of reasoning and an answer. A reply for a tool-call parser
 * is text and then calls, whose arguments are as long as the text. Both halves are prose of several
 * scripts and code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_REPLIES_H
#define CONFORMANCE_BENCH_REPLIES_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance/process/isolate.h"

/* Fewer replies with sanitizers, which are twenty times slower and whose speed does not matter. */
#define CONF_BENCH_REPLIES       (CONF_LIMITS_MEMORY ? 48 : 4)
#define CONF_BENCH_REPLY_BYTES   ((size_t)64 << 10)               /* least size of each reply */
#define CONF_BENCH_DELTA_LENGTHS "1, 2, 2, 3, 3, 4, 4, 5, 6 or 8" /* bytes, cut after a character */

/* A measured parser. */
typedef struct conf_bench_parser {
    const char *name;
    bool tools;
} conf_bench_parser;

/* The i-th parser; NULL after the last. */
const conf_bench_parser *conf_bench_parser_at(size_t i);

/* What a parser must find in replies, or has found: bytes other than white space, and calls. For a
 * tool-call parser only the calls. */
typedef struct conf_bench_found {
    size_t n_reasoning, n_content, n_calls;
} conf_bench_found;

typedef struct conf_bench_replies {
    const conf_bench_parser *parser;
    assay_text request; /* static storage */
    char *text;         /* [n], all replies concatenated */
    size_t n;
    uint8_t *deltas; /* [n_deltas], bytes of each, > 0 */
    size_t n_deltas;
    size_t ends[CONF_BENCH_REPLIES]; /* index of the delta after the last of each reply */
    conf_bench_found expected;       /* in all replies together */
} conf_bench_replies;

/* Makes replies for the i-th parser. Parsers of the same format get the same text. The caller frees
 * *out with conf_bench_replies_free. Fails with ASSAY_ENOMEM. */
assay_status conf_bench_replies_make(size_t i, uint64_t seed, conf_bench_replies *out, assay_error *err);
void conf_bench_replies_free(conf_bench_replies *replies);

/* Number of bytes of text[0..n) that are not ASCII white space. */
size_t conf_bench_count_nonblank(const char *text, size_t n);

#endif
