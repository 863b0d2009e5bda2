/* The types of RoPE, each with the parameters that it has in a config.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_ROPE_TYPES_H
#define MODEL_CHECKPOINT_CONFIG_ROPE_TYPES_H

#include "model/checkpoint/config.h"

/* A rope as the document spells it, in either published spelling. */
typedef struct config_rope_request {
    const char *layer_type; /* member of rope_parameters that holds it; NULL: rope_parameters itself */
    size_t head_dim;
    double default_theta;  /* 0: the published class has none, and fails without rope_theta */
    const char *old_theta; /* member of the older spelling that holds theta; NULL: "rope_theta" */
    bool old_scaling;      /* the older spelling's rope_scaling applies to it */
    bool partial;          /* the model rotates only a part of a head where partial_rotary_factor says so */
    const char *default_type; /* type if the document has no RoPE member; NULL: "default" */
    const char
        *default_members; /* JSON of the object that the class takes if the document has none; NULL: {} */
    double *query_beta; /* receives llama_4_scaling_beta, which must be a member then; NULL: not understood */
    double default_partial; /* partial_rotary_factor if it is absent; 0: 1 */
    bool has_alpha; /* HunYuan: a rope of type "dynamic" (in older files "xdrope") has an alpha, by which its
                       base is scaled once: theta · alpha^(dim / (dim - 2)) */
    bool long_only; /* phi3: default or longrope ("su" and "yarn" are its older names) */
    /* Not ROPE_SECTIONS_NONE: M-RoPE, whose mrope_section is default_section if absent, and whose type may be
     * called "mrope"; or, with ROW_COLUMN and COLUMN_ROW, the rope of a tower, whose type is "axial". */
    rope_sections sections;
    const char *old_section; /* an older name of mrope_section; NULL: none */
    size_t default_section[ROPE_AXES_MAX];
} config_rope_request;

/* Reads the parameters of one type from the rope's own members d and the document c around it. */
typedef void config_rope_reader(config *c, config *d, const config_rope_request *request, rope *r);

/* The reader of the type that a document calls `spelled`; sets r->type. Sets the error of d if the request
 * knows no such type. */
config_rope_reader *config_rope_type(config *d, const char *spelled, const config_rope_request *request,
                                     rope *r);

#endif
