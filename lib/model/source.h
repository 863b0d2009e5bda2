/* Where a checkpoint's config and weights come from: a directory, or a GGUF file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include <stdbool.h>

#include "base/json.h"
#include "model/checkpoint/weights.h"
#include "model/gguf/architecture.h"

/* Whether the path is that of a checkpoint: a directory with a config.json, or a file that is, or is named
 * as, a GGUF file. */
bool source_is_checkpoint(const char *path);

/* Reads config.json, or makes it from the metadata of a GGUF file; the caller puts *out. Fails as
 * config_read_document, gguf_open and gguf_config_make do. */
assay_status source_config(const char *checkpoint, json_object **out, assay_error *err);

/* A checkpoint whose weights are mapped. */
typedef struct source {
    json_object *config;                   /* owned */
    char *label;                           /* of the config, for messages; owned */
    weights *weights;                      /* owned */
    const gguf_architecture *architecture; /* of a GGUF file; NULL otherwise */
} source;

/* *out needs source_free in any case. The message about a directory that has a GGUF file for a config.json
 * names the file. */
assay_status source_open(const char *checkpoint, source *out, assay_error *err);
void source_free(source *s);

/* The tensors alone, of a checkpoint of any family; those of a GGUF file have its names. The caller frees
 * *out. Fails as weights_open and gguf_open do. */
assay_status source_weights(const char *checkpoint, weights **out, assay_error *err);

#endif
