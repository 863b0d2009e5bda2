/* The decoder of ERNIE 4.5 (transformers, models/ernie4_5/modeling_ernie4_5.py): Llama with adjacent pairs in
 * the rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_ERNIE_DECODER_H
#define MODEL_FAMILIES_ERNIE_DECODER_H

#include "model/families/parts/decoder.h"

/* Reads what family_decoder_read does, use_bias, and the rope. needs_head_dim: as in family_class. */
family_decoder family_ernie_decoder_read(family *f, bool needs_head_dim);

/* Members of published files that the classes do not read: constant in them, or of training. */
extern const config_harmless_group family_harmless_ernie;

#endif
