/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/write_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/case/prompt.h"
#include "conformance/reduce/cut/inputs.h"
#include "conformance/reduce/cut/rows.h"

/* The id that the case has before its shorter prompts; 0 if none is shorter. */
static int32_t padding_of(const conf_decoder *d)
{
    for (size_t b = 0; b < d->n_samples; b++)
        if (conf_prompt_padding(d, b)) return ((const int32_t *)d->tokens.data)[b * d->n_tokens];
    return 0;
}

static assay_status write_tokens(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w,
                                 assay_error *err)
{
    const size_t n_samples = conf_cut_samples(whole, cut), width = conf_cut_longest_prompt(whole, cut);
    const size_t n_decode = cut->n_decode;
    int32_t *tokens = calloc(n_samples * (width + n_decode + 1), sizeof *tokens);
    int32_t *sequence = calloc(whole->width, sizeof *sequence);
    if (!tokens || !sequence) {
        free(tokens);
        free(sequence);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    int32_t *decode = tokens + n_samples * width, *length = decode + n_samples * n_decode;
    for (size_t b = 0, to = 0; b < whole->c->decoder.n_samples; b++) {
        if (!cut->samples[b]) continue;
        const size_t n = conf_cut_tokens(whole, cut, b) - n_decode;
        int32_t *row = tokens + to * width;
        conf_cut_sequence(whole, cut, b, sequence);
        for (size_t i = 0; i < width - n; i++) row[i] = padding_of(&whole->c->decoder);
        memcpy(row + width - n, sequence, n * sizeof *row);
        memcpy(decode + to * n_decode, sequence + n, n_decode * sizeof *decode);
        length[to++] = (int32_t)n;
    }
    conf_h5_write_ids(w, "/input/tokens", 2, (size_t[]){n_samples, width}, tokens);
    conf_h5_write_ids(w, "/input/length", 1, &n_samples, length);
    if (n_decode) conf_h5_write_ids(w, "/input/decode", 2, (size_t[]){n_samples, n_decode}, decode);
    free(tokens);
    free(sequence);
    return ASSAY_OK;
}

/* Bytes of a tensor's data. */
static size_t bytes_of(const assay_tensor *t)
{
    size_t n = dtype_size(t->dtype);
    for (size_t i = 0; i < t->rank; i++) n *= t->shape[i];
    return n;
}

/* The tensor of that name of an item; NULL: it has none. */
static const assay_tensor *find_tensor(const assay_item *item, const char *name)
{
    for (size_t i = 0; i < item->n_tensors; i++)
        if (strcmp(item->tensors[i].name, name) == 0) return &item->tensors[i];
    return NULL;
}

/* Writes one member of /input: the rows of the kept items, one after the other. items: those of the cut. */
static assay_status write_member(const conf_whole *whole, const conf_cut *cut, const assay_item *items,
                                 const assay_tensor *member, conf_h5_writer *w, assay_error *err)
{
    assay_tensor out = *member;
    char *data = malloc(bytes_of(member) + 1), path[256];
    size_t n_bytes = 0, n_rows = 0, n_parts = 0;
    if (!data) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++)
        for (size_t i = whole->items.of[b]; i < whole->items.of[b + 1]; i++) {
            const assay_tensor *part = find_tensor(&items[i], member->name);
            if (!part || !conf_cut_has_item(whole, cut, b, i)) continue;
            memcpy(data + n_bytes, part->data, bytes_of(part));
            n_bytes += bytes_of(part);
            n_rows += part->rank ? part->shape[0] : 1;
            n_parts++;
        }
    out.data = data;
    if (out.rank) out.shape[0] = n_rows;
    (void)snprintf(path, sizeof path, "/input/%s", member->name);
    if (n_parts) conf_h5_write_tensor(w, path, &out);
    free(data);
    return ASSAY_OK;
}

/* Writes which sample each kept item of a kind belongs to, if the whole case says it. */
static assay_status write_samples(const conf_whole *whole, const conf_cut *cut, assay_item_kind kind,
                                  const conf_array *recorded, const char *name, conf_h5_writer *w,
                                  assay_error *err)
{
    size_t n = 0;
    if (!recorded->rank) return ASSAY_OK;
    int32_t *samples = calloc(recorded->n + 1, sizeof *samples);
    if (!samples) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++)
        for (size_t i = whole->items.of[b]; i < whole->items.of[b + 1]; i++)
            if (whole->items.items[i].kind == kind && conf_cut_has_item(whole, cut, b, i))
                samples[n++] = (int32_t)conf_cut_sample(cut, b);
    if (n) conf_h5_write_ids(w, name, 1, &n, samples);
    free(samples);
    return ASSAY_OK;
}

assay_status conf_cut_write_inputs(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w,
                                   assay_error *err)
{
    const conf_decoder *d = &whole->c->decoder;
    conf_cut_inputs inputs;
    assay_status rc = conf_cut_inputs_open(whole, cut, &inputs, err);
    if (rc == ASSAY_OK) rc = write_tokens(whole, cut, w, err);
    for (size_t i = 0; i < d->n_inputs && rc == ASSAY_OK; i++)
        rc = write_member(whole, cut, inputs.items, &d->inputs[i], w, err);
    if (rc == ASSAY_OK)
        rc = write_samples(whole, cut, ASSAY_ITEM_IMAGE, &d->image_sample, "/input/image_sample", w, err);
    if (rc == ASSAY_OK)
        rc = write_samples(whole, cut, ASSAY_ITEM_VIDEO, &d->video_sample, "/input/video_sample", w, err);
    if (rc == ASSAY_OK)
        rc = write_samples(whole, cut, ASSAY_ITEM_AUDIO, &d->audio_sample, "/input/audio_sample", w, err);
    conf_cut_inputs_free(&inputs);
    return rc;
}
