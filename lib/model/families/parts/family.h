/* A family: one function that reads its config and fills in a plan. No other code depends on a model's name.
 * Errors stick in f->config and f->bind; the caller checks them there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_FAMILY_H
#define MODEL_FAMILIES_FAMILY_H

#include "model/checkpoint/config.h"
#include "model/plan/bind.h"
#include "model/plan/plan.h"

typedef struct family {
    plan *plan;
    config *config; /* of the language model: the document itself, or its text_config */
    config *outer;  /* the document around a text_config; NULL in a text checkpoint */
    config *whole;  /* the document around that of a part of a larger model; NULL: there is none */
    bind *bind;
    size_t more_embeddings; /* rows of the embedding beyond vocab_size: of ids that have no logits */
} family;

typedef void family_fn(family *f);

#endif
