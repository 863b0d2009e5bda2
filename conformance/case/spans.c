/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/spans.h"

#include <string.h>

#include "base/dtype.h"
#include "base/text.h"
#include "conformance/case/prompt.h"
#include "model/plan/audio.h"

/* Patches of one image as (column, row), those of padding negative: the size of the smallest grid. */
static void grid_of_positions(const assay_tensor *t, int64_t grid[3])
{
    grid[0] = 1;
    grid[1] = grid[2] = 0;
    for (size_t i = 0; i < dtype_elements(t); i++) {
        int64_t *size = &grid[i % 2 ? 1 : 2];
        const int64_t at = dtype_integer(t, i);
        if (at >= *size && at < INT32_MAX) *size = at + 1;
    }
}

bool conf_spans_grid(const assay_item *item, int64_t grid[3])
{
    for (size_t k = 0; k < item->n_tensors; k++) {
        const assay_tensor *t = &item->tensors[k];
        const bool is_grid = string_ends_with(t->name, "_grid_thw");
        if (!is_grid && !string_ends_with(t->name, "_position_ids")) continue;
        if (t->dtype != ASSAY_I32 && t->dtype != ASSAY_I64) return false;
        if (!is_grid) {
            grid_of_positions(t, grid);
            return true;
        }
        if (dtype_elements(t) != 3) return false;
        for (size_t i = 0; i < 3; i++) grid[i] = dtype_integer(t, i);
        return true;
    }
    return false;
}

size_t conf_spans_frames(const assay_item *item)
{
    for (size_t k = 0; k < item->n_tensors; k++) {
        const assay_tensor *t = &item->tensors[k];
        size_t n_frames = 0;
        if (strcmp(t->name, "feature_attention_mask") != 0) continue;
        if (t->dtype != ASSAY_I32 && t->dtype != ASSAY_I64) return 0;
        for (size_t i = 0; i < dtype_elements(t); i++) n_frames += dtype_integer(t, i) == 1;
        return n_frames;
    }
    return 0;
}

/* How many placeholder tokens an item has; 0: unknown. */
static size_t count_tokens(const assay_item *item, const conf_placeholders *p)
{
    int64_t grid[3];
    if (item->kind == ASSAY_ITEM_AUDIO)
        return p->chunk ? plan_audio_rows(&(plan_audio){.chunk = p->chunk}, conf_spans_frames(item)) : 0;
    if (p->n_each > 0) return p->n_each;
    if (p->side == 0 || !conf_spans_grid(item, grid)) return 0;
    for (size_t i = 0; i < 3; i++)
        if (grid[i] < 1 || grid[i] > UINT16_MAX) return 0;
    const size_t n_rows = (size_t)grid[1] / p->side, n_columns = (size_t)grid[2] / p->side;
    const size_t n_frames = p->has_crops ? 1 : (size_t)grid[0];
    return n_frames * n_rows * (n_columns + p->row_end) + p->ends;
}

int32_t conf_spans_token(assay_item_kind kind, const conf_placeholders *p)
{
    if (kind == ASSAY_ITEM_IMAGE) return p->image;
    if (kind == ASSAY_ITEM_AUDIO) return p->chunk > 0 ? p->audio : -1;
    return kind == ASSAY_ITEM_VIDEO ? p->video : -1;
}

/* Advances *at beyond the next n tokens `id`; *first: the index of the first. False if there are fewer. */
static bool skip_tokens(const int32_t *tokens, size_t n_tokens, int32_t id, size_t n, size_t *at,
                        size_t *first)
{
    for (size_t found = 0; *at < n_tokens;) {
        if (tokens[(*at)++] != id) continue;
        if (found++ == 0) *first = *at - 1;
        if (found == n) return true;
    }
    return false;
}

/* Whether there is none of the placeholder tokens of a kind from index `at` on. */
static bool has_no_more(const int32_t *tokens, size_t n_tokens, int32_t id, size_t at)
{
    while (at < n_tokens && tokens[at] != id) at++;
    return at == n_tokens;
}

/* False if the spans of a sample's items are unknown. */
static bool place_sample(const assay_item *items, size_t n, const int32_t *tokens, size_t n_tokens,
                         const conf_placeholders *p, conf_span *spans)
{
    for (size_t i = 0, at = 0; i < n; i++) {
        const int32_t id = conf_spans_token(items[i].kind, p);
        const size_t n_wanted = count_tokens(&items[i], p);
        if (i && items[i].kind != items[i - 1].kind) at = 0;
        if (id < 0 || n_wanted == 0) return false;
        if (!skip_tokens(tokens, n_tokens, id, n_wanted, &at, &spans[i].first)) return false;
        spans[i].end = at;
        const bool is_last = i + 1 == n || items[i + 1].kind != items[i].kind;
        if (is_last && !p->leads && !has_no_more(tokens, n_tokens, id, at)) return false;
        if (p->leads && (n != 1 || at != n_wanted)) return false;
    }
    return true;
}

void conf_spans_find(conf_items *items, const conf_decoder *of, const conf_placeholders *placeholders)
{
    for (size_t b = 0; b < of->n_samples; b++) {
        size_t n;
        const assay_item *own = conf_items_of(items, b, &n);
        conf_span *spans = items->spans + items->of[b];
        if (!place_sample(own, n, conf_prompt(of, b), conf_prompt_length(of, b), placeholders, spans))
            memset(spans, 0, n * sizeof *spans);
    }
}
