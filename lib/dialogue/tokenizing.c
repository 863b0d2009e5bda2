/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tokenizing.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dialogue/encoders.h"
#include "tokenizer/detokenizer.h"

struct assay_tokenizer {
    tokenizer *model;
    serve_encoders *encoders;
};

/* The tokenizer behind the ABI's opaque type. */
static const tokenizer *model_of(const assay_tokenizer *t)
{
    return t->model;
}

assay_status serve_tokenizer_open(const char *dir, assay_tokenizer **out, assay_error *err)
{
    assay_tokenizer *t = calloc(1, sizeof *t);
    if (!t) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = tokenizer_open(dir, &t->model, err);
    if (rc == ASSAY_OK) rc = serve_encoders_open(t->model, &t->encoders, err);
    if (rc == ASSAY_OK) *out = t;
    else serve_tokenizer_free(t);
    return rc;
}

void serve_tokenizer_free(assay_tokenizer *t)
{
    if (!t) return;
    serve_encoders_free(t->encoders);
    tokenizer_free(t->model);
    free(t);
}

assay_status serve_encode(const assay_tokenizer *t, const char *text, size_t n, bool add_special,
                          int32_t *ids, size_t capacity, size_t *n_ids, assay_error *err)
{
    tokenizer_ids found = {0};
    tokenizer_encoder *e;
    assay_status rc = serve_encoders_acquire(t->encoders, &e, err);
    if (rc != ASSAY_OK) return rc;
    rc = tokenizer_encode_with(e, text, n, add_special, &found, err);
    serve_encoders_release(t->encoders, e, rc == ASSAY_OK && n <= SERVE_ENCODERS_TEXT);
    if (rc == ASSAY_OK) {
        const size_t kept = found.n < capacity ? found.n : capacity;
        if (kept > 0) memcpy(ids, found.ids, kept * sizeof *ids);
        *n_ids = found.n;
    }
    tokenizer_ids_free(&found);
    return rc;
}

assay_status serve_decode(const assay_tokenizer *t, const int32_t *ids, size_t n, bool skip_special,
                          char *text, size_t capacity, size_t *n_text, assay_error *err)
{
    buffer found = {0};
    const assay_status rc = tokenizer_decode(model_of(t), ids, n, skip_special, &found, err);
    if (rc == ASSAY_OK) {
        const size_t kept = found.n < capacity ? found.n : capacity;
        if (kept > 0) memcpy(text, found.data, kept);
        *n_text = found.n;
    }
    buffer_free(&found);
    return rc;
}

static void emit_text(const assay_sink *sink, const char *text, size_t n)
{
    if (n > 0) sink->take(sink->context, ASSAY_PART_CONTENT, text, n);
}

assay_status serve_detokenizer_open(const assay_tokenizer *t, bool skip_special, assay_detokenizer **out,
                                    assay_error *err)
{
    detokenizer *d = NULL;
    const assay_status rc = detokenizer_open(model_of(t), skip_special, &d, err);
    if (rc == ASSAY_OK) *out = (assay_detokenizer *)(void *)d;
    return rc;
}

assay_status serve_detokenizer_push(assay_detokenizer *d, int32_t id, const assay_sink *sink,
                                    assay_error *err)
{
    const char *text = NULL;
    size_t n = 0;
    const assay_status rc = detokenizer_push((detokenizer *)(void *)d, id, &text, &n, err);
    if (rc == ASSAY_OK) emit_text(sink, text, n);
    return rc;
}

assay_status serve_detokenizer_end(assay_detokenizer *d, const assay_sink *sink, assay_error *err)
{
    const char *text = NULL;
    size_t n = 0;
    const assay_status rc = detokenizer_end((detokenizer *)(void *)d, &text, &n, err);
    if (rc == ASSAY_OK) emit_text(sink, text, n);
    return rc;
}

void serve_detokenizer_free(assay_detokenizer *d)
{
    detokenizer_free((detokenizer *)(void *)d);
}
