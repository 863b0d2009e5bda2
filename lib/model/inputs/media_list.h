/* The images, videos and audio of a sample, attached to the sample's placeholder tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_MEDIA_LIST_H
#define MODEL_INPUTS_MEDIA_LIST_H

#include <assay/engine.h>

#include "model/inputs/medium.h"
#include "model/plan/mask.h"
#include "model/plan/plan.h"

/* A medium in a sample: `first` is the index of its first placeholder token, `start` that of the token from
 * whose position on its own are counted: `first`; of the audio clip of a video (tower.spans_time) that of the
 * video. */
typedef struct medium_place {
    const medium *medium;
    assay_item_kind kind; /* ASSAY_ITEM_IMAGE, ASSAY_ITEM_VIDEO or ASSAY_ITEM_AUDIO */
    size_t first, start;
} medium_place;

/* The media of one sample, by `first`. Zero-initialised: none. */
typedef struct media_list {
    medium_place *place; /* [n], each retained */
    size_t n, capacity;
} media_list;

void media_list_free(media_list *list);
/* Makes `to`, which is empty, a copy. Returns false if out of memory. */
bool media_list_copy(media_list *to, const media_list *from);
/* The index of the first medium that begins with token `from` or a later one; list->n if there is none. */
size_t media_list_find(const media_list *list, size_t from);
/* Drops every medium whose first placeholder token has an index of n_tokens or more. */
void media_list_rewind(media_list *list, size_t n_tokens);

/* Adds the items of a step, whose tokens follow `n_before` tokens of the sample. Items of one kind belong to
 * the placeholder tokens of that kind one after the other; each must begin within the step's tokens, and may
 * end in a later step. Call it for every step, also for one without items. A list holds the media of all
 * tokens of its sample: media_list_rewind follows every rewind.
 *
 * tokens: [n_before + step->n_tokens], all of the sample, those of the step included.
 * needs_pixels: false: an item may consist of its grid alone (positions).
 *
 * Fails, list unchanged, naming sample, item and tensor, what was found and what was expected:
 * ASSAY_EUNSUPPORTED for a kind, tensor name or type that the model does not take, or a medium with
 * positions of patches that are not a raster; ASSAY_EINVAL for a missing or repeated tensor, a shape or grid
 * that does not fit the pixels or the tower's blocks, a grid with a zero, pixels that are not finite; for an
 * offset or n_tokens that is not that of the item's placeholder tokens; for an item without a placeholder
 * token in the step; for a placeholder token that no medium is left for, in a step with items or in a sample
 * with a medium that has not ended; for a token of another kind between the placeholder tokens of one frame,
 * or, unless tower.frames_apart, of one medium; with tower.spans_time for the tokens of a video and of its
 * audio clip, which begins right after tokens of the video, in another order than that of their positions on
 * axis 0, the video first where both have the same (Qwen3OmniMoeProcessor.replace_video_with_audio_token);
 * with other positions than PLAN_POSITIONS_INDEX for two media of a kind, or two frames of a medium with
 * frames_apart, without another token between them, where published code raises (get_rope_index takes both
 * for one; it does not for audio clips); for more tokens and positions than INT32_MAX; with tower.n_leading
 * for an image that does not begin with the first token of its sample. Without any item, placeholder tokens
 * are ordinary tokens; with tower.n_leading those after the image are, too. ASSAY_ENOMEM. */
assay_status media_list_add(media_list *list, const plan *p, const assay_step *step, size_t n_before,
                            const int32_t *tokens, bool needs_pixels, assay_error *err);

/* The feature row that replaces the embedding of each of the tokens `from` … from + n - 1.
 * tokens: [from + n], of the sample. place: [n], index into list->place, SIZE_MAX: none. row: [n], the row of
 * that medium's features; undefined where there is none. */
void media_list_rows(const media_list *list, const plan *p, const int32_t *tokens, size_t from, size_t n,
                     size_t *place, size_t *row);

/* The tokens of a sample whose media the list has, with those of the image that are a block. tokens: [n]. */
plan_sequence media_list_sequence(const media_list *list, const plan *p, const int32_t *tokens, size_t n);

/* The placeholder token of a kind of item; -1: the model takes none. */
int32_t media_token(const plan *p, assay_item_kind kind);

/* The number of placeholder tokens that must follow each other: those of one frame, or of the whole medium.
 */
size_t medium_run(const medium_place *place, const plan *p);

/* A walk through the tokens of a sample. Per kind (images, videos, audio): the medium whose placeholder
 * tokens have not all been passed, SIZE_MAX: none; and how many have. */
enum { MEDIA_KINDS = 3 };
typedef struct media_walk {
    const media_list *list; /* borrowed, as are the plan and tokens */
    const plan *plan;
    const int32_t *tokens;
    size_t t;    /* the next token */
    size_t next; /* the first medium of the list that begins there or later */
    size_t open[MEDIA_KINDS], taken[MEDIA_KINDS];
} media_walk;

/* Begins at token `from`. tokens: of the sample, as far as the walk goes. */
media_walk media_walk_from(const media_list *list, const plan *p, const int32_t *tokens, size_t from);

/* Passes a token. Returns whether a feature replaces it: the index of its medium in the list, and the row of
 * its features. */
bool media_walk_token(media_walk *walk, size_t *place, size_t *row);

#endif
