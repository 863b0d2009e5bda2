/* Which images a token sees where layers attend to images (plan.h, PLAN_MIXER_CROSS).
 *
 * As transformers' MllamaProcessor makes its mask (processing_mllama.py, get_cross_attention_token_mask);
 * while a sample is continued, its tokens see what the last token of the prompt sees.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_INPUTS_SEEN_H
#define MODEL_INPUTS_SEEN_H

#include "model/inputs/media_list.h"

/* Images first … end - 1 of a list; first == end: the token comes before the first image. */
typedef struct media_seen {
    size_t first, end;
} media_seen;

/* Those that the token with index `token` sees. */
media_seen media_list_seen(const media_list *list, size_t token);

#endif
