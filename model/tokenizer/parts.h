/* What a tokenizer is made of; for tokenizer, tokenizer_encode and detokenizer alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_TOKENIZER_PARTS_H
#define MODEL_TOKENIZER_PARTS_H

#include "model/tokenizer.h"
#include "model/tokenizer/added.h"
#include "model/tokenizer/decoder.h"
#include "model/tokenizer/model.h"
#include "model/tokenizer/normalizer.h"
#include "model/tokenizer/post.h"
#include "model/tokenizer/pretokenizer.h"

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
