/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/encoders.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "tokenizer/encode.h"

/* Each slot is emptied and filled atomically, so that an encoder has one owner at any time. */
struct serve_encoders {
    const tokenizer *tokenizer;
    _Atomic(tokenizer_encoder *) kept[SERVE_ENCODERS_MAX]; /* NULL: an empty slot */
};

assay_status serve_encoders_open(const tokenizer *t, serve_encoders **out, assay_error *err)
{
    serve_encoders *e = malloc(sizeof *e);
    if (!e) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    e->tokenizer = t;
    for (size_t i = 0; i < SERVE_ENCODERS_MAX; i++) atomic_init(&e->kept[i], NULL);
    *out = e;
    return ASSAY_OK;
}

void serve_encoders_free(serve_encoders *e)
{
    if (!e) return;
    for (size_t i = 0; i < SERVE_ENCODERS_MAX; i++) tokenizer_encoder_free(atomic_load(&e->kept[i]));
    free(e);
}

assay_status serve_encoders_acquire(serve_encoders *e, tokenizer_encoder **out, assay_error *err)
{
    for (size_t i = 0; i < SERVE_ENCODERS_MAX; i++) {
        tokenizer_encoder *found = atomic_exchange(&e->kept[i], NULL);
        if (!found) continue;
        *out = found;
        return ASSAY_OK;
    }
    return tokenizer_encoder_open(e->tokenizer, out, err);
}

void serve_encoders_release(serve_encoders *e, tokenizer_encoder *encoder, bool keep)
{
    for (size_t i = 0; keep && i < SERVE_ENCODERS_MAX; i++) {
        tokenizer_encoder *nobody = NULL;
        if (atomic_compare_exchange_strong(&e->kept[i], &nobody, encoder)) return;
    }
    tokenizer_encoder_free(encoder);
}
