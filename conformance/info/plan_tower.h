/* The vision tower of a plan as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_INFO_PLAN_TOWER_H
#define CONFORMANCE_INFO_PLAN_TOWER_H

#include <json-c/json.h>

#include "model/plan/plan.h"

/* Adds the members of a tower, which is present; null where it has none:
 *   hidden, image_token, video_token
 *   block            a row of features is of block x block patches
 *   patches          {size, channels, frames, order, bias, channels_last, factor, offset}
 *   frames_apart, tokens_per_second, spans_time
 *   table            learned positions: {side, taps, aligns_corners}; taps: "two", "four" or "axes"
 *   rope             {theta, elements, head_dim, order, pairs_in_halves}; order: "rows" or "columns" first
 *   in_norm, out_norm   norms (plan_layer.h)
 *   window           in blocks
 *   layers           an array: {attention, in_windows, mlp, norms, residual_gates, clipped}
 *   pooling          {side, factor, standardised}
 *   merger           {features, steps}: the width of its result, and an array of objects of one member each,
 *                    in order: norm, concatenate ("rows" or "channels": what of a block follows each other),
 *                    linear {outputs, bias}, activation, mlp, repeat (how often),
 *                    row_ends, ends (widths of the rows that they add)
 *   tiles            of an image: {n, side, padded, ratios, collected, second, middle}: side: of a tile, in
 *                    patches; padded: rows of a tile; ratios: {rows, columns} of tiles; collected: {layer}
 *                    whose input is in the features; second: the first layer of the second part, middle:
 *                    the norm before it
 *   deepstack        an array: {tower_layer, merger}
 *
 * Returns false if it runs out of memory. */
bool conf_info_add_tower(json_object *to, const plan_tower *t);

#endif
