/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/item.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "model/inputs/item_crops.h"
#include "model/inputs/item_finite.h"
#include "model/inputs/item_shape.h"
#include "model/inputs/item_size.h"
#include "model/inputs/item_tiles.h"
#include "model/inputs/item_time.h"

/* The published names of an item's tensors; NULL: the kind has no such tensor. */
typedef struct item_names {
    const char *pixels, *grid, *extra; /* extra: may be absent */
} item_names;

typedef struct reader {
    const plan_tower *tower;
    size_t sample, index; /* of the item in its step */
    const assay_item *item;
    item_names names;
    assay_status status;
    assay_error *err;
} reader;

static void fail_item(reader *r, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the error, unless one is set already. */
static void fail_item(reader *r, assay_status status, const char *format, ...)
{
    char reason[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (r->status == ASSAY_OK)
        r->status = assay_fail(r->err, status, "step: sample %zu: item %zu: %s", r->sample, r->index, reason);
}

static const char *name_of_seconds(const plan_tower *tower)
{
    if (tower->spans_time) return "video_second_per_grid";
    return tower->tokens_per_second > 0 ? "second_per_grid_ts" : NULL;
}

/* Sets r->names, or fails for a kind that the model does not take. */
static void read_kind(reader *r, const plan *p)
{
    const bool has_tower = r->tower->present;
    if (r->item->kind == ASSAY_ITEM_AUDIO && p->audio.present) {
        r->tower = &p->audio;
        r->names = (item_names){"input_features", "feature_attention_mask", NULL};
        return;
    }
    if (r->item->kind == ASSAY_ITEM_IMAGE && has_tower && r->tower->image_token >= 0) {
        r->names = (item_names){.pixels = "pixel_values"};
        if (r->tower->takes_places) r->names.grid = "image_position_ids";
        else if (r->tower->kind != PLAN_TOWER_CONV) r->names.grid = "image_grid_thw";
        if (r->tower->kind == PLAN_TOWER_TILES)
            r->names = (item_names){"pixel_values", "aspect_ratio_ids", "aspect_ratio_mask"};
        if (r->tower->kind == PLAN_TOWER_CROPS) r->names.extra = "crop_layouts";
        return;
    }
    if (r->item->kind == ASSAY_ITEM_VIDEO && has_tower && r->tower->video_token >= 0 &&
        !r->tower->takes_places) {
        r->names = (item_names){"pixel_values_videos", "video_grid_thw", name_of_seconds(r->tower)};
        return;
    }
    static const char *const KINDS[] = {"kind 0", "an image", "a video", "an audio clip", "an embedding"};
    const size_t kind = (size_t)r->item->kind;
    if (kind < sizeof KINDS / sizeof *KINDS)
        fail_item(r, ASSAY_EUNSUPPORTED, "found %s, which the model does not take", KINDS[kind]);
    else fail_item(r, ASSAY_EUNSUPPORTED, "found kind %zu, which the model does not take", kind);
}

/* Fails for a tensor with another name than those of the kind, and for one that appears twice. */
static void check_names(reader *r)
{
    const char *const known[] = {r->names.pixels, r->names.grid, r->names.extra};
    bool seen[3] = {false};
    if (r->item->n_tensors && !r->item->tensors)
        fail_item(r, ASSAY_EINVAL, "tensors is NULL, expected %zu tensors", r->item->n_tensors);
    for (size_t t = 0; r->status == ASSAY_OK && t < r->item->n_tensors; t++) {
        const char *name = r->item->tensors[t].name ? r->item->tensors[t].name : "";
        size_t k = 0;
        while (k < 3 && !(known[k] && strcmp(name, known[k]) == 0)) k++;
        if (k == 3)
            fail_item(r, ASSAY_EUNSUPPORTED, "tensor '%s' is not supported, expected %s%s%s%s%s", name,
                      known[0], known[2] ? ", " : "", known[2] ? known[2] : "", known[1] ? " and " : "",
                      known[1] ? known[1] : "");
        else if (seen[k]) fail_item(r, ASSAY_EINVAL, "tensor '%s' is repeated", name);
        else seen[k] = true;
    }
}

/* The tensor, or NULL; its rank is in range, and its data are there. */
static const assay_tensor *find_tensor(reader *r, const char *name, bool required)
{
    for (size_t t = 0; r->status == ASSAY_OK && name && t < r->item->n_tensors; t++) {
        const assay_tensor *found = &r->item->tensors[t];
        if (strcmp(found->name, name) != 0) continue;
        if (found->rank > ASSAY_TENSOR_RANK_MAX)
            fail_item(r, ASSAY_EINVAL, "tensor '%s': found rank %zu, expected at most %u", name, found->rank,
                      ASSAY_TENSOR_RANK_MAX);
        else if (!found->data) fail_item(r, ASSAY_EINVAL, "tensor '%s': data is NULL", name);
        else return found;
        return NULL;
    }
    if (required) fail_item(r, ASSAY_EINVAL, "tensor '%s' is missing", name);
    return NULL;
}

/* Takes over the error of a part of the item. */
static void take_status(reader *r, assay_status rc, const assay_error *err)
{
    if (rc != ASSAY_OK) fail_item(r, rc, "%s", err->text);
}

static void fail_shape(reader *r, const assay_tensor *t, const char *expected)
{
    assay_error err = {0};
    take_status(r, item_shape_fail(t, expected, &err), &err);
}

static void check_integers(reader *r, const assay_tensor *t)
{
    assay_error err = {0};
    take_status(r, item_expect_integers(t, &err), &err);
}

static void read_grid(reader *r, item_content *out)
{
    const assay_tensor *t = find_tensor(r, r->names.grid, true);
    if (!t) return;
    check_integers(r, t);
    const bool is_row = t->rank == 2 && t->shape[0] == 1 && t->shape[1] == 3;
    if (!is_row && !(t->rank == 1 && t->shape[0] == 3)) fail_shape(r, t, "[1, 3] or [3]");
    for (size_t d = 0; r->status == ASSAY_OK && d < 3; d++) {
        const int64_t side = dtype_integer(t, d);
        if (side < 1 || side > INT32_MAX)
            fail_item(r, ASSAY_EINVAL, "tensor '%s': [%zu]: found %lld, expected 1 to %d", t->name, d,
                      (long long)side, INT32_MAX);
        out->grid[d] = (size_t)side;
    }
}

/* Patches row by row, from (0, 0) on, then padding. Sets *n_given to the number of places, padding
 * included. */
static void read_places(reader *r, item_content *out, size_t *n_given)
{
    const assay_tensor *t = find_tensor(r, r->names.grid, true);
    if (!t) return;
    check_integers(r, t);
    const bool is_batch = t->rank == 3 && t->shape[0] == 1;
    if ((!is_batch && t->rank != 2) || t->shape[t->rank - 1] != 2) fail_shape(r, t, "[n, 2] or [1, n, 2]");
    if (r->status != ASSAY_OK) return;
    size_t n = *n_given = t->shape[t->rank - 2], width = 0;
    while (n > 0 && dtype_integer(t, 2 * n - 2) == -1 && dtype_integer(t, 2 * n - 1) == -1) n--;
    while (width < n && dtype_integer(t, 2 * width + 1) == 0) width++;
    for (size_t i = 0; r->status == ASSAY_OK && i < n; i++) {
        const int64_t x = dtype_integer(t, 2 * i), y = dtype_integer(t, 2 * i + 1);
        if (width == 0 || x != (int64_t)(i % width) || y != (int64_t)(i / width))
            fail_item(r, ASSAY_EUNSUPPORTED,
                      "tensor '%s': [%zu]: found (%lld, %lld), expected (%zu, %zu): the patches row by row",
                      t->name, i, (long long)x, (long long)y, width ? i % width : 0, width ? i / width : 0);
    }
    const size_t pool = r->tower->pooling.side * r->tower->pooling.side;
    if (r->status == ASSAY_OK && *n_given % pool != 0) /* published code raises */
        fail_item(r, ASSAY_EINVAL,
                  "tensor '%s': found %zu places, padding included, expected a multiple of %zu", t->name,
                  *n_given, pool);
    if (r->status == ASSAY_OK && n == 0)
        fail_item(r, ASSAY_EINVAL, "tensor '%s': found no place of a patch, expected at least one", t->name);
    else if (r->status == ASSAY_OK && n % width != 0)
        fail_item(r, ASSAY_EUNSUPPORTED, "tensor '%s': found a last row of %zu patches, expected %zu",
                  t->name, n % width, width);
    if (r->status != ASSAY_OK) return;
    out->grid[0] = 1;
    out->grid[1] = n / width;
    out->grid[2] = width;
}

/* The grid of an image of a convolutional tower. */
static void read_size(reader *r, bool needs_pixels, item_content *out)
{
    assay_error err = {0};
    const assay_tensor *t = find_tensor(r, r->names.pixels, needs_pixels);
    take_status(r, item_size_read(r->tower, t, out, &err), &err);
}

static void read_crops(reader *r, item_content *out)
{
    assay_error err = {0};
    const assay_tensor *layout = find_tensor(r, r->names.extra, true);
    if (layout) take_status(r, item_crops_read(r->tower, r->names.grid, layout, out, &err), &err);
}

/* Checks that the tower can divide the grid, and counts its patches. */
static void check_grid(reader *r, item_content *out)
{
    static const char *const SIDES[] = {"frames", "rows", "columns"};
    const plan_tower *tower = r->tower;
    const size_t block = plan_tower_block(tower);
    const size_t most = tower->table.kind == PLAN_TABLE_AXES ? tower->table.side : INT32_MAX;
    for (size_t d = 1; r->status == ASSAY_OK && d < 3; d++) {
        if (out->grid[d] % block != 0)
            fail_item(r, ASSAY_EINVAL, "tensor '%s': found %zu %s, expected a multiple of %zu", r->names.grid,
                      out->grid[d], SIDES[d], block);
        if (out->grid[d] > most)
            fail_item(r, ASSAY_EINVAL, "tensor '%s': found %zu %s, expected at most %zu, the table's side",
                      r->names.grid, out->grid[d], SIDES[d], most);
    }
    size_t n = 0;
    if (r->status == ASSAY_OK && (__builtin_mul_overflow(out->grid[0], out->grid[1], &n) ||
                                  __builtin_mul_overflow(n, out->grid[2], &n) || n > INT32_MAX))
        fail_item(r, ASSAY_EINVAL, "tensor '%s': found %zu x %zu x %zu patches, expected at most %d in all",
                  r->names.grid ? r->names.grid : r->names.pixels, out->grid[0], out->grid[1], out->grid[2],
                  INT32_MAX);
    out->n_patches = n;
    out->n_tokens = plan_tower_tokens(tower, out->grid) + tower->n_leading;
    out->n_rows = plan_tower_rows(tower, out->grid);
}

/* The pixels are [n_rows, width], with rows `pitch` apart. */
static void check_finite(reader *r, const item_content *c, size_t n_rows, size_t width, size_t pitch)
{
    item_infinite found;
    if (item_find_infinite(c, n_rows, width, pitch, &found))
        fail_item(r, ASSAY_EINVAL, "tensor '%s': [%zu, %zu]: found %g, expected a finite number",
                  r->names.pixels, found.row, found.column, found.value);
}

/* Whether each row is an image of its own, as PaddleOCR-VL's processor gives them. */
static bool are_squares(const assay_tensor *t, size_t n_rows, const plan_patches *patches)
{
    return t->rank == 4 && t->shape[0] == n_rows && t->shape[1] == patches->channels * patches->frames &&
           t->shape[2] == patches->size && t->shape[3] == patches->size;
}

/* n_rows: those that the tensor must have. */
static void read_pixels(reader *r, bool required, size_t n_rows, item_content *out)
{
    char expected[160];
    const plan_patches *patches = &r->tower->patches;
    const size_t width = plan_patches_width(patches);
    const assay_tensor *t = find_tensor(r, r->names.pixels, required);
    if (!t) return;
    if (!dtype_is_float(t->dtype))
        fail_item(r, ASSAY_EUNSUPPORTED, "tensor '%s': found type %s, expected F64, F32, F16 or BF16",
                  t->name, dtype_name(t->dtype));
    const bool is_batch = r->tower->takes_places && t->rank == 3 && t->shape[0] == 1;
    if (r->tower->takes_places) (void)snprintf(expected, sizeof expected, "[%zu, %zu]", n_rows, width);
    else
        (void)snprintf(expected, sizeof expected, "[%zu, %zu] or [%zu, %zu, %zu, %zu]", n_rows, width, n_rows,
                       patches->channels * patches->frames, patches->size, patches->size);
    const bool are_rows =
        (is_batch || t->rank == 2) && t->shape[t->rank - 2] == n_rows && t->shape[t->rank - 1] == width;
    if (r->tower->kind != PLAN_TOWER_CONV && !are_rows &&
        (r->tower->takes_places || !are_squares(t, n_rows, patches)))
        fail_shape(r, t, expected);
    if (r->status != ASSAY_OK) return;
    out->pixels = t->data;
    out->dtype = t->dtype;
    check_finite(r, out, out->n_patches, width, width);
}

/* Sets the grid and the ratio of an image of tiles and, if it has them, its pixels. */
static void read_tiles(reader *r, bool required, item_content *out)
{
    assay_error err = {0};
    item_tiles given = {.ratio = find_tensor(r, r->names.grid, true)};
    given.mask = find_tensor(r, r->names.extra, false);
    given.pixels = find_tensor(r, r->names.pixels, required);
    if (r->status != ASSAY_OK) return;
    assay_status rc = item_tiles_ratio(r->tower, &given, out, &err);
    if (rc == ASSAY_OK) rc = item_tiles_pixels(r->tower, &given, out, &err);
    take_status(r, rc, &err);
}

/* Images of several frames have a second for each. */
static bool has_time(const reader *r)
{
    return r->status == ASSAY_OK &&
           (r->tower->spans_time || (r->item->kind == ASSAY_ITEM_VIDEO && r->names.extra));
}

static void read_time(reader *r, item_content *out)
{
    assay_error err = {0};
    const assay_tensor *t = find_tensor(r, r->names.extra, r->tower->spans_time && r->names.extra);
    if (r->status == ASSAY_OK) take_status(r, item_time_read(r->tower, t, out, &err), &err);
}

/* The frames that the mask keeps: ones before zeros. Sets the audio clip's frames, pitch and rows. */
static void read_frames(reader *r, item_content *out)
{
    const assay_tensor *t = find_tensor(r, r->names.grid, true);
    if (!t) return;
    check_integers(r, t);
    if (t->rank != 1 && !(t->rank == 2 && t->shape[0] == 1)) fail_shape(r, t, "[1, n] or [n]");
    if (r->status != ASSAY_OK) return;
    const size_t n = t->shape[t->rank - 1];
    size_t n_kept = 0;
    for (size_t i = 0; r->status == ASSAY_OK && i < n; i++) {
        const int64_t kept = dtype_integer(t, i);
        if (kept != 0 && kept != 1)
            fail_item(r, ASSAY_EINVAL, "tensor '%s': [%zu]: found %lld, expected 0 or 1", t->name, i,
                      (long long)kept);
        else if (kept == 1 && n_kept != i)
            fail_item(r, ASSAY_EUNSUPPORTED,
                      "tensor '%s': [%zu]: found a frame after padding, expected all frames first", t->name,
                      i);
        n_kept += kept == 1;
    }
    if (r->status == ASSAY_OK && (n_kept == 0 || n_kept > INT32_MAX))
        fail_item(r, ASSAY_EINVAL, "tensor '%s': found %zu frames, expected 1 to %d", t->name, n_kept,
                  INT32_MAX);
    if (r->status != ASSAY_OK) return;
    out->n_frames = n_kept;
    out->pitch = n;
    out->grid[0] = out->grid[1] = 1;
    out->grid[2] = out->n_patches = out->n_tokens = out->n_rows = plan_audio_rows(&r->tower->audio, n_kept);
}

static void read_spectrogram(reader *r, bool required, item_content *out)
{
    char expected[96];
    const size_t n_bins = r->tower->audio.n_bins;
    const assay_tensor *t = find_tensor(r, r->names.pixels, required);
    if (!t) return;
    if (!dtype_is_float(t->dtype))
        fail_item(r, ASSAY_EUNSUPPORTED, "tensor '%s': found type %s, expected F64, F32, F16 or BF16",
                  t->name, dtype_name(t->dtype));
    (void)snprintf(expected, sizeof expected, "[1, %zu, %zu] or [%zu, %zu]", n_bins, out->pitch, n_bins,
                   out->pitch);
    const bool is_one = t->rank == 2 || (t->rank == 3 && t->shape[0] == 1);
    if (!is_one || t->shape[t->rank - 2] != n_bins || t->shape[t->rank - 1] != out->pitch)
        fail_shape(r, t, expected);
    if (r->status != ASSAY_OK) return;
    out->pixels = t->data;
    out->dtype = t->dtype;
    check_finite(r, out, n_bins, out->n_frames, out->pitch);
}

static void check_span(reader *r, const item_content *c)
{
    const assay_item *item = r->item;
    if (r->tower->kind == PLAN_TOWER_AUDIO && item->n_tokens != 0 && item->n_tokens != c->n_tokens)
        fail_item(r, ASSAY_EINVAL, "found n_tokens %zu, expected %zu, those of %zu frames", item->n_tokens,
                  c->n_tokens, c->n_frames);
    else if (item->n_tokens == 0 && item->offset != 0)
        fail_item(r, ASSAY_EINVAL, "found offset %zu without n_tokens, expected 0", item->offset);
    else if (item->n_tokens != 0 && item->n_tokens != c->n_tokens && c->ratio)
        fail_item(r, ASSAY_EINVAL, "found n_tokens %zu, expected %zu", item->n_tokens, c->n_tokens);
    else if (item->n_tokens != 0 && item->n_tokens != c->n_tokens)
        fail_item(r, ASSAY_EINVAL, "found n_tokens %zu, expected %zu, as its grid %zu x %zu x %zu has them",
                  item->n_tokens, c->n_tokens, c->grid[0], c->grid[1], c->grid[2]);
}

assay_status item_read(const plan *p, const assay_step *step, size_t index, bool needs_pixels,
                       item_content *out, assay_error *err)
{
    reader r = {
        .tower = &p->vision, .sample = step->sample, .index = index, .item = &step->items[index], .err = err};
    size_t n_rows = 0;
    read_kind(&r, p);
    const size_t width = plan_patches_width(&r.tower->patches);
    *out = (item_content){.interval = 1, .tower = r.tower};
    if (r.status == ASSAY_OK) check_names(&r);
    if (r.status != ASSAY_OK) return r.status;
    if (r.tower->kind == PLAN_TOWER_AUDIO) {
        read_frames(&r, out);
        if (r.status == ASSAY_OK) read_spectrogram(&r, needs_pixels, out);
        check_span(&r, out);
        return r.status;
    }
    if (r.tower->kind == PLAN_TOWER_TILES) read_tiles(&r, needs_pixels, out);
    else if (r.tower->kind == PLAN_TOWER_CONV) read_size(&r, needs_pixels, out);
    else if (r.tower->takes_places) read_places(&r, out, &n_rows);
    else read_grid(&r, out);
    if (r.status == ASSAY_OK && r.tower->kind == PLAN_TOWER_CROPS) read_crops(&r, out);
    if (r.status == ASSAY_OK) check_grid(&r, out);
    if (r.status != ASSAY_OK) return r.status;
    if (r.tower->kind != PLAN_TOWER_TILES)
        read_pixels(&r, needs_pixels, r.tower->takes_places ? n_rows : out->n_patches, out);
    else if (out->pixels) check_finite(&r, out, out->n_patches, width, width);
    if (has_time(&r)) read_time(&r, out);
    check_span(&r, out);
    return r.status;
}
