/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/parts.h"

#include "base/error.h"
#include "tokenizer/tokenizer.h"

#include <stdlib.h>
#include <string.h>

void tokenizer_free(tokenizer *t)
{
    if (!t) return;
    tokenizer_normalizer_free(t->normalizer);
    tokenizer_pretokenizer_free(t->pretokenizer);
    tokenizer_model_free(t->model);
    tokenizer_added_free(t->added);
    tokenizer_post_free(t->post);
    tokenizer_decoder_free(t->decoder);
    free(t->path);
    free(t);
}

static assay_status open_added(const tokenizer_file *f, tokenizer *t, assay_error *err)
{
    const tokenizer_place p = tokenizer_file_member(f, "added_tokens");
    tokenizer_normalizing work = {0};
    assay_status rc = tokenizer_matcher_open(&work.matcher, err);
    if (rc == ASSAY_OK)
        rc = tokenizer_added_open(&p, tokenizer_model_vocab(t->model), t->normalizer, &work, &t->added, err);
    tokenizer_normalizing_free(&work);
    tokenizer_matcher_free(work.matcher);
    return rc;
}

static assay_status open_parts(const tokenizer_file *f, tokenizer *t, assay_error *err)
{
    const tokenizer_place normalizer = tokenizer_file_member(f, "normalizer"),
                          pretokenizer = tokenizer_file_member(f, "pre_tokenizer"),
                          decoder = tokenizer_file_member(f, "decoder");
    bool bytes = false;
    t->path = strdup(f->path);
    if (!t->path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    assay_status rc = tokenizer_normalizer_open(&normalizer, &t->normalizer, err);
    if (rc == ASSAY_OK) rc = tokenizer_pretokenizer_open(&pretokenizer, &t->pretokenizer, err);
    if (rc == ASSAY_OK)
        rc = tokenizer_model_open(f, tokenizer_pretokenizer_ends_in_bytes(t->pretokenizer), &t->model, &bytes,
                                  err);
    if (rc == ASSAY_OK && bytes) tokenizer_pretokenizer_drop_byte_stage(t->pretokenizer);
    if (rc == ASSAY_OK) rc = open_added(f, t, err);
    if (rc == ASSAY_OK) rc = tokenizer_post_open(f, &t->post, err);
    if (rc == ASSAY_OK) rc = tokenizer_decoder_open(&decoder, &t->decoder, err);
    return rc;
}

assay_status tokenizer_open(const char *checkpoint, tokenizer **out, assay_error *err)
{
    tokenizer_file f = {0};
    tokenizer *t = calloc(1, sizeof *t);
    if (!t) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
    assay_status rc = tokenizer_file_read(checkpoint, &f, err);
    if (rc == ASSAY_OK) rc = open_parts(&f, t, err);
    tokenizer_file_close(&f);
    if (rc == ASSAY_OK) *out = t;
    else tokenizer_free(t);
    return rc;
}

int32_t tokenizer_id_of(const tokenizer *t, const char *text, size_t n)
{
    const int32_t added = tokenizer_added_find(t->added, text, n);
    return added >= 0 ? added : tokenizer_vocab_find(tokenizer_model_vocab(t->model), text, n);
}

const char *tokenizer_text_of(const tokenizer *t, int32_t id, size_t *n)
{
    const char *text = tokenizer_added_text(t->added, id, n);
    return text ? text : tokenizer_vocab_text(tokenizer_model_vocab(t->model), id, n);
}

bool tokenizer_is_special(const tokenizer *t, int32_t id)
{
    size_t n;
    const char *text = tokenizer_text_of(t, id, &n);
    return text && tokenizer_added_is_special(t->added, text, n);
}

assay_status tokenizer_fail_in(const tokenizer *t, assay_status status, assay_error *err)
{
    if (!err) return status;
    const assay_error part = *err;
    return assay_fail(err, status, "%s: %s", t->path, part.text);
}
