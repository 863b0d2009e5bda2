/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/inputs/positions.h"
#include "model/plan/mask.h"

/* Releases all features but the first n. */
static void truncate_features(fp_sample *one, size_t n_now, size_t n)
{
    for (size_t i = n; i < n_now; i++) {
        fp_features_release(one->features[i]);
        one->features[i] = NULL;
    }
}

void fp_sample_free(fp_sample *one)
{
    fp_state_free(&one->state);
    free(one->tokens);
    fp_positions_free(&one->positions);
    truncate_features(one, one->media.n, 0);
    fp_cross_keys_release(one->cross);
    free(one->features);
    media_list_free(&one->media);
    *one = (fp_sample){0};
}

/* Ensures capacity for n more tokens, and for the positions of all if they are stored. */
static bool reserve_tokens(fp_sample *one, size_t n, bool has_positions)
{
    int32_t *grown = grow_to(one->tokens, &one->capacity, one->n_tokens + n, sizeof *grown);
    if (grown) one->tokens = grown;
    return grown && (!has_positions || fp_positions_reserve(&one->positions, one->n_tokens, n));
}

/* After images have come or gone where layers attend to them. Tokens before the first image attend to all
 * images. first: the first image's index, before it went. */
static void change_images(fp_sample *one, size_t first)
{
    fp_cross_keys_release(one->cross);
    one->cross = NULL;
    if (first > 0) fp_state_reset(&one->state);
}

/* Drops all media but those that begin with the first n_tokens. */
static void rewind_media(fp_sample *one, const plan *p, size_t n_tokens)
{
    const size_t n = one->media.n, first = n ? one->media.place[0].first : 0;
    media_list_rewind(&one->media, n_tokens);
    truncate_features(one, n, one->media.n);
    if (one->media.n != n && plan_tower_feeds_cross(&p->vision)) change_images(one, first);
}

static bool reserve_features(fp_sample *one, size_t n)
{
    if (n <= one->features_capacity) return true;
    fp_features **grown = grow_to(one->features, &one->features_capacity, n, sizeof *grown);
    if (grown) one->features = grown;
    return grown;
}

/* Positions are stored once they are not the indices of tokens. */
static bool needs_positions(const fp_sample *one, const plan *p, const assay_step *step)
{
    return one->positions.list || step->positions ||
           (p->positions != PLAN_POSITIONS_INDEX && one->media.n > 0);
}

assay_status fp_sample_append(fp_sample *one, const plan *p, const assay_step *step, assay_error *err)
{
    const size_t n = one->n_tokens, n_new = step->n_tokens, n_media = one->media.n;
    bool ok = (one->state.n_tokens != n || fp_state_snapshot(&one->state) == ASSAY_OK) &&
              reserve_features(one, n_media + step->n_items) && reserve_tokens(one, n_new, false);
    if (ok) {
        memcpy(one->tokens + n, step->tokens, n_new * sizeof *one->tokens);
        assay_status rc = media_list_add(&one->media, p, step, n, one->tokens, true, err);
        if (rc != ASSAY_OK) return rc;
        for (size_t i = n_media; i < one->media.n; i++) one->features[i] = NULL;
        ok = reserve_tokens(one, n_new, needs_positions(one, p, step));
    }
    if (!ok) {
        rewind_media(one, p, n);
        return assay_fail(err, ASSAY_ENOMEM, "step: sample %zu: out of memory", step->sample);
    }
    int32_t *list = one->positions.list;
    if (list && step->positions)
        fp_positions_append(&one->positions, n, step->positions, step->n_axes, n_new);
    else if (list) positions_fill(p, &one->media, one->tokens, list, n, n_new, list + n * ROPE_AXES_MAX);
    one->n_tokens += n_new;
    if (one->media.n != n_media && plan_tower_feeds_cross(&p->vision))
        change_images(one, one->media.place[0].first);
    return ASSAY_OK;
}

void fp_sample_rewind(fp_sample *one, const plan *p, size_t n_tokens)
{
    size_t n_valid = n_tokens;
    const plan_sequence all = media_list_sequence(&one->media, p, one->tokens, one->n_tokens);
    if (plan_divides_block(&all, n_tokens))
        while (n_valid > 0 && plan_is_in_block(&all, n_valid - 1)) n_valid--;
    one->n_tokens = n_tokens;
    rewind_media(one, p, n_tokens);
    if (one->state.n_tokens > n_valid && !fp_state_rewind(&one->state, n_valid)) fp_state_reset(&one->state);
}

bool fp_sample_copy(fp_sample *to, const fp_sample *from)
{
    if (!reserve_tokens(to, from->n_tokens, false) ||
        !fp_positions_copy(&to->positions, &from->positions, from->n_tokens) ||
        !reserve_features(to, from->media.n) || !media_list_copy(&to->media, &from->media))
        return false;
    for (size_t i = 0; i < from->media.n; i++) to->features[i] = fp_features_share(from->features[i]);
    to->cross = fp_cross_keys_share(from->cross);
    if (fp_state_fork(&to->state, &from->state) != ASSAY_OK) return false;
    if (from->n_tokens) memcpy(to->tokens, from->tokens, from->n_tokens * sizeof *to->tokens);
    to->n_tokens = from->n_tokens;
    to->length = from->length;
    return true;
}
