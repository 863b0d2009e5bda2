/* Encoders that are kept from one text to the next: opening one costs more than a short text does.
 *
 * Any number of threads takes and gives at once, without waiting for each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_ENCODERS_H
#define SERVING_ENCODERS_H

#include "tokenizer/encode.h"
#include "tokenizer/tokenizer.h"

#define SERVE_ENCODERS_KEPT 8                  /* at most; each has some megabytes of words that it has met */
#define SERVE_ENCODERS_TEXT ((size_t)64 << 10) /* bytes of a text, behind which an encoder is not kept */

typedef struct serve_encoders serve_encoders;

/* t is borrowed until serve_encoders_free, when all encoders must have been given back. ASSAY_ENOMEM. */
assay_status serve_encoders_open(const tokenizer *t, serve_encoders **out, assay_error *err);
void serve_encoders_free(serve_encoders *encoders);

/* One that nobody else has: a kept one, or a new one. The caller gives it back. Fails as
 * tokenizer_encoder_open does. */
assay_status serve_encoders_take(serve_encoders *encoders, tokenizer_encoder **out, assay_error *err);

/* keep: it may be used again; else, and where enough are kept, it is freed. */
void serve_encoders_give(serve_encoders *encoders, tokenizer_encoder *encoder, bool keep);

#endif
