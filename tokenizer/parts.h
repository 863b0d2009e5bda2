/* What a tokenizer is made of; for tokenizer, tokenizer_encode and detokenizer alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_PARTS_H
#define TOKENIZER_PARTS_H

#include "tokenizer/added.h"
#include "tokenizer/decoder.h"
#include "tokenizer/models/model.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/tokenizer.h"

struct tokenizer {
    char *path; /* of the file */
    tokenizer_normalizer *normalizer;
    tokenizer_pretokenizer *pretokenizer;
    tokenizer_model *model;
    tokenizer_added *added;
    tokenizer_post *post;
    tokenizer_decoder *decoder;
};

/* Gives a failure of a part, which knows no file, the file's name. */
assay_status tokenizer_fail_in(const tokenizer *t, assay_status status, assay_error *err);

#endif
