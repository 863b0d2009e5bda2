/* The texts of a checkpoint's tokens: from ids to bytes, and back from what servers write for a token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TRUTH_VOCAB_H
#define CONFORMANCE_PROBE_TRUTH_VOCAB_H

#include <assay/serving.h>

#include "base/buffer.h"

typedef struct probe_vocab probe_vocab;

/* Opens the tokenizer of the checkpoint `dir`; n_tokens: rows of its embedding. Fails as tokenizer_open
 * does. */
assay_status probe_vocab_open(const char *dir, size_t n_tokens, probe_vocab **out, assay_error *err);
void probe_vocab_free(probe_vocab *vocab);

const assay_tokenizer *probe_vocab_tokenizer(const probe_vocab *vocab);
size_t probe_vocab_size(const probe_vocab *vocab);

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

/* Whether the text of a token alone is no UTF-8: part of a character, for which U+FFFD stands. */
bool probe_vocab_is_part(const probe_vocab *vocab, int32_t id);

#endif
