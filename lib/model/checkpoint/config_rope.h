/* Ropes of a config, in both published spellings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_ROPE_H
#define MODEL_CHECKPOINT_CONFIG_ROPE_H

#include "model/checkpoint/config_rope_types.h"

/* Resolves a request into *out, whose arrays the caller frees (rope_free). An unknown type, a member that its
 * type does not know, a missing or impossible parameter: the error sticks and *out is zero. */
void config_rope(config *c, const config_rope_request *request, rope *out);

/* Of a document with a rope for each layer type, once those have been read: refuses members of
 * rope_parameters that are neither full_attention nor sliding_attention. */
void config_rope_end(config *c);

/* The rope of a document that stands alone (a `rope` case): rope_parameters or rope_scaling, or their members
 * at the top level; the member of layer_type where that is given; M-RoPE sections where mrope_section is
 * given, laid out as model_type and mrope_interleaved say. head_dim is the size of the heads to rotate. */
void config_rope_standalone(config *c, size_t head_dim, rope *out);

#endif
