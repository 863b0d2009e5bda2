/* A tokenizer.json in the format of Hugging Face's tokenizers: text to ids and ids to text.
 *
 * Both directions give the same result as tokenizers 0.23.3. A file that uses a feature that is not
 * implemented is refused; the error names the member.
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

/* Opens the tokenizer.json of a checkpoint, a directory or a GGUF file (gguf/document.h): untrusted input, of
 * at most 64 MiB (JSON_SIZE_MAX). Tokens, merges, prefixes and scores have no limit of their own. The other
 * limits bound memory that a small file could demand: each member beside model.vocab and model.merges: 16 MiB
 * and 2^20 values steps of the normalizer, of the pre_tokenizer and of the decoder: 64 each, since each holds
 * a text repetitions of the text in a template: 16; ids that post_processor or padding adds: 2^24 growth of a
 * text: tokenizer/text/writer.h; memory and steps of an expression: tokenizer/text/pattern.c Encoding n bytes
 * takes O(n L) time for a longest token of L bytes, as published. The caller owns *out. ASSAY_EIO;
 * ASSAY_EFORMAT; ASSAY_EUNSUPPORTED; ASSAY_ENOMEM. */
assay_status tokenizer_open(const char *checkpoint, tokenizer **out, assay_error *err);
void tokenizer_free(tokenizer *t);

/* The id of the token with this text, added tokens first; -1 if there is none. */
int32_t tokenizer_id_of(const tokenizer *t, const char *text, size_t n);

/* The text of an id as decoders see it, *n bytes, not terminated, borrowed; NULL if the id has no
 * token. */
const char *tokenizer_text_of(const tokenizer *t, int32_t id, size_t *n);

/* Whether decoding with skip_special omits this id. */
bool tokenizer_is_special(const tokenizer *t, int32_t id);

/* Prefixes the error text of a stage with the path of the file. Returns status. err may be NULL. */
assay_status tokenizer_fail_in(const tokenizer *t, assay_status status, assay_error *err);

#endif
