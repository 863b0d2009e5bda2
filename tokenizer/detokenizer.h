/* Text of ids that come one at a time: what is certain comes out at once.
 *
 * Never half a character, and never a U+FFFD for bytes that are still to come. All pieces and the rest make
 * what tokenizer_decode makes of all ids: so what a later id could still change waits for it (with a decoder
 * ByteFallback, bytes in a row, which are a text only if all of them together are).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_DETOKENIZER_H
#define TOKENIZER_DETOKENIZER_H

#include <assay/status.h>

#include "tokenizer/tokenizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct detokenizer detokenizer;

/* t is borrowed until detokenizer_free. The caller owns *out. ASSAY_ENOMEM. */
assay_status detokenizer_open(const tokenizer *t, bool skip_special, detokenizer **out, assay_error *err);
void detokenizer_free(detokenizer *d);

/* Takes an id. *text, *n bytes, valid UTF-8, is what has become certain, borrowed until the next call.
 * Fails as tokenizer_decode does. */
assay_status detokenizer_push(detokenizer *d, int32_t id, const char **text, size_t *n, assay_error *err);

/* The rest. Then it may only be freed. */
assay_status detokenizer_end(detokenizer *d, const char **text, size_t *n, assay_error *err);

/* Decodes ids[0..n) and puts the text, valid UTF-8, into *out, which is emptied first. An id that means
 * nothing has no text, as published. ASSAY_EINVAL for a negative one; ASSAY_ENOMEM; ASSAY_EUNSUPPORTED as
 * above. */
assay_status tokenizer_decode(const tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                              buffer *out, assay_error *err);

#endif
