/* The post_processor of a tokenizer.json, its truncation and its padding: what goes around the ids of a text.
 *
 * Of one text nothing more comes of them than ids before and behind, and how many there may be. Implemented
 * are BertProcessing, ByteLevel (which changes no id), RobertaProcessing, Sequence (with one of those that
 * add ids) and TemplateProcessing, as tokenizers 0.23.3 has them.
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

/* Reads the three members of f. The caller owns *out. */
assay_status tokenizer_post_open(const tokenizer_file *f, tokenizer_post **out, assay_error *err);
void tokenizer_post_free(tokenizer_post *p);

/* Appends to out what becomes of ids[0..n). False if out of memory. */
bool tokenizer_post_run(const tokenizer_post *p, const tokenizer_ids *ids, bool add_special,
                        tokenizer_ids *out);

#endif
