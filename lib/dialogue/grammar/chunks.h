/* What the streams of chat completions and of completions have in common: chunks of choices, a finish_reason
 * for each, the usage, and [DONE]. Each function reports breaches of the rule of its endpoint, named in
 * serve_chunk_rules.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_CHUNKS_H
#define DIALOGUE_GRAMMAR_CHUNKS_H

#include "dialogue/grammar/checks.h"

/* Names of rules, and words of the endpoint. */
typedef struct serve_chunk_rules {
    const char *head, *choices, *empty, *finish, *reason, *after_finish, *usage, *early, *done, *after_done;
    const char *object;         /* the member `object` of a chunk */
    const char *const *reasons; /* the published finish_reasons; ends with NULL */
} serve_chunk_rules;

/* The state of a stream. */
typedef struct serve_chunks {
    buffer id, model;
    bool has_created, has_usage, is_done;
    int64_t created;
    size_t n_choices, n_finished;
} serve_chunks;

/* What the endpoint does with the choices of a chunk; state: the endpoint's.
 * begin:       choice n_choices begins.
 * read:        reads a choice, but for its index and its finish_reason.
 * finish:      the choice has this finish_reason, its first one.
 * is_finished: whether it had one before. */
typedef struct serve_chunk_reader {
    const serve_chunk_rules *rules;
    assay_status (*begin)(serve_grammar *g, void *state);
    assay_status (*read)(serve_grammar *g, void *state, size_t index, json_object *choice);
    assay_status (*finish)(serve_grammar *g, void *state, size_t index, assay_text reason);
    bool (*is_finished)(const void *state, size_t index);
} serve_chunk_reader;

/* Reads a chunk, or an error. */
assay_status serve_chunks_read(serve_grammar *g, serve_chunks *c, const serve_chunk_reader *reader,
                               void *state, json_object *chunk);
assay_status serve_chunks_done(serve_grammar *g, serve_chunks *c, const serve_chunk_rules *rules);
assay_status serve_chunks_end(serve_grammar *g, const serve_chunks *c, const serve_chunk_rules *rules);
void serve_chunks_free(serve_chunks *c);

#endif
