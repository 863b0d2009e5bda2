/* The images and videos of a sample: checked, copied, and attached to the sample's placeholder tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_MEDIA_H
#define MODEL_INPUTS_MEDIA_H

#include <assay/engine.h>

#include "model/plan/plan.h"

/* One image or video. Immutable and counted: sessions on different threads share it. */
typedef struct media media;

void media_retain(const media *m);
void media_release(const media *m); /* NULL allowed */

/* [t, h, w] in patches: h and w multiples of the tower's block. */
const size_t *media_grid(const media *m);
size_t media_patches(const media *m);  /* t·h·w */
size_t media_tokens(const media *m);   /* of placeholder tokens, and of feature rows: plan_tower_tokens */
uint64_t media_hash(const media *m);   /* of its grid and pixels; equal media have equal hashes */
bool media_equal(const media *m, const media *other); /* bit for bit */
/* Converts rows first … first + n - 1 of the pixels, in the order of the tower's input, to double.
 * out: [n, W]. Without padding; all finite. */
void media_pixels(const media *m, size_t first, size_t n, double *out);

/* A medium in a sample: `first` is the index of its first placeholder token. */
typedef struct media_place {
    const media *medium;
    assay_item_kind kind; /* ASSAY_ITEM_IMAGE or ASSAY_ITEM_VIDEO */
    size_t first;
} media_place;

/* The media of one sample, by `first`. Zero-initialised: none. */
typedef struct media_list {
    media_place *place; /* [n], each retained */
    size_t n, capacity;
} media_list;

void media_list_free(media_list *list);
/* Makes `to`, which is empty, a copy. Returns false if out of memory. */
bool media_list_copy(media_list *to, const media_list *from);
/* Drops every medium whose first placeholder token has an index of n_tokens or more. */
void media_list_rewind(media_list *list, size_t n_tokens);

/* Adds the items of a step, whose tokens follow `n_before` tokens of the sample. Items of one kind belong to the
 * placeholder tokens of that kind one after the other; each must begin within the step's tokens, and may
 * end in a later step. Call it for every step, also for one without items.
 *
 * tokens: [n_before + step->n_tokens], all of the sample, those of the step included.
 * needs_pixels: false: an item may consist of its grid alone (positions).
 *
 * Fails, list unchanged, naming sample, item and tensor, what was found and what was expected:
 * ASSAY_EUNSUPPORTED for a kind, tensor name or type that the model does not take, or a medium with
 * positions of patches that are not a raster; ASSAY_EINVAL for a missing tensor, a shape or grid that does not
 * fit the pixels or the tower's blocks, a grid with a zero, pixels that are not finite; for an item without a
 * placeholder token in the step; for a placeholder token that no medium is left for, in a step with items or in
 * a sample with a medium that has not ended; for a token of another kind between the placeholder tokens of one
 * frame. Without any item, placeholder tokens are ordinary tokens. ASSAY_ENOMEM. */
assay_status media_list_add(media_list *list, const plan *p, const assay_step *step, size_t n_before,
                            const int32_t *tokens, bool needs_pixels, assay_error *err);

/* The feature row that replaces the embedding of each of the tokens `from` … from + n - 1.
 * tokens: [from + n], of the sample. place: [n], index into list->place, SIZE_MAX: none. row: [n], the row of
 * that medium's features. */
void media_list_rows(const media_list *list, const plan *p, const int32_t *tokens, size_t from, size_t n,
                     size_t *place, size_t *row);

#endif
