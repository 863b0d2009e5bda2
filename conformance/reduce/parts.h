/* The parts of a case of which less is tried: a row for each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_PARTS_H
#define CONFORMANCE_REDUCE_PARTS_H

#include "conformance/reduce/attempt.h"

typedef struct conf_part {
    const char *name; /* of what, for the lines of its attempts */
    /* Reduces r->best; whether it became smaller. */
    bool (*reduce)(conf_reducing *r);
} conf_part;

extern const conf_part conf_part_samples; /* samples of the batch */
extern const conf_part conf_part_inputs;  /* images, videos and audio clips, with their placeholder tokens */
extern const conf_part conf_part_steps;   /* steps after the prompts, and tokens of expected streams */
extern const conf_part conf_part_ends;    /* the last tokens of each sample */
extern const conf_part conf_part_tokens;  /* any other tokens */
extern const conf_part conf_part_sizes;   /* frames, rows and columns of images, videos and audio clips */
extern const conf_part conf_part_layers;  /* layers of the checkpoint */
extern const conf_part conf_part_ids;     /* ids that differ from a plain one */
extern const conf_part conf_part_values;  /* values of images, videos and audio clips that are not plain */

extern const conf_part conf_part_vectors;  /* vectors of a textual case */
extern const conf_part conf_part_prefixes; /* the last elements of arrays in a vector (conf_textual_prefix) */
extern const conf_part conf_part_texts;    /* any other of a vector's input: members, elements, characters */

#endif
