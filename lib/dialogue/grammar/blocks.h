/* The content blocks of a message in progress. Used by messages.c only, which lists their rules. Each
 * function reads one event of the type that it is named after, and returns as checks.h says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_BLOCKS_H
#define DIALOGUE_GRAMMAR_BLOCKS_H

#include "dialogue/grammar/checks.h"

typedef struct serve_block_type serve_block_type;

typedef struct serve_blocks {
    int64_t n;
    bool is_open;                  /* the latest block is */
    const serve_block_type *block; /* its type; NULL: an unknown one */
    bool is_signed;                /* the open thinking block has its signature */
    bool has_tool;                 /* a block was tool_use */
    bool input_broken; /* the input of the latest block is no object, which is allowed if generation was cut
                          short */
    buffer input;      /* the joined deltas of the latest block */
    serve_tail tail;
} serve_blocks;

assay_status serve_blocks_read_start(serve_grammar *g, serve_blocks *b, json_object *event);
assay_status serve_blocks_read_delta(serve_grammar *g, serve_blocks *b, json_object *event);
assay_status serve_blocks_read_stop(serve_grammar *g, serve_blocks *b, json_object *event);

/* Reports that the input is broken, and that of `which`. Returns ASSAY_OK or ASSAY_ENOMEM. */
assay_status serve_blocks_report_input(serve_grammar *g, serve_blocks *b, const char *which);

#endif
