/* The decoder of HunYuan (transformers, models/hunyuan_v1_dense and models/hunyuan_vl): Llama with norms of
 * each head of q and of k after the rope, whose base an alpha scales.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_HUNYUAN_DECODER_H
#define MODEL_FAMILIES_HUNYUAN_DECODER_H

#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"

/* Reads what family_decoder_read does, attention_bias, the members that repeat others, and the rope,
 * whose sections the caller states. */
family_decoder family_hunyuan_decoder_read(family *f, const family_class *published,
                                           const config_rope_request *sections);

/* Members of published files of the first version that the classes do not read: constant in them, of towers
 * that these files do not have, or of training. */
extern const config_harmless_group family_harmless_hunyuan_v1;

#endif
