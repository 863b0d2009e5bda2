/* Special tokens that a model has let slip into what it says: no client is shown them.
 *
 * Which they are is what the published server takes out of content (vllm-mlx 0.6.0, api/utils.py): ends and
 * headers of turns of several families. Once: what is left of a token inside of a token stays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TEXT_SPECIAL_H
#define SERVING_TEXT_SPECIAL_H

#include <assay/serving.h>

#include <stdbool.h>

/* Text of which it is not known yet whether it is a token; zeroed at the beginning. */
typedef struct serve_special {
    char held[24];
    size_t n;
    bool letters; /* behind a token that letters belong to */
} serve_special;

/* Hands the text out without its special tokens: take is not called with empty pieces. */
void serve_special_feed(serve_special *s, assay_text text, void (*take)(void *context, assay_text piece),
                        void *context);

/* Hands out what is held back; then s is as new. */
void serve_special_end(serve_special *s, void (*take)(void *context, assay_text piece), void *context);

#endif
