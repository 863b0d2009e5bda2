/* Where a checkpoint's config and weights come from: a directory, or a GGUF file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_SOURCE_H
#define MODEL_SOURCE_H

#include "base/json.h"
#include "model/checkpoint/weights.h"
#include "model/gguf/architecture.h"

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

/* *out needs source_free in any case. */
assay_status source_open(const char *checkpoint, source *out, assay_error *err);
void source_free(source *s);

#endif
