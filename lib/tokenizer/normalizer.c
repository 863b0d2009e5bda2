/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/normalizer.h"

#include "tokenizer/normal_step.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 64

struct tokenizer_normalizer {
    normal_step steps[STEPS_MAX];
    size_t n_steps;
};

void tokenizer_normalizer_free(tokenizer_normalizer *n)
{
    if (!n) return;
    for (size_t i = 0; i < n->n_steps; i++) {
        tokenizer_pattern_free(n->steps[i].pattern);
        tokenizer_charsmap_free(n->steps[i].charsmap);
        free(n->steps[i].text);
    }
    free(n);
}

/* Appends a step of this kind, its other members zero; *out points to it. */
static assay_status add_step(tokenizer_normalizer *n, const tokenizer_place *p, normal_kind kind,
                             normal_step **out, assay_error *err)
{
    if (n->n_steps == STEPS_MAX)
        return tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED, "found more than %d steps, expected no more",
                                    STEPS_MAX);
    n->steps[n->n_steps] = (normal_step){.kind = kind};
    *out = &n->steps[n->n_steps++];
    return ASSAY_OK;
}

static assay_status add_form(tokenizer_normalizer *n, const tokenizer_place *p, bool compatible,
                             bool composed, assay_error *err)
{
    normal_step *s = NULL;
    const assay_status rc = add_step(n, p, NORMAL_FORM, &s, err);
    if (rc != ASSAY_OK) return rc;
    s->compatible = compatible;
    s->composed = composed;
    return ASSAY_OK;
}

static assay_status add_plain(tokenizer_normalizer *n, const tokenizer_place *p, normal_kind kind,
                              assay_error *err)
{
    normal_step *s = NULL;
    return add_step(n, p, kind, &s, err);
}

static assay_status add_replace(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place pattern;
    normal_step *s = NULL;
    assay_status rc = add_step(n, p, NORMAL_REPLACE, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "pattern", &pattern, err);
    if (rc == ASSAY_OK) rc = tokenizer_pattern_open(&pattern, &s->pattern, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_copy(p, "content", &s->text, &s->n, err);
    /* Refused: Hugging Face's tokenizers gives wrong alignments after it replaces an empty match. */
    if (rc == ASSAY_OK && tokenizer_pattern_is_empty(s->pattern))
        rc = tokenizer_place_fail(&pattern, err, ASSAY_EUNSUPPORTED,
                                  "found an expression that also matches an empty text, expected one that "
                                  "matches at least a character");
    return rc;
}

static assay_status add_strip(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    normal_step *s = NULL;
    assay_status rc = add_step(n, p, NORMAL_STRIP, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "strip_left", &s->left, err);
    return rc == ASSAY_OK ? tokenizer_place_required_bool(p, "strip_right", &s->right, err) : rc;
}

static assay_status add_bert(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    bool clean = false, chinese = false, lowercase = false;
    assay_status rc = tokenizer_place_required_bool(p, "clean_text", &clean, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "handle_chinese_chars", &chinese, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "lowercase", &lowercase, err);
    bool accents = rc == ASSAY_OK && lowercase; /* the default if strip_accents is null */
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(p, "strip_accents", &accents, err);
    if (rc == ASSAY_OK && clean) rc = add_plain(n, p, NORMAL_BERT_CLEAN, err);
    if (rc == ASSAY_OK && chinese) rc = add_plain(n, p, NORMAL_BERT_CHINESE, err);
    if (rc == ASSAY_OK && accents) rc = add_form(n, p, false, false, err);
    if (rc == ASSAY_OK && accents) rc = add_plain(n, p, NORMAL_BERT_ACCENTS, err);
    if (rc == ASSAY_OK && lowercase) rc = add_plain(n, p, NORMAL_LOWER, err);
    return rc;
}

static assay_status add_precompiled(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place map;
    normal_step *s = NULL;
    assay_status rc = add_step(n, p, NORMAL_PRECOMPILED, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "precompiled_charsmap", &map, err);
    return rc == ASSAY_OK ? tokenizer_charsmap_open(&map, &s->charsmap, err) : rc;
}

static assay_status add_prepend(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    normal_step *s = NULL;
    const assay_status rc = add_step(n, p, NORMAL_PREPEND, &s, err);
    return rc == ASSAY_OK ? tokenizer_place_required_copy(p, "prepend", &s->text, &s->n, err) : rc;
}

static assay_status add_any(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err);

static assay_status add_sequence(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place list;
    size_t length = 0;
    assay_status rc = tokenizer_place_list(p, "normalizers", &list, &length, err);
    for (size_t i = 0; i < length && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(&list, i);
        rc = add_any(n, &element, err);
    }
    return rc;
}

enum {
    BERT,
    BYTE_LEVEL,
    LOWERCASE,
    NFC,
    NFD,
    NFKC,
    NFKD,
    NMT,
    PRECOMPILED,
    PREPEND,
    REPLACE,
    SEQUENCE,
    STRIP,
    STRIP_ACCENTS
};

static const char *const TYPES[] = {[BERT] = "BertNormalizer",
                                    [BYTE_LEVEL] = "ByteLevel",
                                    [LOWERCASE] = "Lowercase",
                                    [NFC] = "NFC",
                                    [NFD] = "NFD",
                                    [NFKC] = "NFKC",
                                    [NFKD] = "NFKD",
                                    [NMT] = "Nmt",
                                    [PREPEND] = "Prepend",
                                    [REPLACE] = "Replace",
                                    [PRECOMPILED] = "Precompiled",
                                    [SEQUENCE] = "Sequence",
                                    [STRIP] = "Strip",
                                    [STRIP_ACCENTS] = "StripAccents"};

/* Recursion through nested sequences is bounded by JSON_DEPTH_MAX. */
static assay_status add_any(tokenizer_normalizer *n, const tokenizer_place *p, assay_error *err)
{
    size_t type;
    const assay_status rc = tokenizer_place_type(p, TYPES, sizeof TYPES / sizeof *TYPES, &type, err);
    if (rc != ASSAY_OK) return rc;
    switch (type) {
    case BERT: return add_bert(n, p, err);
    case BYTE_LEVEL: return add_plain(n, p, NORMAL_BYTES, err);
    case LOWERCASE: return add_plain(n, p, NORMAL_LOWER, err);
    case NFC: return add_form(n, p, false, true, err);
    case NFD: return add_form(n, p, false, false, err);
    case NFKC: return add_form(n, p, true, true, err);
    case NFKD: return add_form(n, p, true, false, err);
    case NMT: return add_plain(n, p, NORMAL_NMT, err);
    case PRECOMPILED: return add_precompiled(n, p, err);
    case PREPEND: return add_prepend(n, p, err);
    case REPLACE: return add_replace(n, p, err);
    case SEQUENCE: return add_sequence(n, p, err);
    case STRIP: return add_strip(n, p, err);
    default: return add_plain(n, p, NORMAL_STRIP_ACCENTS, err);
    }
}

assay_status tokenizer_normalizer_open(const tokenizer_place *p, tokenizer_normalizer **out, assay_error *err)
{
    tokenizer_normalizer *n = calloc(1, sizeof *n);
    if (!n) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    const assay_status rc = p->value ? add_any(n, p, err) : ASSAY_OK;
    if (rc == ASSAY_OK) *out = n;
    else tokenizer_normalizer_free(n);
    return rc;
}

assay_status tokenizer_normalizer_run(const tokenizer_normalizer *n, tokenizer_normalizing *work,
                                      const tokenizer_text *text, tokenizer_text *out, assay_error *err)
{
    tokenizer_text now = *text;
    for (size_t i = 0; i < n->n_steps && now.n > 0; i++) {
        tokenizer_writer w = tokenizer_writer_begin(&work->text[i % 2], &now, work->growth.left);
        const assay_status rc = normal_step_run(&n->steps[i], work, &w, &now, err);
        if (rc != ASSAY_OK) return rc;
        now = tokenizer_writer_end(&w);
    }
    if (n->n_steps > 0) tokenizer_growth_count(&work->growth, now.n);
    *out = now;
    return ASSAY_OK;
}
