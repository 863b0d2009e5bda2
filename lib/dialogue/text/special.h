/* Removes special tokens that a model has written into its answer, so that no client sees them.
 *
 * The tokens are those that the published server removes from content (vllm-mlx 0.6.0, api/utils.py): ends
 * and headers of turns of several families. One pass: a token that only appears when another one is removed
 * from within it stays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TEXT_SPECIAL_H
#define DIALOGUE_TEXT_SPECIAL_H

#include <assay/serving.h>

#include <stdbool.h>

/* Text that may become a token; zeroed at the beginning. */
typedef struct serve_special {
    char held[24];
    size_t n;
    bool letters; /* after a token that following letters belong to */
} serve_special;

/* Passes text without its special tokens to take, never an empty piece. */
void serve_special_feed(serve_special *s, assay_text text, void (*take)(void *context, assay_text piece),
                        void *context);

/* Passes on what is held; s is reset. */
void serve_special_end(serve_special *s, void (*take)(void *context, assay_text piece), void *context);

#endif
