/* A tokenizer.json as Hugging Face's tokenizers publishes and reads it: ids of text, and text of ids.
 *
 * What tokenizers 0.23.3 makes of a text is what comes out here, id by id, and so for the text of ids.
 * Whatever a file asks for that is not implemented is refused by the name of its place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TOKENIZER_H
#define TOKENIZER_TOKENIZER_H

#include <assay/status.h>

#include "base/buffer.h"
#include "tokenizer/models/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Immutable once opened: any thread may use it at any time. */
typedef struct tokenizer tokenizer;

/* Opens DIR/tokenizer.json. The caller owns *out. ASSAY_EIO; ASSAY_EFORMAT; ASSAY_EUNSUPPORTED. */
assay_status tokenizer_open(const char *dir, tokenizer **out, assay_error *err);
void tokenizer_free(tokenizer *t);

/* The id of a token by its text, added tokens first; -1 where there is none. */
int32_t tokenizer_id_of(const tokenizer *t, const char *text, size_t n);

/* The text of an id as decoders see it, not terminated, borrowed; NULL where the id means nothing. */
const char *tokenizer_text_of(const tokenizer *t, int32_t id, size_t *n);

/* Whether decoding leaves it out where special tokens are skipped. */
bool tokenizer_is_special(const tokenizer *t, int32_t id);

/* Gives a failure of a part, which knows no file, the file's name. */
assay_status tokenizer_fail_in(const tokenizer *t, assay_status status, assay_error *err);

#endif
