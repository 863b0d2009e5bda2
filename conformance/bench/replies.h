/* Long replies in the format of a parser, from a seed, to see how fast they are read.
 *
 * A reply to a parser of reasoning is a block of reasoning and an answer; one to a parser of tool calls is
 * text and then calls, whose arguments are as long as the text. Both halves are prose of several scripts and
 * code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BENCH_REPLIES_H
#define CONFORMANCE_BENCH_REPLIES_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance/process/isolate.h"

/* Sanitizers take twenty times as long, and their speed is nobody's. */
#define CONF_BENCH_REPLIES       (CONF_LIMITS_MEMORY ? 48 : 4)
#define CONF_BENCH_REPLY_BYTES   ((size_t)64 << 10)               /* of each, and a little more */
#define CONF_BENCH_DELTA_LENGTHS "1, 2, 2, 3, 3, 4, 4, 5, 6 or 8" /* bytes, up to the end of a character */

/* A parser that is measured. */
typedef struct conf_bench_parser {
    const char *name;
    bool tools;
} conf_bench_parser;

/* The i-th parser; NULL behind the last. */
const conf_bench_parser *conf_bench_parser_at(size_t i);

/* What a parser must find in replies, or has found: bytes but for white space, and calls. Of a parser of tool
 * calls the calls alone. */
typedef struct conf_bench_found {
    size_t n_reasoning, n_content, n_calls;
} conf_bench_found;

typedef struct conf_bench_replies {
    const conf_bench_parser *parser;
    assay_text request; /* static */
    char *text;         /* [n], all replies behind each other */
    size_t n;
    uint8_t *deltas; /* [n_deltas], bytes of each, > 0 */
    size_t n_deltas;
    size_t ends[CONF_BENCH_REPLIES]; /* the delta behind the last of each reply */
    conf_bench_found expected;       /* of all together */
} conf_bench_replies;

/* Replies for the i-th parser. Parsers that are given the same format find the same text. Fails with
 * ASSAY_ENOMEM. */
assay_status conf_bench_replies_make(size_t i, uint64_t seed, conf_bench_replies *out, assay_error *err);
void conf_bench_replies_free(conf_bench_replies *replies);

/* Bytes of text[0..n) that are no white space of ASCII. */
size_t conf_bench_count_marks(const char *text, size_t n);

#endif
