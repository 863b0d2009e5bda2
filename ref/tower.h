/* A tower (plan_tower), evaluated for all media of a sample that it takes at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REF_TOWER_H
#define REF_TOWER_H

#include "ref/ops.h"
#include "ref/patches.h"
#include "ref/trace.h"

/* merged: [n_rows, H], the feature rows of each medium, one medium after the other: its frames, of each frame
 *         its blocks row by row. Owned.
 * deepstack: [n_deepstack] of [n_rows, H], owned.
 * first: [n_media + 1], the index of a medium's first row, owned; first[n_media] is n_rows. */
typedef struct ref_tower_output {
    size_t n_media, n_rows, n_deepstack;
    ref_real *merged;
    ref_real **deepstack;
    size_t *first;
} ref_tower_output;

void ref_tower_output_free(ref_tower_output *out);

/* Evaluates the tower. pixels: [P, W], in the order of the tower's input. grids: [n_media], [t, h, w] each.
 * layouts: [n_media], rows and columns of crops; read of towers with crops alone, otherwise may be NULL.
 * Passes to the tracer the rows of the media from first_traced on, in this order: vision.patch, the product
 * of the patch embedding; vision.NN.out, the output of a layer, followed by vision.deepstack.K if it has one;
 * vision.merged, the features; audio.… of an audio tower. tracer.first_row is not used. Fails with
 * ASSAY_ENOMEM, and with ASSAY_ESTOPPED if the tap ends the pass; *out is empty then. The caller frees *out
 * with ref_tower_output_free. */
assay_status ref_tower(const plan_tower *tower, const double *pixels, const size_t (*grids)[3],
                       const size_t (*layouts)[2], size_t n_media, size_t first_traced, ref_tracer tracer,
                       ref_tower_output *out);

/* One row of pixels, (channel, frame, y, x), in the order of the columns of the embedding's weight. out, row:
 * [W]. */
void ref_order_pixels(ref_real *out, const double *row, const plan_patches *p);

#endif
