/* A comparison of weights as a JSON document.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_DOCUMENT_H
#define CONFORMANCE_WEIGHTS_DOCUMENT_H

#include <stdio.h>

#include "conformance/weights/compare.h"
#include "conformance/weights/cost.h"

/* Writes the document "assay-weights/1":
 *   original, stored   the checkpoints
 *   n, n_wrong         numbers of weights
 *   formats            an array: {name, n, n_wrong, rmse, best, multiple}, the largest of each
 *   weights            an array, those that are wrong first, the worst first:
 *     place, name, format, state   "ok", "wrong", "missing", "added" or "shape"
 *     rmse, largest, best          in multiples of the original's RMS
 *     multiple, group_multiple     of the best, of the weight and of its worst group; null: infinite
 *     row, column                  where that group begins
 *     scaled_with                  the place of a weight with which it shares moved scales, or null
 *     fault                        a text, or null
 *   cost               of --case, or null: {case, positions, kl, kl_largest, sample, token, best_changed};
 *                      kl in nats, null: infinite
 * Fails with ASSAY_ENOMEM. */
assay_status conf_weights_print_json(FILE *out, const char *original, const char *stored,
                                     const conf_weight_comparison *c, const conf_weights_cost *cost,
                                     assay_error *err);

#endif
