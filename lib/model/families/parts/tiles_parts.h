/* The parts of Llama 3.2 Vision's tower (model/plan/tiles.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_TILES_PARTS_H
#define MODEL_FAMILIES_TILES_PARTS_H

#include "model/families/parts/vision.h"

/* Reads a list of indices of layers, 0 … most - 1, each once, at most PLAN_COLLECTED_MAX; without the member
 * those of `fallback`. out: [PLAN_COLLECTED_MAX]. Returns their number; 0 after a failure. */
size_t family_layer_list(config *c, const char *name, size_t most, const size_t *fallback, size_t n_fallback,
                         size_t *out);

/* Begins the tower, and reads its sizes and the ratios of tiles. */
void family_tiles_begin(family_vision *v, family *f);

/* Binds all of it, and the projector. */
void family_tiles_bind(family_vision *v);

/* Reads image_token_index (or image_token_id) of the document, the id of the placeholder. */
void family_tiles_token(family_vision *v, size_t fallback);

#endif
