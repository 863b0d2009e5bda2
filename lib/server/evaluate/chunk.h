/* How a prompt is divided into steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_EVALUATE_CHUNK_H
#define SERVER_EVALUATE_CHUNK_H

#include "server/request/request.h"

/* The number of tokens of a prompt, from token n_done < n_tokens on, that come in the next step: at most
 * n_most, but never a part of the span of an item, so that more than n_most come if an item begins at n_done.
 * 0: an item begins there whose span is longer than n_most, and may_exceed is false. whole: the prompt is not
 * divided; with n_done 0 it is all or nothing in the same way. Items without a span (n_tokens 0) are not
 * divided from the tokens before the end of the prompt. n_most > 0. */
size_t server_chunk_length(const server_prompt *prompt, size_t n_done, size_t n_most, bool whole,
                           bool may_exceed);

/* The items that begin within the n tokens from n_done on; *first: the index of the first of them. */
size_t server_chunk_items(const server_prompt *prompt, size_t n_done, size_t n, size_t *first);

#endif
