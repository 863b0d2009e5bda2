/* A family: a function that reads its config and fills in a plan, and which members of the config are
 * harmless. No other code depends on a model's name. Errors stick in f->config and f->bind; the caller checks
 * them there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_FAMILY_H
#define MODEL_FAMILIES_FAMILY_H

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_harmless.h"
#include "model/gguf/architecture.h"
#include "model/plan/bind.h"
#include "model/plan/plan.h"

typedef struct family {
    plan *plan;
    config *config; /* of the language model: config.json, or a text_config */
    config *outer;  /* the object that has `config` as its text_config; NULL in a text checkpoint */
    config *whole;  /* config.json, if `outer` is a member of it (family_type.part); else NULL */
    bind *bind;
    size_t more_embeddings; /* rows of the embedding beyond vocab_size: of ids that have no logits */
    const char *last_norm;  /* name of the norm after the last layer; NULL: "norm" */
} family;

/* A model_type that a reader reads. */
typedef struct family_type {
    const char *model_type;
    void (*read)(family *f);
    const char *text_type; /* model_type of its text_config; NULL: the document is the language model's */
    const char *older_text_type; /* as versions of transformers wrote text_type; NULL: none */
    bool may_be_flat;            /* older files have no text_config: its members are in the document */
    const gguf_architecture
        *gguf;        /* how llama.cpp's converter writes it; NULL: it does not, or is not supported */
    const char *part; /* "NAME.": the member of config.json that has the text_config; NULL: none */
} family_type;

enum { FAMILY_TYPES_MAX = 4, FAMILY_HARMLESS_MAX = 4 };

/* What the file families/<name>.c defines, as family_<name>. Both lists end with an empty element. */
typedef struct family_reader {
    family_type types[FAMILY_TYPES_MAX + 1];
    const config_harmless_group *harmless[FAMILY_HARMLESS_MAX + 1];
} family_reader;

#endif
