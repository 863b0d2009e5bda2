/* A comparison of weights as a JSON document.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_DOCUMENT_H
#define CONFORMANCE_WEIGHTS_DOCUMENT_H

#include <stdio.h>

#include "conformance/weights/compare.h"

/* Writes the document "assay-weights/1":
 *   original, stored   the checkpoints
 *   n, n_wrong         numbers of weights
 *   formats            an array: {name, n, n_wrong, rmse, best, multiple}, the largest of each
 *   weights            an array, those that are wrong first, the worst first:
 *     place, name, format, state   "ok", "wrong", "missing", "added" or "shape"
 *     rmse, largest, best          in multiples of the original's RMS
 *     multiple, group_multiple     of the best, of the weight and of its worst group; null: infinite
 *     row, column                  where that group begins
 *     fault                        a text, or null
 * Fails with ASSAY_ENOMEM. */
assay_status conf_weights_print_json(FILE *out, const char *original, const char *stored,
                                     const conf_weight_comparison *c, assay_error *err);

#endif
