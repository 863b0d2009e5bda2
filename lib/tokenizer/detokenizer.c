/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/detokenizer.h"

#include "base/error.h"
#include "tokenizer/parts.h"
#include "tokenizer/tokenizer.h"

#include <stdlib.h>

struct detokenizer {
    const tokenizer *tokenizer;
    bool skip_special;
    tokenizer_decoding *decoding;
    buffer piece;
};

assay_status detokenizer_open(const tokenizer *t, bool skip_special, detokenizer **out, assay_error *err)
{
    detokenizer *d = calloc(1, sizeof *d);
    if (!d) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", t->path);
    d->tokenizer = t;
    d->skip_special = skip_special;
    const assay_status rc = tokenizer_decoding_open(t->decoder, &d->decoding, err);
    if (rc == ASSAY_OK) *out = d;
    else detokenizer_free(d);
    return rc;
}

void detokenizer_free(detokenizer *d)
{
    if (!d) return;
    tokenizer_decoding_free(d->decoding);
    buffer_free(&d->piece);
    free(d);
}

/* Passes the token of an id, if there is one, to the decoder. */
static assay_status push_id(const tokenizer *t, tokenizer_decoding *g, int32_t id, bool skip_special,
                            buffer *out, assay_error *err)
{
    size_t n;
    if (id < 0)
        return assay_fail(err, ASSAY_EINVAL, "%s: found id %d, expected one that is not negative", t->path,
                          (int)id);
    const char *text = tokenizer_text_of(t, id, &n);
    if (!text || (skip_special && tokenizer_added_is_special(t->added, text, n))) return ASSAY_OK;
    const assay_status rc = tokenizer_decoding_push(g, text, n, out, err);
    return rc == ASSAY_OK ? rc : tokenizer_fail_in(t, rc, err);
}

static assay_status end_decoding(const tokenizer *t, tokenizer_decoding *g, buffer *out, assay_error *err)
{
    const assay_status rc = tokenizer_decoding_end(g, out, err);
    return rc == ASSAY_OK ? rc : tokenizer_fail_in(t, rc, err);
}

static void get_piece(const detokenizer *d, const char **text, size_t *n)
{
    *text = d->piece.data ? d->piece.data : "";
    *n = d->piece.n;
}

assay_status detokenizer_push(detokenizer *d, int32_t id, const char **text, size_t *n, assay_error *err)
{
    d->piece.n = 0;
    const assay_status rc = push_id(d->tokenizer, d->decoding, id, d->skip_special, &d->piece, err);
    if (rc == ASSAY_OK) get_piece(d, text, n);
    return rc;
}

assay_status detokenizer_end(detokenizer *d, const char **text, size_t *n, assay_error *err)
{
    d->piece.n = 0;
    const assay_status rc = end_decoding(d->tokenizer, d->decoding, &d->piece, err);
    if (rc == ASSAY_OK) get_piece(d, text, n);
    return rc;
}

assay_status tokenizer_decode(const tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                              buffer *out, assay_error *err)
{
    tokenizer_decoding *g = NULL;
    out->n = 0;
    assay_status rc = tokenizer_decoding_open(t->decoder, &g, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) rc = push_id(t, g, ids[i], skip_special, out, err);
    if (rc == ASSAY_OK) rc = end_decoding(t, g, out, err);
    tokenizer_decoding_free(g);
    if (rc != ASSAY_OK) out->n = 0;
    return rc;
}
