/* The tokenizer behind the serving ABI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOKENIZING_H
#define DIALOGUE_TOKENIZING_H

#include <assay/serving.h>

/* Members of assay_serving. */
assay_status serve_tokenizer_open(const char *dir, assay_tokenizer **out, assay_error *err);
void serve_tokenizer_free(assay_tokenizer *tokenizer);
assay_status serve_encode(const assay_tokenizer *tokenizer, const char *text, size_t n, bool add_special,
                          int32_t *ids, size_t capacity, size_t *n_ids, assay_error *err);
assay_status serve_decode(const assay_tokenizer *tokenizer, const int32_t *ids, size_t n, bool skip_special,
                          char *text, size_t capacity, size_t *n_text, assay_error *err);
assay_status serve_detokenizer_open(const assay_tokenizer *tokenizer, bool skip_special,
                                    assay_detokenizer **out, assay_error *err);
assay_status serve_detokenizer_push(assay_detokenizer *detokenizer, int32_t id, const assay_sink *sink,
                                    assay_error *err);
assay_status serve_detokenizer_end(assay_detokenizer *detokenizer, const assay_sink *sink, assay_error *err);
void serve_detokenizer_free(assay_detokenizer *detokenizer);

#endif
