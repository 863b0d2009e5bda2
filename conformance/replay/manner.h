/* Manners of evaluating the samples of a case: in which steps their tokens come, and what else happens to
 * the session. The recorded truth is the same for all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_MANNER_H
#define CONFORMANCE_REPLAY_MANNER_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>

#include "conformance/case/items.h"
#include "conformance/judge/verdict.h"

typedef enum conf_manner {
    CONF_MANNER_WHOLE,   /* each prompt in one step, then token by token */
    CONF_MANNER_LAST,    /* the same, and of a prompt only the logits of the last token are wanted */
    CONF_MANNER_CHUNK_1, /* prompts in chunks, all samples at once */
    CONF_MANNER_CHUNK_7,
    CONF_MANNER_CHUNK_64,
    CONF_MANNER_CHUNK_512,
    CONF_MANNER_APART,   /* each sample in a session of its own, the last one first */
    CONF_MANNER_REST,    /* in every step one half of the samples rests */
    CONF_MANNER_LATE,    /* samples join one after the other */
    CONF_MANNER_EARLY,   /* samples leave after their prompt, join again and start over */
    CONF_MANNER_REWIND,  /* samples are rewound into their prompt, and go on from there */
    CONF_MANNER_FORK,    /* samples are forked within their prompt; of the two, one gets other tokens */
    CONF_MANNER_STOPPED, /* a tap stops the first step, which is then repeated */
    CONF_MANNER_REFUSED, /* before a step, invalid calls are refused */
    CONF_N_MANNERS
} conf_manner;

typedef struct conf_manner_info {
    const char *name;  /* "chunk-7": for --manner and reports */
    const char *label; /* "in chunks of 7 tokens": for messages */
    size_t chunk;      /* most tokens of a prompt in one step; 0: all */
    bool divides;      /* a prompt comes in several steps */
    bool uses_join, uses_leave, uses_rewind, uses_fork, uses_tap;
} conf_manner_info;

const conf_manner_info *conf_manner_of(conf_manner manner);

/* The manner with this name; CONF_N_MANNERS if the name is unknown. */
conf_manner conf_manner_find(const char *name);

/* Whether each prompt comes in one step, in every evaluation of it. */
bool conf_manner_keeps_prompts(conf_manner manner);

/* The first optional function that the manner uses and the engine lacks; NULL if there is none. */
const char *conf_manner_lacks(conf_manner manner, const assay_engine *engine);

/* What happens to one row of the batch, in order. */
typedef enum conf_move_kind {
    CONF_MOVE_STEP, /* n tokens; ends the row's part in a round */
    CONF_MOVE_REST, /* no tokens; ends the row's part in a round */
    CONF_MOVE_JOIN,
    CONF_MOVE_LEAVE,
    CONF_MOVE_REWIND, /* to n tokens */
    CONF_MOVE_FORK
} conf_move_kind;

typedef struct conf_move {
    conf_move_kind kind;
    size_t n;
} conf_move;

typedef struct conf_moves {
    conf_move *at;
    size_t n;
} conf_moves;

/* A row of the batch: row `index` of n_rows.
 * n_prompt, n_more: tokens of its prompt, and after it.
 * divisible: its prompt may come in several steps.
 * spans: [n_spans], of placeholder tokens in a divisible prompt; NULL if there are none. Rewinds and forks go
 * into spans, and rewinds before them, too. keeps_spans: no span is divided: a chunk that would end in one
 * ends after it, a rewind or fork goes before it. */
typedef struct conf_manner_row {
    size_t index, n_rows;
    size_t n_prompt, n_more;
    bool divisible;
    const conf_span *spans;
    size_t n_spans;
    bool keeps_spans;
} conf_manner_row;

/* The moves of a row. A row whose first move is CONF_MOVE_JOIN, or rests before one, is not in the session
 * when it is opened. A prompt that is not divisible is rewound to nothing or to its end, and forked at its
 * end if there are tokens after it; manners that divide prompts must not be asked for. False if out of
 * memory; the caller frees out->at. */
bool conf_manner_moves(conf_manner manner, const conf_manner_row *row, conf_moves *out);

/* Writes the moves as "5, 1 x 3, rewind to 2, 4": the tokens of steps, and the names of other moves. What
 * does not fit is cut. */
void conf_moves_print(const conf_moves *moves, char *text, size_t size);

/* How many tokens a stateless engine evaluates for these moves: at each step all tokens of the sample. */
size_t conf_moves_cost(const conf_moves *moves);

#endif
