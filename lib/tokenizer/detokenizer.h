/* Incremental detokenisation: ids are pushed one at a time, and text is returned once later ids cannot
 * change it.
 *
 * A piece never ends within a character, and an incomplete UTF-8 sequence never becomes a U+FFFD while
 * it can still be completed. All pieces concatenated are the result of tokenizer_decode for all ids, so
 * text that a later id could change is held back (with the decoder ByteFallback: a run of byte tokens,
 * which is decoded as text only if the whole run is valid UTF-8).
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

/* Pushes an id. *text, *n bytes of valid UTF-8, is the text that became final, borrowed until the next
 * call. Fails as tokenizer_decode does. */
assay_status detokenizer_push(detokenizer *d, int32_t id, const char **text, size_t *n, assay_error *err);

/* Returns the remaining text in the same way. Afterwards d may only be freed. */
assay_status detokenizer_end(detokenizer *d, const char **text, size_t *n, assay_error *err);

/* Decodes ids[0..n) into *out, which is emptied first; the text is valid UTF-8. Ids without a token are
 * skipped, as in Hugging Face's tokenizers. ASSAY_EINVAL for a negative id; ASSAY_ENOMEM;
 * ASSAY_EUNSUPPORTED as for tokenizer_decoding_push. */
assay_status tokenizer_decode(const tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                              buffer *out, assay_error *err);

#endif
