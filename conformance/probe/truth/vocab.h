/* The texts of a checkpoint's tokens: from ids to bytes, and back from what servers write for a token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_VOCAB_H
#define CONFORMANCE_PROBE_TRUTH_VOCAB_H

#include <assay/serving.h>

#include "base/buffer.h"

enum { PROBE_CHARACTER_MOST = 4 }; /* bytes of a character, and so tokens of one */

typedef struct probe_vocab probe_vocab;

/* Opens the tokenizer of the checkpoint `dir`; n_tokens: rows of its embedding. Fails as tokenizer_open
 * does. */
assay_status probe_vocab_open(const char *dir, size_t n_tokens, probe_vocab **out, assay_error *err);
void probe_vocab_free(probe_vocab *vocab);

const assay_tokenizer *probe_vocab_tokenizer(const probe_vocab *vocab);

/* Appends the text of ids [n], special tokens included unless `skip_special`. */
assay_status probe_vocab_decode(const probe_vocab *vocab, const int32_t *ids, size_t n, bool skip_special,
                                buffer *out, assay_error *err);

/* The ids of a text; the caller frees *ids. */
assay_status probe_vocab_encode(const probe_vocab *vocab, assay_text text, bool add_special, int32_t **ids,
                                size_t *n, assay_error *err);

/* The ids whose text this is: as the tokenizer decodes the token alone, as it decodes it after another token
 * (with its leading blank), or as tokenizer.json spells it. Texts with U+FFFD, which many tokens share, have
 * none. ids: [*n], borrowed, *n 0 if there is none. */
void probe_vocab_find(const probe_vocab *vocab, assay_text text, const int32_t **ids, size_t *n);

/* The token that ends a character which `before` [n] begins, where servers give the whole character as its
 * text; -1: none. */
int32_t probe_vocab_find_joined(const probe_vocab *vocab, const int32_t *before, size_t n, assay_text text);

/* Whether many tokens have the text of this one: part of a character, for which U+FFFD stands; or U+0000,
 * which is lost as the name of a member. */
bool probe_vocab_is_part(const probe_vocab *vocab, int32_t id);

/* Whether the token has no text: a row of the embedding that the tokenizer does not know. */
bool probe_vocab_is_silent(const probe_vocab *vocab, int32_t id);

#endif
