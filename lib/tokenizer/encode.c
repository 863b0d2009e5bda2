/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/encode.h"

#include "tokenizer/parts.h"

#include "base/error.h"
#include "base/utf8.h"
#include "tokenizer/tokenizer.h"

#include <stdlib.h>

#define CACHE_FROM 256 /* bytes of text: caching the words of a shorter text costs more than it saves */

struct tokenizer_encoder {
    const tokenizer *tokenizer;
    tokenizer_matcher *matcher;
    tokenizer_normalizing normalizing;
    tokenizer_splitting cutting;
    tokenizer_model_work model;
    buffer repaired;
    tokenizer_ids ids;          /* of the text, before post-processing */
    tokenizer_text raw, normal; /* the text, and its part that is being encoded, normalised */
};

static assay_status encode_word(void *context, const char *text, size_t n, assay_error *err)
{
    tokenizer_encoder *e = context;
    return tokenizer_model_encode(e->tokenizer->model, &e->model, text, n, &e->ids, err);
}

assay_status tokenizer_encoder_open(const tokenizer *t, tokenizer_encoder **out, assay_error *err)
{
    tokenizer_encoder *e = calloc(1, sizeof *e);
    if (!e) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", t->path);
    e->tokenizer = t;
    const assay_status rc = tokenizer_matcher_open(&e->matcher, err);
    e->normalizing.matcher = e->matcher;
    e->cutting.matcher = e->matcher;
    e->cutting.sink = encode_word;
    e->cutting.context = e;
    if (rc == ASSAY_OK) *out = e;
    else tokenizer_encoder_free(e);
    return rc;
}

void tokenizer_encoder_free(tokenizer_encoder *e)
{
    if (!e) return;
    tokenizer_normalizing_free(&e->normalizing);
    tokenizer_splitting_free(&e->cutting);
    tokenizer_model_work_free(&e->model);
    tokenizer_matcher_free(e->matcher);
    buffer_free(&e->repaired);
    tokenizer_ids_free(&e->ids);
    free(e);
}

static assay_status put_id(tokenizer_encoder *e, int32_t id, assay_error *err)
{
    return tokenizer_ids_push(&e->ids, id) ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

/* Encodes a part of the normalised text. */
static assay_status encode_normal_part(void *context, size_t from, size_t to, int32_t id, assay_error *err)
{
    tokenizer_encoder *e = context;
    if (id >= 0) return put_id(e, id, err);
    const tokenizer_text part = tokenizer_text_part(&e->normal, from, to);
    return tokenizer_pretokenizer_run(e->tokenizer->pretokenizer, &e->cutting, &part, err);
}

/* Encodes a part of the text as given. */
static assay_status encode_raw_part(void *context, size_t from, size_t to, int32_t id, assay_error *err)
{
    tokenizer_encoder *e = context;
    if (id >= 0) return put_id(e, id, err);
    const tokenizer_text part = tokenizer_text_part(&e->raw, from, to);
    const assay_status rc =
        tokenizer_normalizer_run(e->tokenizer->normalizer, &e->normalizing, &part, &e->normal, err);
    if (rc != ASSAY_OK) return rc;
    return tokenizer_added_split(e->tokenizer->added, true, e->normal.text, e->normal.n, encode_normal_part,
                                 e, err);
}

static assay_status repair_utf8(tokenizer_encoder *e, const char *text, size_t n, assay_error *err)
{
    e->repaired.n = 0;
    for (size_t at = 0; at < n;) {
        const size_t valid = utf8_valid_prefix(text + at, n - at);
        bool had = buffer_append(&e->repaired, text + at, valid);
        at += valid;
        if (had && at < n) {
            uint32_t c;
            at += utf8_decode(text + at, n - at, &c, NULL);
            had = buffer_append_char(&e->repaired, c);
        }
        if (!had) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    return ASSAY_OK;
}

static assay_status encode_text(tokenizer_encoder *e, const char *text, size_t n, bool add_special,
                                tokenizer_ids *out, assay_error *err)
{
    uint32_t first;
    if (n > INT32_MAX)
        return assay_fail(err, ASSAY_EINVAL, "found a text of %zu bytes, expected at most %d", n, INT32_MAX);
    if (utf8_valid_prefix(text, n) != n) {
        const assay_status rc = repair_utf8(e, text, n, err);
        if (rc != ASSAY_OK) return rc;
        text = e->repaired.data;
        n = e->repaired.n;
    }
    e->ids.n = out->n = 0;
    e->raw = (tokenizer_text){text, n, n > 0 ? utf8_decode(text, n, &first, NULL) : 0};
    if (!e->model.bpe.cache && n >= CACHE_FROM) e->model.bpe.cache = tokenizer_cache_open();
    tokenizer_matcher_begin(e->matcher, n);
    e->normalizing.growth = e->cutting.growth = tokenizer_growth_begin(n);
    const assay_status rc =
        tokenizer_added_split(e->tokenizer->added, false, text, n, encode_raw_part, e, err);
    if (rc != ASSAY_OK) return rc;
    return tokenizer_post_run(e->tokenizer->post, &e->ids, add_special, out)
               ? ASSAY_OK
               : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

assay_status tokenizer_encode_with(tokenizer_encoder *e, const char *text, size_t n, bool add_special,
                                   tokenizer_ids *out, assay_error *err)
{
    const assay_status rc = encode_text(e, text, n, add_special, out, err);
    if (rc == ASSAY_OK) return rc;
    out->n = 0;
    return tokenizer_fail_in(e->tokenizer, rc, err);
}

assay_status tokenizer_encode(const tokenizer *t, const char *text, size_t n, bool add_special,
                              tokenizer_ids *out, assay_error *err)
{
    tokenizer_encoder *e = NULL;
    assay_status rc = tokenizer_encoder_open(t, &e, err);
    if (rc == ASSAY_OK) rc = tokenizer_encode_with(e, text, n, add_special, out, err);
    tokenizer_encoder_free(e);
    return rc;
}
