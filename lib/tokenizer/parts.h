/* The stages of an open tokenizer, used only by tokenizer, encode and detokenizer.
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

struct tokenizer {
    char *path; /* of the file */
    tokenizer_normalizer *normalizer;
    tokenizer_pretokenizer *pretokenizer;
    tokenizer_model *model;
    tokenizer_added *added;
    tokenizer_post *post;
    tokenizer_decoder *decoder;
};

#endif
