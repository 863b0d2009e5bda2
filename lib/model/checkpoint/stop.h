/* The stop set: every token id that ends generation, each with the documents that it came from. It is the
 * union of the ids in the tokenizer, config.json and generation_config.json, since published checkpoints
 * exist in which each of them is incomplete.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_STOP_H
#define MODEL_CHECKPOINT_STOP_H

#include <assay/serving.h>

#include <stddef.h>
#include <stdint.h>

#define STOP_N_ORIGINS 3

typedef struct stop_set stop_set;

/* Reads documents as assay_serving.stop_set says, each within config_document_limits. An error names
 * "tokenizer", "config.json" or "generation_config.json" and the member. Takes O(n log n) time for n ids. */
assay_status stop_set_parse(const assay_stop_documents *documents, stop_set **out, assay_error *err);

/* Reads the documents that exist in dir, a directory or a GGUF file; config.json must exist in a directory.
 * The tokenizer's id is the id of the eos_token of tokenizer_config.json, found in its own
 * added_tokens_decoder or else in tokenizer.json. */
assay_status stop_set_read(const char *dir, stop_set **out, assay_error *err);
void stop_set_free(stop_set *s);

/* Sorted, without duplicates; owned by the set. */
const int32_t *stop_set_ids(const stop_set *s, size_t *n);

/* The documents that name ids[index]: bits of assay_stop_origin. */
unsigned stop_set_origin(const stop_set *s, size_t index);

/* The eos_token of tokenizer_config.json if no document gives its id; otherwise NULL. Owned by the set. */
const char *stop_set_nameless(const stop_set *s);

/* Writes the documents of an origin, in the order in which they are read: "config.json,
 * generation_config.json". */
void stop_origin_print(char *text, size_t size, unsigned origin);

#endif
