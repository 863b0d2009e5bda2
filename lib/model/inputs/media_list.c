/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/media_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/inputs/item.h"

void media_list_free(media_list *list)
{
    for (size_t i = 0; i < list->n; i++) medium_release(list->place[i].medium);
    free(list->place);
    *list = (media_list){0};
}

bool media_list_copy(media_list *to, const media_list *from)
{
    *to = (media_list){0};
    if (from->n == 0) return true;
    to->place = grow_to(NULL, &to->capacity, from->n, sizeof *to->place);
    if (!to->place) return false;
    memcpy(to->place, from->place, from->n * sizeof *to->place);
    to->n = from->n;
    for (size_t i = 0; i < to->n; i++) medium_retain(to->place[i].medium);
    return true;
}

size_t media_list_find(const media_list *list, size_t from)
{
    size_t i = 0;
    while (i < list->n && list->place[i].first < from) i++;
    return i;
}

void media_list_rewind(media_list *list, size_t n_tokens)
{
    const size_t n = media_list_find(list, n_tokens);
    while (list->n > n) medium_release(list->place[--list->n].medium);
}

plan_sequence media_list_sequence(const media_list *list, const plan *p, const int32_t *tokens, size_t n)
{
    return (plan_sequence){.plan = p,
                           .tokens = tokens,
                           .n = n,
                           .n_image =
                               p->blocks.of_image && list->n ? medium_tokens(list->place[0].medium) : 0};
}

int32_t media_token(const plan *p, assay_item_kind kind)
{
    if (kind == ASSAY_ITEM_AUDIO) return p->audio.present ? p->audio.audio_token : -1;
    if (!p->vision.present) return -1;
    return kind == ASSAY_ITEM_IMAGE   ? p->vision.image_token
           : kind == ASSAY_ITEM_VIDEO ? p->vision.video_token
                                      : -1;
}

size_t medium_run(const medium_place *place, const plan *p)
{
    const size_t n = medium_tokens(place->medium);
    return place->kind == ASSAY_ITEM_VIDEO && p->vision.frames_apart ? n / medium_grid(place->medium)[0] : n;
}

enum { IMAGE, VIDEO, AUDIO };
static const assay_item_kind KINDS[MEDIA_KINDS] = {ASSAY_ITEM_IMAGE, ASSAY_ITEM_VIDEO, ASSAY_ITEM_AUDIO};

/* The index of the kind that a token is a placeholder of; MEDIA_KINDS: none. */
static size_t kind_of(const plan *p, int32_t token)
{
    size_t k = 0;
    while (k < MEDIA_KINDS && (token < 0 || media_token(p, KINDS[k]) != token)) k++;
    return k;
}

media_walk media_walk_from(const media_list *list, const plan *p, const int32_t *tokens, size_t from)
{
    media_walk walk = {.list = list,
                       .plan = p,
                       .tokens = tokens,
                       .t = from,
                       .next = media_list_find(list, from),
                       .open = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    for (size_t k = 0; k < MEDIA_KINDS; k++) {
        size_t m = walk.next; /* only the last medium of a kind may be open */
        while (m > 0 && list->place[m - 1].kind != KINDS[k]) m--;
        if (m-- == 0) continue;
        const size_t n = medium_tokens(list->place[m].medium);
        for (size_t t = list->place[m].first; t < from && walk.taken[k] < n; t++)
            walk.taken[k] += tokens[t] == media_token(p, KINDS[k]);
        if (walk.taken[k] < n) walk.open[k] = m;
    }
    return walk;
}

bool media_walk_token(media_walk *walk, size_t *place, size_t *row)
{
    const media_list *list = walk->list;
    const size_t t = walk->t++, k = kind_of(walk->plan, walk->tokens[t]);
    if (k == MEDIA_KINDS) return false;
    if (walk->next < list->n && list->place[walk->next].first == t) {
        walk->open[k] = walk->next++;
        walk->taken[k] = 0;
    }
    if (walk->open[k] == SIZE_MAX) return false;
    const medium *m = list->place[walk->open[k]].medium;
    const size_t n_leading = medium_tower(m)->n_leading, taken = walk->taken[k]++;
    *place = walk->open[k];
    *row = taken - n_leading;
    if (walk->taken[k] == medium_tokens(m)) walk->open[k] = SIZE_MAX;
    return taken >= n_leading;
}

void media_list_rows(const media_list *list, const plan *p, const int32_t *tokens, size_t from, size_t n,
                     size_t *place, size_t *row)
{
    media_walk walk = media_walk_from(list, p, tokens, from);
    for (size_t i = 0; i < n; i++)
        if (list->n == 0 || !media_walk_token(&walk, &place[i], &row[i])) place[i] = SIZE_MAX;
}

/* The state of media_list_add at a token. Per kind:
 * open:  the medium that the next placeholder token of the kind belongs to; medium NULL: none
 * taken: how many of its placeholder tokens have been seen
 * next:  the first item of the step that may begin with the next placeholder token */
typedef struct placing {
    const plan *plan;
    const assay_step *step;
    const media_list *before; /* of the sample */
    size_t n_before;
    const int32_t *tokens;
    const medium **of_item; /* [step->n_items], owned; NULL once placed */
    media_list list;        /* what the step adds */
    medium_place open[MEDIA_KINDS];
    size_t taken[MEDIA_KINDS], next[MEDIA_KINDS];
    assay_error *err;
} placing;

/* Finds the media of the list that have not ended before the step; returns whether there are any. */
static bool find_open(placing *g, const media_list *list)
{
    const media_walk walk = media_walk_from(list, g->plan, g->tokens, g->n_before);
    for (size_t k = 0; k < MEDIA_KINDS; k++) {
        if (walk.open[k] != SIZE_MAX) g->open[k] = list->place[walk.open[k]];
        g->taken[k] = walk.taken[k];
    }
    return g->open[0].medium || g->open[1].medium || g->open[2].medium;
}

/* The video whose tokens end before token t, without an audio clip among them; NULL: none. */
static const medium_place *video_before(const placing *g, size_t t)
{
    const medium_place *last = NULL;
    if (!g->plan->vision.spans_time || t == 0) return NULL;
    for (size_t i = 0; i < g->before->n; i++)
        if (g->before->place[i].kind == ASSAY_ITEM_VIDEO) last = &g->before->place[i];
    for (size_t i = 0; i < g->list.n; i++)
        if (g->list.place[i].kind == ASSAY_ITEM_VIDEO) last = &g->list.place[i];
    if (!last) return NULL;
    const size_t n = g->open[VIDEO].medium ? g->taken[VIDEO] : medium_tokens(last->medium);
    return last->first + n == t ? last : NULL;
}

/* Begins the next item of kind k at token t. */
static assay_status begin_item(placing *g, size_t k, size_t t)
{
    static const char *const NAMES[MEDIA_KINDS] = {"image", "video", "audio clip"};
    const assay_step *step = g->step;
    size_t *i = &g->next[k];
    while (*i < step->n_items && step->items[*i].kind != KINDS[k]) (*i)++;
    if (*i == step->n_items)
        return assay_fail(g->err, ASSAY_EINVAL,
                          "step: sample %zu: token %zu: found placeholder token %d, but no %s is left for it",
                          step->sample, t - g->n_before, g->tokens[t], NAMES[k]);
    const assay_item *item = &step->items[*i];
    if (item->n_tokens != 0 && item->offset != t - g->n_before)
        return assay_fail(g->err, ASSAY_EINVAL,
                          "step: sample %zu: item %zu: found offset %zu, expected %zu, that of the next "
                          "placeholder token %d",
                          step->sample, *i, item->offset, t - g->n_before, g->tokens[t]);
    media_list *list = &g->list;
    g->open[k] = (medium_place){g->of_item[*i], KINDS[k], t, t};
    g->of_item[(*i)++] = NULL;
    g->taken[k] = 0;
    const medium_place *video = KINDS[k] == ASSAY_ITEM_AUDIO ? video_before(g, t) : NULL;
    if (video) g->open[k].start = video->first;
    list->place[list->n++] = g->open[k];
    return ASSAY_OK;
}

/* Whether the tokens of two media of these kinds may be in turns; k: a kind or MEDIA_KINDS. */
static bool may_alternate(const plan *p, size_t k, size_t o)
{
    return p->vision.spans_time && ((k == VIDEO && o == AUDIO) || (k == AUDIO && o == VIDEO));
}

/* The temporal position of token i of a video, relative to its first. */
static int64_t time_of(const medium *video, size_t i)
{
    return medium_time(video, i / (medium_tokens(video) / medium_grid(video)[0]));
}

/* Whether the audio clip and the video that are open may go on with a token of kind k: the earlier position
 * comes first, the video's where both are the same. Only the last video may be that of the audio clip. */
static bool is_in_turn(const placing *g, size_t k)
{
    const medium_place *audio = &g->open[AUDIO], *video = &g->open[VIDEO];
    const size_t n = g->taken[VIDEO];
    const int64_t row = (int64_t)g->taken[AUDIO];
    if (!video->medium || !audio->medium) return true;
    if (audio->start != video->first) return false;
    if (k == VIDEO) return time_of(video->medium, n) <= row;
    return time_of(video->medium, n - 1) <= row && time_of(video->medium, n) > row;
}

/* The same where the audio clip begins after the last token of a video. */
static bool begins_in_turn(const placing *g, size_t t)
{
    const medium_place *audio = &g->open[AUDIO];
    if (g->taken[AUDIO] > 0 || audio->start == audio->first || g->open[VIDEO].medium) return true;
    const medium *video = video_before(g, t)->medium;
    return time_of(video, medium_tokens(video) - 1) == 0;
}

static assay_status check_turn(const placing *g, size_t k, size_t t)
{
    if (!g->plan->vision.spans_time || k == IMAGE) return ASSAY_OK;
    if (is_in_turn(g, k) && (k != AUDIO || begins_in_turn(g, t))) return ASSAY_OK;
    return assay_fail(
        g->err, ASSAY_EINVAL,
        "step: sample %zu: token %zu: found placeholder token %d after %zu of a video and %zu of "
        "an audio clip, expected the tokens of a video and its audio clip in the order of their positions, "
        "those of the video first where they are the same",
        g->step->sample, t - g->n_before, g->tokens[t], g->taken[VIDEO], g->taken[AUDIO]);
}

/* Checks that no medium of another kind than k is divided by the token t; k MEDIA_KINDS: the token is none of
 * a medium. */
static assay_status check_division(const placing *g, size_t k, size_t t)
{
    for (size_t o = 0; o < MEDIA_KINDS; o++) {
        if (o == k || !g->open[o].medium || may_alternate(g->plan, k, o)) continue;
        const size_t run = medium_run(&g->open[o], g->plan), part = g->taken[o] % run;
        if (part != 0 || (g->taken[o] != 0 && run == medium_tokens(g->open[o].medium)))
            return assay_fail(
                g->err, ASSAY_EINVAL,
                "step: sample %zu: token %zu: found token %d after %zu of %zu placeholder tokens "
                "that must follow each other, expected %d",
                g->step->sample, t - g->n_before, g->tokens[t], part, run, media_token(g->plan, KINDS[o]));
    }
    return ASSAY_OK;
}

/* Whether no medium may begin with token t, though it is a placeholder. */
static bool is_text(const plan *p, size_t t)
{
    return p->vision.n_leading > 0 && t > 0;
}

static assay_status place_token(placing *g, size_t t)
{
    const size_t k = kind_of(g->plan, g->tokens[t]);
    assay_status rc = check_division(g, k, t);
    if (rc != ASSAY_OK || k == MEDIA_KINDS) return rc;
    if (!g->open[k].medium && is_text(g->plan, t)) return ASSAY_OK;
    if (!g->open[k].medium) rc = begin_item(g, k, t);
    if (rc == ASSAY_OK) rc = check_turn(g, k, t);
    if (rc != ASSAY_OK) return rc;
    const bool begins_run = g->taken[k] % medium_run(&g->open[k], g->plan) == 0;
    if (begins_run && KINDS[k] != ASSAY_ITEM_AUDIO && g->plan->positions != PLAN_POSITIONS_INDEX && t > 0 &&
        g->tokens[t - 1] == g->tokens[t])
        return assay_fail(g->err, ASSAY_EINVAL,
                          "step: sample %zu: token %zu: found placeholder token %d of another image or frame "
                          "after that of the one before, expected another token between them",
                          g->step->sample, t - g->n_before, g->tokens[t]);
    if (++g->taken[k] == medium_tokens(g->open[k].medium)) g->open[k] = (medium_place){0};
    return ASSAY_OK;
}

/* Positions that the media take at most, beyond one for each of their tokens. */
static size_t extra_positions(const media_list *list)
{
    size_t sum = 0;
    for (size_t i = 0; i < list->n; i++) {
        const medium *m = list->place[i].medium;
        const size_t n_frames = medium_grid(m)[0];
        if (medium_interval(m) != 1) sum += (size_t)medium_time(m, n_frames - 1);
    }
    return sum;
}

static assay_status fail_unplaced(const placing *g, size_t item)
{
    const assay_step *step = g->step;
    if (g->plan->vision.n_leading > 0)
        return assay_fail(
            g->err, ASSAY_EUNSUPPORTED,
            "step: sample %zu: item %zu: found an image that does not begin with the first token "
            "of the sample, or a second one, expected one image at the beginning",
            step->sample, item);
    return assay_fail(g->err, ASSAY_EINVAL,
                      "step: sample %zu: item %zu: found no placeholder token %d for it in the step",
                      step->sample, item, media_token(g->plan, step->items[item].kind));
}

static assay_status place_tokens(placing *g)
{
    const assay_step *step = g->step;
    const size_t n = g->n_before + step->n_tokens;
    for (size_t t = g->n_before; t < n; t++) {
        assay_status rc = place_token(g, t);
        if (rc != ASSAY_OK) return rc;
    }
    for (size_t i = 0; i < step->n_items; i++)
        if (g->of_item[i]) return fail_unplaced(g, i);
    const size_t extra = extra_positions(g->before) + extra_positions(&g->list);
    if (n > INT32_MAX || extra > INT32_MAX - n)
        return assay_fail(
            g->err, ASSAY_EINVAL,
            "step: sample %zu: found %zu tokens and videos of %zu positions, expected at most %d "
            "together",
            step->sample, n, extra, INT32_MAX);
    return ASSAY_OK;
}

static assay_status read_items(placing *g, bool needs_pixels)
{
    const assay_step *step = g->step;
    if (step->n_items == 0) return ASSAY_OK;
    if (!step->items)
        return assay_fail(g->err, ASSAY_EINVAL, "step: sample %zu: items is NULL, expected %zu items",
                          step->sample, step->n_items);
    g->of_item = calloc(step->n_items, sizeof *g->of_item);
    g->list.place = grow_to(NULL, &g->list.capacity, step->n_items, sizeof *g->list.place);
    bool ok = g->of_item && g->list.place;
    for (size_t i = 0; ok && i < step->n_items; i++) {
        item_content content;
        assay_status rc = item_read(g->plan, step, i, needs_pixels, &content, g->err);
        if (rc != ASSAY_OK) return rc;
        ok = (g->of_item[i] = medium_make(&content));
    }
    return ok ? ASSAY_OK
              : assay_fail(g->err, ASSAY_ENOMEM, "step: sample %zu: out of memory for its items",
                           step->sample);
}

/* Moves the media of `added` to the end of the list. */
static bool append_list(media_list *list, media_list *added)
{
    medium_place *grown = grow_to(list->place, &list->capacity, list->n + added->n, sizeof *grown);
    if (!grown) return false;
    memcpy(grown + list->n, added->place, added->n * sizeof *grown);
    list->place = grown;
    list->n += added->n;
    added->n = 0;
    return true;
}

assay_status media_list_add(media_list *list, const plan *p, const assay_step *step, size_t n_before,
                            const int32_t *tokens, bool needs_pixels, assay_error *err)
{
    placing g = {.plan = p, .step = step, .before = list, .n_before = n_before, .tokens = tokens, .err = err};
    if (!find_open(&g, list) && step->n_items == 0) return ASSAY_OK;
    assay_status rc = read_items(&g, needs_pixels);
    if (rc == ASSAY_OK) rc = place_tokens(&g);
    if (rc == ASSAY_OK && g.list.n && !append_list(list, &g.list))
        rc = assay_fail(err, ASSAY_ENOMEM, "step: sample %zu: out of memory for its items", step->sample);
    for (size_t i = 0; g.of_item && i < step->n_items; i++) medium_release(g.of_item[i]);
    free(g.of_item);
    media_list_free(&g.list);
    return rc;
}
