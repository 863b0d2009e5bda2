/* The model that a server serves: opened once, then immutable, and used by all threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_JOB_MODEL_H
#define SERVER_JOB_MODEL_H

#include <assay/engine.h>
#include <assay/serving.h>

#include <stdbool.h>

#include "model/checkpoint/stop.h"

/* engine, serving: borrowed until server_model_close. serving has the parts tokenizer, detokenizer,
 *                  completion, reply, response and template_render.
 * dir:             the checkpoint.
 * name:            what clients call the model; NULL: the last component of dir's real path.
 * compute, compute_name, cache_name, allow_unknown: as in assay_model_options. */
typedef struct server_model_options {
    const assay_engine *engine;
    const assay_serving *serving;
    const char *dir, *name;
    assay_dtype compute;
    const char *compute_name, *cache_name;
    const char *const *allow_unknown;
} server_model_options;

/* stop_ids:      [n_stop_ids], sorted.
 * vocab:         width of the logits; ids of the tokenizer may be larger.
 * n_ids:         the ids of prompts are below this; at least vocab.
 * max_positions: the most tokens of prompt and answer together (max_position_embeddings); 0: unknown.
 * n_divisible:   a prompt of more tokens than this must be evaluated in one step, since its ropes depend on
 *                the length; SIZE_MAX: any prompt may be divided.
 * images_whole:  a prompt with images must be evaluated in one step, since tokens before an image depend on
 *                it.
 * created:       when it was opened, seconds since 1970. */
typedef struct server_model {
    const assay_engine *engine;
    const assay_serving *serving;
    char *dir, *name;
    assay_model *model;
    assay_tokenizer *tokenizer;
    stop_set *stops;
    const int32_t *stop_ids;
    size_t n_stop_ids;
    size_t vocab, n_ids;
    size_t max_positions;
    size_t n_divisible;
    bool images_whole;
    int64_t created;
} server_model;

/* Fails as the engine, the tokenizer and the loader do. Free *out with server_model_close. */
assay_status server_model_open(const server_model_options *options, server_model **out, assay_error *err);
void server_model_close(server_model *m);

#endif
