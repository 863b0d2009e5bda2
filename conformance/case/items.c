/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/items.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"

/* One kind of input while it is divided. */
typedef struct division {
    const char *path;
    const conf_decoder *d;
    assay_item_kind kind;
    size_t n_items;
    const int32_t *sample; /* [n_items], or NULL: item i belongs to sample i */
    const int32_t *grid;   /* [n_items, 3], or NULL */
} division;

/* By the names that published processors use. */
static assay_item_kind kind_of(const char *name)
{
    if (string_begins_with(name, "pixel_values_videos") || string_begins_with(name, "video_") ||
        string_begins_with(name, "second_per_grid"))
        return ASSAY_ITEM_VIDEO;
    if (string_begins_with(name, "input_features") || string_begins_with(name, "feature_attention_mask") ||
        string_begins_with(name, "audio_"))
        return ASSAY_ITEM_AUDIO;
    if (string_begins_with(name, "inputs_embeds")) return ASSAY_ITEM_EMBEDDING;
    return ASSAY_ITEM_IMAGE;
}

static size_t rows_of(const assay_tensor *t)
{
    return t->rank ? t->shape[0] : 1;
}

/* Rows of item i in a tensor with one row an item, or those of its grid; of all items if i is n_items. */
static size_t item_rows(const division *v, const assay_tensor *t, size_t i)
{
    if (rows_of(t) == v->n_items || !v->grid) return i < v->n_items ? 1 : v->n_items;
    size_t n = 0;
    for (size_t k = i < v->n_items ? i : 0; k < (i < v->n_items ? i + 1 : v->n_items); k++)
        n += (size_t)v->grid[3 * k] * (size_t)v->grid[3 * k + 1] * (size_t)v->grid[3 * k + 2];
    return n;
}

/* Whether an item takes the whole tensor: the only item of its kind. */
static bool takes_all(const division *v)
{
    return v->n_items == 1 && !v->sample;
}

static assay_status check_tensor(const division *v, const assay_tensor *t, assay_error *err)
{
    if (takes_all(v)) return ASSAY_OK;
    const size_t wanted = item_rows(v, t, v->n_items);
    if (rows_of(t) == wanted) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: /input/%s has %zu rows, expected %zu: %s", v->path, t->name,
                      rows_of(t), wanted,
                      !v->sample                    ? "one for each sample"
                      : v->kind == ASSAY_ITEM_AUDIO ? "one for each audio clip of audio_sample"
                      : v->kind == ASSAY_ITEM_IMAGE
                          ? "one for each image of image_sample, or t * h * w for each of image_grid_thw"
                          : "one for each video of video_sample, or t * h * w for each of video_grid_thw");
}

static const char *name_of(assay_item_kind kind)
{
    return kind == ASSAY_ITEM_IMAGE ? "image" : kind == ASSAY_ITEM_VIDEO ? "video" : "audio";
}

/* NULL: the case does not say to which samples the items of a kind belong. */
static const conf_array *samples_of(const conf_decoder *d, assay_item_kind kind)
{
    if (kind == ASSAY_ITEM_IMAGE && d->image_sample.rank) return &d->image_sample;
    if (kind == ASSAY_ITEM_AUDIO && d->audio_sample.rank) return &d->audio_sample;
    return kind == ASSAY_ITEM_VIDEO && d->video_sample.rank ? &d->video_sample : NULL;
}

static assay_status check_samples(const char *path, const conf_decoder *d, assay_item_kind kind,
                                  assay_error *err)
{
    const conf_array *a = samples_of(d, kind);
    if (!a) return ASSAY_OK;
    for (size_t i = 0; i < a->n; i++) {
        const int32_t sample = ((const int32_t *)a->data)[i];
        if (sample < 0 || (size_t)sample >= d->n_samples)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: /input/%s_sample: %s %zu has sample %" PRId32 ", expected 0 to %zu", path,
                              name_of(kind), name_of(kind), i, sample, d->n_samples - 1);
    }
    return ASSAY_OK;
}

static assay_status find_grid(division *v, assay_error *err)
{
    if (v->kind == ASSAY_ITEM_AUDIO) return ASSAY_OK;
    const char *kind = name_of(v->kind);
    const char *name = v->kind == ASSAY_ITEM_IMAGE ? "image_grid_thw" : "video_grid_thw";
    for (size_t i = 0; i < v->d->n_inputs; i++) {
        const assay_tensor *t = &v->d->inputs[i];
        if (strcmp(t->name, name) != 0) continue;
        if (t->dtype != ASSAY_I32 || t->rank != 2 || t->shape[0] != v->n_items || t->shape[1] != 3)
            return assay_fail(err, ASSAY_EFORMAT, "%s: /input/%s is not int32 [%zu, 3], as %s_sample has it",
                              v->path, name, v->n_items, kind);
        v->grid = t->data;
        for (size_t k = 0; k < 3 * v->n_items; k++)
            if (v->grid[k] < 1 || v->grid[k] > UINT16_MAX)
                return assay_fail(err, ASSAY_EFORMAT,
                                  "%s: /input/%s: %s %zu has %" PRId32 ", expected 1 to %d", v->path, name,
                                  kind, k / 3, v->grid[k], UINT16_MAX);
    }
    return ASSAY_OK;
}

/* Sets how many items of a kind there are, and to which samples they belong. */
static assay_status open_division(const char *path, const conf_decoder *d, assay_item_kind kind,
                                  division *out, assay_error *err)
{
    *out = (division){.path = path, .d = d, .kind = kind, .n_items = d->n_samples};
    const conf_array *samples = samples_of(d, kind);
    size_t n_tensors = 0;
    assay_status rc = ASSAY_OK;
    if (samples) {
        out->n_items = samples->n;
        out->sample = samples->data;
        rc = find_grid(out, err);
    }
    for (size_t i = 0; rc == ASSAY_OK && i < d->n_inputs; i++) {
        if (kind_of(d->inputs[i].name) != kind) continue;
        n_tensors++;
        rc = check_tensor(out, &d->inputs[i], err);
    }
    if (n_tensors == 0) out->n_items = 0;
    return rc;
}

/* Appends the tensors of item i of a kind at `at`; returns how many they are. */
static size_t add_tensors(const division *v, size_t i, assay_tensor *at)
{
    size_t n = 0;
    for (size_t k = 0; k < v->d->n_inputs; k++) {
        const assay_tensor *t = &v->d->inputs[k];
        if (kind_of(t->name) != v->kind) continue;
        at[n] = *t;
        if (!takes_all(v)) {
            size_t before = 0, row_bytes = dtype_size(t->dtype);
            for (size_t d = 1; d < t->rank; d++) row_bytes *= t->shape[d];
            for (size_t b = 0; b < i; b++) before += item_rows(v, t, b);
            at[n].shape[0] = item_rows(v, t, i);
            at[n].data = (const char *)t->data + before * row_bytes;
        }
        n++;
    }
    return n;
}

assay_status conf_items_divide(const char *path, const conf_decoder *of, conf_items *out, assay_error *err)
{
    const conf_decoder *d = of->whole ? of->whole : of;
    enum { N_KINDS = ASSAY_ITEM_EMBEDDING };
    division of_kind[N_KINDS];
    size_t n_items = 0;
    *out = (conf_items){0};
    assay_status rc = check_samples(path, d, ASSAY_ITEM_IMAGE, err);
    if (rc == ASSAY_OK) rc = check_samples(path, d, ASSAY_ITEM_VIDEO, err);
    if (rc == ASSAY_OK) rc = check_samples(path, d, ASSAY_ITEM_AUDIO, err);
    for (size_t k = 0; rc == ASSAY_OK && k < N_KINDS; k++) {
        rc = open_division(path, d, (assay_item_kind)(k + 1), &of_kind[k], err);
        n_items += of_kind[k].n_items;
    }
    if (rc != ASSAY_OK) return rc;
    out->items = calloc(n_items + 1, sizeof *out->items);
    out->spans = calloc(n_items + 1, sizeof *out->spans);
    out->tensors = calloc(n_items * d->n_inputs + 1, sizeof *out->tensors);
    out->of = calloc(d->n_samples + 1, sizeof *out->of);
    if (!out->items || !out->spans || !out->tensors || !out->of) {
        conf_items_free(out);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    size_t at = 0, tensor = 0;
    for (size_t b = 0; b < d->n_samples; b++) {
        out->of[b] = at;
        for (size_t k = 0; k < N_KINDS; k++)
            for (size_t i = 0; i < of_kind[k].n_items; i++) {
                const division *v = &of_kind[k];
                if ((v->sample ? (size_t)v->sample[i] : i) != b) continue;
                const size_t n = add_tensors(v, i, out->tensors + tensor);
                out->items[at++] =
                    (assay_item){.kind = v->kind, .tensors = out->tensors + tensor, .n_tensors = n};
                tensor += n;
            }
    }
    out->of[d->n_samples] = at;
    out->n_tensors = tensor;
    if (!of->whole) return ASSAY_OK;
    at = out->of[of->whole_sample + 1];
    out->of[0] = out->of[of->whole_sample];
    out->of[1] = at;
    return ASSAY_OK;
}

void conf_items_free(conf_items *items)
{
    free(items->items);
    free(items->spans);
    free(items->tensors);
    free(items->of);
    *items = (conf_items){0};
}

const assay_item *conf_items_of(const conf_items *items, size_t sample, size_t *n)
{
    *n = items->of[sample + 1] - items->of[sample];
    return items->items + items->of[sample];
}

const conf_span *conf_items_spans(const conf_items *items, size_t sample)
{
    const size_t first = items->of[sample];
    return first < items->of[sample + 1] && items->spans[first].end ? items->spans + first : NULL;
}

size_t conf_items_select(const conf_items *items, size_t sample, size_t from, size_t n, assay_item *out)
{
    size_t n_items, n_out = 0;
    const assay_item *all = conf_items_of(items, sample, &n_items);
    const conf_span *spans = items->spans + items->of[sample];
    for (size_t i = 0; i < n_items; i++)
        if (spans[i].first >= from && spans[i].first - from < n) out[n_out++] = all[i];
    return n_out;
}
