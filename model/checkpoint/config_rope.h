/* Ropes of a config, in both published spellings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_ROPE_H
#define MODEL_CHECKPOINT_CONFIG_ROPE_H

#include "model/checkpoint/config.h"

/* A rope as the document spells it, in either published spelling. */
typedef struct config_rope_request {
    const char *layer_type; /* member of rope_parameters that holds it; NULL: rope_parameters itself */
    size_t head_dim;
    double default_theta;
    const char *old_theta; /* member of the older spelling that holds theta; NULL: "rope_theta" */
    bool old_scaling;      /* the older spelling's rope_scaling applies to it */
    bool partial;          /* the model rotates only a part of a head where partial_rotary_factor says so */
    const char *default_type; /* type if the document has no RoPE member; NULL: "default" */
    double default_partial;   /* partial_rotary_factor if it is absent; 0: 1 */
    bool has_alpha; /* HunYuan: a rope of type "dynamic" (in older files "xdrope") has an alpha, by which its
                       base is scaled once: theta · alpha^(dim / (dim - 2)) */
    bool long_only; /* phi3: default or longrope ("su" and "yarn" are its older names) */
    /* Not ROPE_SECTIONS_NONE: M-RoPE, whose mrope_section is default_section if absent, and whose type may be
     * called "mrope"; or, with ROW_COLUMN and COLUMN_ROW, the rope of a tower, whose type is "axial". */
    rope_sections sections;
    const char *old_section; /* an older name of mrope_section; NULL: none */
    size_t default_section[ROPE_AXES_MAX];
} config_rope_request;

/* Resolves it into *out, whose arrays the caller frees (rope_free). An unknown type, a member that its type
 * does not know, a missing or impossible parameter: the error sticks and *out is zero. */
void config_rope(config *c, const config_rope_request *request, rope *out);

/* Of a document with a rope for each layer type, once those have been read: refuses members of
 * rope_parameters that are neither full_attention nor sliding_attention. */
void config_rope_end(config *c);

/* The rope of a document that stands alone (a `rope` case): rope_parameters or rope_scaling, or their members
 * at the top level; the member of layer_type where that is given; M-RoPE sections where mrope_section is
 * given, laid out as model_type and mrope_interleaved say. head_dim is the size of the heads to rotate. */
void config_rope_standalone(config *c, size_t head_dim, rope *out);

#endif
