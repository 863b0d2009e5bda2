/* A pool of encoders for reuse: opening one costs more than encoding a short text.
 *
 * Thread-safe and lock-free.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_ENCODERS_H
#define DIALOGUE_ENCODERS_H

#include "tokenizer/encode.h"
#include "tokenizer/tokenizer.h"

#define SERVE_ENCODERS_MAX  8                  /* at most; each caches some megabytes of words */
#define SERVE_ENCODERS_TEXT ((size_t)64 << 10) /* an encoder that has read a longer text is not reused */

typedef struct serve_encoders serve_encoders;

/* t is borrowed until serve_encoders_free; all encoders must have been given back by then. Fails with
 * ASSAY_ENOMEM. */
assay_status serve_encoders_open(const tokenizer *t, serve_encoders **out, assay_error *err);
void serve_encoders_free(serve_encoders *encoders);

/* Takes an encoder from the pool, or opens one. It is exclusive to the caller, who returns it. Fails as
 * tokenizer_encoder_open does. */
assay_status serve_encoders_acquire(serve_encoders *encoders, tokenizer_encoder **out, assay_error *err);

/* keep: the encoder may be reused; otherwise, or if the pool is full, it is freed. */
void serve_encoders_release(serve_encoders *encoders, tokenizer_encoder *encoder, bool keep);

#endif
