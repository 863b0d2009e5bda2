/* The post_processor of a tokenizer.json, its truncation and its padding: the ids added around a text.
 *
 * Only single texts are supported, not pairs: special tokens before and after the text, a maximum
 * length, and padding. Implemented are BertProcessing, ByteLevel (which changes no id),
 * RobertaProcessing, Sequence (with at most one processor that adds ids) and TemplateProcessing, as
 * tokenizers 0.23.3 has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_POST_H
#define TOKENIZER_POST_H

#include <assay/status.h>

#include "tokenizer/models/ids.h"
#include "tokenizer/text/file.h"

#include <stdbool.h>

/* Immutable once opened. */
typedef struct tokenizer_post tokenizer_post;

/* Reads the members post_processor, truncation and padding of f. The caller owns *out. */
assay_status tokenizer_post_open(const tokenizer_file *f, tokenizer_post **out, assay_error *err);
void tokenizer_post_free(tokenizer_post *p);

/* Truncates ids, adds special tokens if add_special, pads, and appends the result to out. False if out
 * of memory. */
bool tokenizer_post_run(const tokenizer_post *p, const tokenizer_ids *ids, bool add_special,
                        tokenizer_ids *out);

#endif
