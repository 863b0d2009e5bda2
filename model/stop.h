/* The stop set: every token id that ends generation, each with the documents that it came from: the union of
 * eos_token_id in config.json and generation_config.json, since either alone is known to be incomplete in
 * published checkpoints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_STOP_H
#define MODEL_STOP_H

#include <assay/status.h>

#include <stddef.h>
#include <stdint.h>

typedef enum stop_origin { STOP_CONFIG = 1, STOP_GENERATION_CONFIG = 2 } stop_origin;

typedef struct stop_set stop_set;

/* Reads the documents that exist in dir; config.json must. null, an absent member and [] add nothing;
 * text_config's ids count where the top level has none. Anything but a non-negative 32-bit integer or a list
 * of them is refused by name. */
assay_status stop_set_read(const char *dir, stop_set **out, assay_error *err);
void stop_set_free(stop_set *s);

/* Sorted, without duplicates; owned by the set. */
const int32_t *stop_set_ids(const stop_set *s, size_t *n);

/* The documents that name ids[index]: a combination of stop_origin bits. */
unsigned stop_set_origin(const stop_set *s, size_t index);

#endif
