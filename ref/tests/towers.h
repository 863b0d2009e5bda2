/* Two small towers, built without a checkpoint, which have every part of a tower between them.
 *
 * Element i of a weight is number(seed, i) = ((7i + 13·seed) mod 17 - 8) / 16, exact in binary; of the weight
 * of a norm, 1 more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TESTS_TOWERS_H
#define REF_TESTS_TOWERS_H

#include "model/plan/plan.h"

enum { TOWERS_FEATURES = 5 }; /* columns of a feature row */

double towers_number(size_t seed, size_t i);

/* Patches in blocks of 2 × 2, channels last, a norm of the embedding, a bicubic table, layers in windows and
 * in frames, head norms, query heads that share keys, biases, a plain MLP, DeepStack. The plan has the tower
 * and its arrays alone; the caller frees it with towers_free before it makes another
 * one. */
plan *towers_blocks(void);

/* Patches row by row, a table of axes, a rope by quarters, norms after mixer and MLP, limits of products, a
 * gated MLP, averaging, standardisation. */
plan *towers_raster(void);

void towers_free(plan *p);

#endif
