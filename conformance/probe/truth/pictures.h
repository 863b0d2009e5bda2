/* Two pictures for one text: prompts with the same tokens, of which the truth gives different answers.
 *
 * They are those of conversations.jsonl beside the cases, which has a line for each picture, as
 * scripts/record/e2e writes it: image (a PNG file beside it), text, prompt, prompt_tokens, max_tokens, ids,
 * margin, noise. Lines without an image are passed over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_PICTURES_H
#define CONFORMANCE_PROBE_TRUTH_PICTURES_H

#include "conformance/probe/truth/vocab.h"

/* A picture, and what the truth answers. name: of its file; base64: its bytes; answer: the text of the greedy
 * tokens. Owned. */
typedef struct probe_picture {
    char *name;
    buffer base64, answer;
} probe_picture;

/* why: why there is no pair; "" if there is one. text: what is asked of each, after the picture; owned.
 * n_prompt, n_answer: tokens of the prompt, and the most of an answer. */
typedef struct probe_pictures {
    char why[192];
    char *text;
    size_t n_prompt, n_answer;
    probe_picture of[2];
} probe_pictures;

/* Reads the first pair of the directory of the cases whose margins exceed twice the bound of a run, 4 times
 * its noise. noise: the name of that run, "float32"; NULL: none of the claimed type is recorded. Fails as
 * file_read and json_parse do, with ASSAY_EFORMAT for members of other types, or with ASSAY_ENOMEM. Free *out
 * with probe_pictures_free, also after a failure. */
assay_status probe_pictures_read(const char *dir, const char *noise, const probe_vocab *vocab,
                                 probe_pictures *out, assay_error *err);
void probe_pictures_free(probe_pictures *pictures);

#endif
