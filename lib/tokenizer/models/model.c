/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/model.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/json_scan.h"
#include "tokenizer/models/bpe_open.h"

#include <stdlib.h>

typedef enum model_kind { MODEL_BPE, MODEL_UNIGRAM, MODEL_WORDPIECE, MODEL_WORDLEVEL } model_kind;

static const char *const TYPES[] = {[MODEL_BPE] = "BPE",
                                    [MODEL_UNIGRAM] = "Unigram",
                                    [MODEL_WORDPIECE] = "WordPiece",
                                    [MODEL_WORDLEVEL] = "WordLevel"};

struct tokenizer_model {
    model_kind kind;
    tokenizer_vocab *vocab;
    tokenizer_bpe *bpe; /* one of these three, by the kind; the others are NULL. WordLevel is a wordpiece */
    tokenizer_unigram *unigram;
    tokenizer_wordpiece *wordpiece;
};

void tokenizer_model_work_free(tokenizer_model_work *work)
{
    tokenizer_bpe_work_free(&work->bpe);
    tokenizer_unigram_work_free(&work->unigram);
}

static assay_status fail_kind(const tokenizer_file *f, json_scan_kind found, const char *expected,
                              assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: model.vocab: found %s, expected %s", f->path,
                      json_scan_kind_name(found), expected);
}

/* {"token": id, …}. name: reused for each token, whose text the scanner overwrites when it reads the id. */
static assay_status read_object(const tokenizer_file *f, tokenizer_scan *s, tokenizer_vocab *v, buffer *name,
                                assay_error *err)
{
    tokenizer_token t;
    for (;;) {
        int32_t id;
        assay_status rc = tokenizer_scan_next(s, &t, err);
        if (rc != ASSAY_OK || t.kind == JSON_SCAN_OBJECT_END) return rc;
        name->n = 0;
        if (!buffer_append(name, t.text, t.n))
            return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
        rc = tokenizer_scan_next(s, &t, err);
        if (rc == ASSAY_OK && t.kind != JSON_SCAN_NUMBER) rc = fail_kind(f, t.kind, "an id", err);
        if (rc == ASSAY_OK) rc = tokenizer_scan_id(s, &t, &id, err);
        if (rc == ASSAY_OK) rc = tokenizer_vocab_add(v, name->data, name->n, id, err);
        if (rc != ASSAY_OK) return rc;
    }
}

/* Reads ["token", score] after its opening bracket. */
static assay_status read_scored(const tokenizer_file *f, tokenizer_scan *s, tokenizer_vocab *v, double *score,
                                assay_error *err)
{
    tokenizer_token t;
    assay_status rc = tokenizer_scan_next(s, &t, err);
    if (rc == ASSAY_OK && t.kind != JSON_SCAN_STRING) rc = fail_kind(f, t.kind, "a token", err);
    if (rc == ASSAY_OK) rc = tokenizer_vocab_add(v, t.text, t.n, (int32_t)tokenizer_vocab_size(v), err);
    if (rc == ASSAY_OK) rc = tokenizer_scan_next(s, &t, err);
    if (rc == ASSAY_OK && t.kind != JSON_SCAN_NUMBER) rc = fail_kind(f, t.kind, "a score", err);
    if (rc == ASSAY_OK) rc = tokenizer_scan_number(s, &t, score, err);
    if (rc == ASSAY_OK) rc = tokenizer_scan_next(s, &t, err);
    if (rc == ASSAY_OK && t.kind != JSON_SCAN_ARRAY_END)
        rc = fail_kind(f, t.kind, "pairs of token and score", err);
    return rc;
}

/* [["token", score], …]: the index is the id. */
static assay_status read_list(const tokenizer_file *f, tokenizer_scan *s, tokenizer_vocab *v, double **scores,
                              assay_error *err)
{
    tokenizer_token t;
    for (size_t n = 0;; n++) {
        double score;
        assay_status rc = tokenizer_scan_next(s, &t, err);
        if (rc != ASSAY_OK || t.kind == JSON_SCAN_ARRAY_END) return rc;
        if (t.kind != JSON_SCAN_ARRAY) return fail_kind(f, t.kind, "pairs of token and score", err);
        rc = read_scored(f, s, v, &score, err);
        if (rc != ASSAY_OK) return rc;
        double *grown = grow_by_one(*scores, n, sizeof *grown);
        if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
        *scores = grown;
        grown[n] = score;
    }
}

static assay_status read_vocab(const tokenizer_file *f, tokenizer_model *m, double **scores, assay_error *err)
{
    tokenizer_scan *s = NULL;
    tokenizer_token t = {.kind = JSON_SCAN_NULL};
    buffer name = {0};
    const bool scored = m->kind == MODEL_UNIGRAM;
    if (!f->vocab.text)
        return assay_fail(err, ASSAY_EFORMAT, "%s: model.vocab: found nothing, expected the tokens", f->path);
    assay_status rc = tokenizer_vocab_open(f->path, &m->vocab, err);
    if (rc == ASSAY_OK) rc = tokenizer_scan_open(f, f->vocab, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_scan_next(s, &t, err);
    if (rc == ASSAY_OK && t.kind != (scored ? JSON_SCAN_ARRAY : JSON_SCAN_OBJECT))
        rc = fail_kind(f, t.kind, scored ? "an array" : "an object", err);
    if (rc == ASSAY_OK)
        rc = scored ? read_list(f, s, m->vocab, scores, err) : read_object(f, s, m->vocab, &name, err);
    buffer_free(&name);
    tokenizer_scan_free(s);
    return rc == ASSAY_OK ? tokenizer_vocab_seal(m->vocab, err) : rc;
}

/* Files of 2020 omit the type: it follows from the other members. */
static assay_status find_kind(const tokenizer_file *f, model_kind *out, assay_error *err)
{
    const tokenizer_place p = tokenizer_file_model(f);
    tokenizer_place type, most;
    size_t kind;
    assay_status rc = tokenizer_place_member(&p, "type", &type, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(&p, "max_input_chars_per_word", &most, err);
    if (rc != ASSAY_OK) return rc;
    if (type.value) {
        rc = tokenizer_place_type(&p, TYPES, sizeof TYPES / sizeof *TYPES, &kind, err);
        if (rc == ASSAY_OK) *out = (model_kind)kind;
        return rc;
    }
    if (f->merges.text) *out = MODEL_BPE;
    else if (f->vocab.text && *f->vocab.text == '[') *out = MODEL_UNIGRAM;
    else *out = most.value ? MODEL_WORDPIECE : MODEL_WORDLEVEL;
    return ASSAY_OK;
}

assay_status tokenizer_model_open(const tokenizer_file *f, bool byte_level, tokenizer_model **out,
                                  bool *taken, assay_error *err)
{
    double *scores = NULL;
    bool bytes = false;
    tokenizer_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    assay_status rc = find_kind(f, &m->kind, err);
    if (rc == ASSAY_OK) rc = read_vocab(f, m, &scores, err);
    if (rc == ASSAY_OK) {
        switch (m->kind) {
        case MODEL_BPE: rc = tokenizer_bpe_open(f, m->vocab, byte_level, &m->bpe, &bytes, err); break;
        case MODEL_UNIGRAM: rc = tokenizer_unigram_open(f, m->vocab, scores, &m->unigram, err); break;
        case MODEL_WORDPIECE:
        case MODEL_WORDLEVEL:
            rc = tokenizer_wordpiece_open(f, m->vocab, m->kind == MODEL_WORDLEVEL, &m->wordpiece, err);
            break;
        }
    }
    if (!m->unigram) free(scores); /* an open unigram model owns them */
    if (rc == ASSAY_OK) {
        *taken = bytes;
        *out = m;
    } else {
        tokenizer_model_free(m);
    }
    return rc;
}

void tokenizer_model_free(tokenizer_model *m)
{
    if (!m) return;
    tokenizer_bpe_free(m->bpe);
    tokenizer_unigram_free(m->unigram);
    tokenizer_wordpiece_free(m->wordpiece);
    tokenizer_vocab_free(m->vocab);
    free(m);
}

const tokenizer_vocab *tokenizer_model_vocab(const tokenizer_model *m)
{
    return m->vocab;
}

assay_status tokenizer_model_encode(const tokenizer_model *m, tokenizer_model_work *work, const char *word,
                                    size_t n, tokenizer_ids *out, assay_error *err)
{
    if (n == 0) return ASSAY_OK;
    if (m->bpe) return tokenizer_bpe_encode(m->bpe, &work->bpe, word, n, out, err);
    if (m->unigram) return tokenizer_unigram_encode(m->unigram, &work->unigram, word, n, out, err);
    return tokenizer_wordpiece_encode(m->wordpiece, word, n, out, err);
}
