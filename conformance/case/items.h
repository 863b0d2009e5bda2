/* The inputs of a case besides tokens, divided among its samples: each image, video, audio clip or embedding
 * as an item of the ABI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_ITEMS_H
#define CONFORMANCE_CASE_ITEMS_H

#include "conformance/case/case.h"

/* The placeholder tokens of an item, from the first to the last: indices in the prompt of its sample. Tokens
 * of other kinds may lie between them. end 0: not known. */
typedef struct conf_span {
    size_t first, end;
} conf_span;

/* items: those of all samples, one sample after the other. of: [n_samples + 1]: the first item of each. */
typedef struct conf_items {
    assay_item *items;
    conf_span *spans;      /* of each item; unknown at first */
    assay_tensor *tensors; /* [n_tensors], of all items; the data are the case's */
    size_t n_tensors;
    size_t *of;
    bool undivided; /* schedules give prompts with items in one step, although their spans are known: an
                       engine has refused to divide one */
} conf_items;

/* Divides the inputs of `of` among the samples. Images belong to the samples that image_sample names, of
 * which every other image tensor has a row each or, with image_grid_thw, t * h * w rows each; videos likewise
 * to those of video_sample, with video_grid_thw, and audio clips to those of audio_sample; other inputs have
 * one row a sample. Inputs of a case with a single sample and without such a list are one item of a kind.
 * path: for messages. Fails with ASSAY_EFORMAT if the inputs cannot be divided, or with ASSAY_ENOMEM.
 * conf_items_free frees *out. */
assay_status conf_items_divide(const char *path, const conf_decoder *of, conf_items *out, assay_error *err);
void conf_items_free(conf_items *items);

/* The items of a sample; *n is their number. */
const assay_item *conf_items_of(const conf_items *items, size_t sample, size_t *n);

/* The spans of the items of a sample, which conf_spans_find has found; NULL if it has no items, or their
 * spans are unknown. */
const conf_span *conf_items_spans(const conf_items *items, size_t sample);

/* The items that come with the n tokens from `from` on of a sample: those with their first placeholder token
 * among them; if the spans are unknown, all with the first token. out: as many as the sample has items.
 * Returns how many there are. */
size_t conf_items_select(const conf_items *items, size_t sample, size_t from, size_t n, assay_item *out);

#endif
