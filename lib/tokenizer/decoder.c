/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/decoder.h"

#include "base/error.h"
#include "tokenizer/step.h"

#include <stdlib.h>
#include <string.h>

void tokenizer_decoder_free(tokenizer_decoder *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->n_steps; i++) {
        tokenizer_pattern_free(d->steps[i].pattern);
        free(d->steps[i].text);
        free(d->steps[i].delimiter);
    }
    free(d);
}

/* Appends a step of this kind, its other members zero; *out points to it. */
static assay_status add_step(tokenizer_decoder *d, const tokenizer_place *p, step_kind kind, step **out,
                             assay_error *err)
{
    if (d->n_steps == STEPS_MAX)
        return tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED, "found more than %d steps, expected no more",
                                    STEPS_MAX);
    d->steps[d->n_steps] = (step){.kind = kind};
    *out = &d->steps[d->n_steps++];
    return ASSAY_OK;
}

static assay_status read_char(const tokenizer_place *p, const char *name, uint32_t *out, assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    return rc == ASSAY_OK ? tokenizer_place_char(&member, out, err) : rc;
}

static assay_status read_count(const tokenizer_place *p, const char *name, int64_t *out, assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    return rc == ASSAY_OK ? tokenizer_place_count(&member, INT64_MAX, out, err) : rc;
}

static assay_status read_meta(const tokenizer_place *p, step *s, assay_error *err)
{
    tokenizer_place scheme, space;
    const char *text = "always";
    bool add_space = true;
    assay_status rc = read_char(p, "replacement", &s->character, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "prepend_scheme", &scheme, err);
    if (rc == ASSAY_OK && scheme.value) rc = tokenizer_place_word(&scheme, &text, err);
    if (rc != ASSAY_OK) return rc;
    const bool never = strcmp(text, "never") == 0;
    if (!never && strcmp(text, "always") != 0 && strcmp(text, "first") != 0)
        return tokenizer_place_fail(&scheme, err, ASSAY_EUNSUPPORTED,
                                    "found \"%.40s\", expected always, first or never", text);
    rc = tokenizer_place_member(p, "add_prefix_space", &space, err);
    if (rc == ASSAY_OK && space.value) rc = tokenizer_place_bool(&space, &add_space, err);
    if (rc == ASSAY_OK && !add_space && !never)
        rc = tokenizer_place_fail(&space, err, ASSAY_EFORMAT,
                                  "found false, expected a prepend_scheme \"never\" with it");
    s->drops_first = !never;
    return rc;
}

static assay_status read_ctc(const tokenizer_place *p, step *s, assay_error *err)
{
    assay_status rc = tokenizer_place_required_copy(p, "pad_token", &s->text, &s->n, err);
    if (rc == ASSAY_OK)
        rc = tokenizer_place_required_copy(p, "word_delimiter_token", &s->delimiter, &s->n_delimiter, err);
    if (rc == ASSAY_OK && (s->n == 0 || s->n_delimiter == 0))
        rc = tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED,
                                  "found an empty token, expected pad and delimiter to have text");
    return rc == ASSAY_OK ? tokenizer_place_required_bool(p, "cleanup", &s->cleanup, err) : rc;
}

static assay_status read_replace(const tokenizer_place *p, step *s, assay_error *err)
{
    tokenizer_place pattern;
    assay_status rc = tokenizer_place_member(p, "pattern", &pattern, err);
    if (rc == ASSAY_OK) rc = tokenizer_pattern_open(&pattern, &s->pattern, err);
    return rc == ASSAY_OK ? tokenizer_place_required_copy(p, "content", &s->text, &s->n, err) : rc;
}

static assay_status read_strip(const tokenizer_place *p, step *s, assay_error *err)
{
    assay_status rc = read_char(p, "content", &s->character, err);
    if (rc == ASSAY_OK) rc = read_count(p, "start", &s->start, err);
    return rc == ASSAY_OK ? read_count(p, "stop", &s->stop, err) : rc;
}

static assay_status read_wordpiece(const tokenizer_place *p, step *s, assay_error *err)
{
    const assay_status rc = tokenizer_place_required_copy(p, "prefix", &s->text, &s->n, err);
    return rc == ASSAY_OK ? tokenizer_place_required_bool(p, "cleanup", &s->cleanup, err) : rc;
}

static assay_status read_bpe(const tokenizer_place *p, step *s, assay_error *err)
{
    assay_status rc = tokenizer_place_required_copy(p, "suffix", &s->text, &s->n, err);
    if (rc == ASSAY_OK && s->n == 0)
        rc = tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED,
                                  "found an empty suffix, expected one to replace");
    return rc;
}

static assay_status add_any(tokenizer_decoder *d, const tokenizer_place *p, assay_error *err);

static assay_status add_sequence(tokenizer_decoder *d, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place list;
    size_t length = 0;
    assay_status rc = tokenizer_place_list(p, "decoders", &list, &length, err);
    for (size_t i = 0; i < length && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(&list, i);
        rc = add_any(d, &element, err);
    }
    return rc;
}

/* Indexed by step_kind; the slot of STEP_SPACES, which has no type of its own, holds "Sequence". */
static const char *const TYPES[] = {[STEP_BPE] = "BPEDecoder",
                                    [STEP_BYTE_FALLBACK] = "ByteFallback",
                                    [STEP_BYTE_LEVEL] = "ByteLevel",
                                    [STEP_CTC] = "CTC",
                                    [STEP_FUSE] = "Fuse",
                                    [STEP_META] = "Metaspace",
                                    [STEP_REPLACE] = "Replace",
                                    [STEP_SPACES] = "Sequence",
                                    [STEP_STRIP] = "Strip",
                                    [STEP_WORDPIECE] = "WordPiece"};

/* Recursion through nested sequences is bounded by JSON_DEPTH_MAX. */
static assay_status add_any(tokenizer_decoder *d, const tokenizer_place *p, assay_error *err)
{
    size_t type;
    step *s = NULL;
    assay_status rc = tokenizer_place_type(p, TYPES, sizeof TYPES / sizeof *TYPES, &type, err);
    if (rc != ASSAY_OK) return rc;
    if (type == STEP_SPACES) return add_sequence(d, p, err);
    rc = add_step(d, p, (step_kind)type, &s, err);
    if (rc != ASSAY_OK) return rc;
    switch (type) {
    case STEP_BPE: return read_bpe(p, s, err);
    case STEP_CTC: return read_ctc(p, s, err);
    case STEP_META: return read_meta(p, s, err);
    case STEP_REPLACE: return read_replace(p, s, err);
    case STEP_STRIP: return read_strip(p, s, err);
    case STEP_WORDPIECE: return read_wordpiece(p, s, err);
    default: return ASSAY_OK;
    }
}

assay_status tokenizer_decoder_open(const tokenizer_place *p, tokenizer_decoder **out, assay_error *err)
{
    step *s = NULL;
    tokenizer_decoder *d = calloc(1, sizeof *d);
    if (!d) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    const assay_status rc = p->value ? add_any(d, p, err) : add_step(d, p, STEP_SPACES, &s, err);
    if (rc == ASSAY_OK) *out = d;
    else tokenizer_decoder_free(d);
    return rc;
}

assay_status tokenizer_decoding_open(const tokenizer_decoder *d, tokenizer_decoding **out, assay_error *err)
{
    tokenizer_decoding *g = calloc(1, sizeof *g + d->n_steps * sizeof *g->states);
    if (!g) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    g->decoder = d;
    g->growth = tokenizer_growth_begin(0);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < d->n_steps && rc == ASSAY_OK && !g->matcher; i++)
        if (d->steps[i].pattern) rc = tokenizer_matcher_open(&g->matcher, err);
    if (rc == ASSAY_OK) *out = g;
    else tokenizer_decoding_free(g);
    return rc;
}

void tokenizer_decoding_free(tokenizer_decoding *g)
{
    if (!g) return;
    for (size_t i = 0; i < g->decoder->n_steps; i++) {
        buffer_free(&g->states[i].held);
        buffer_free(&g->states[i].made);
    }
    tokenizer_matcher_free(g->matcher);
    free(g);
}

assay_status tokenizer_decoding_push(tokenizer_decoding *g, const char *text, size_t n, buffer *out,
                                     assay_error *err)
{
    g->out = out;
    g->growth.n_text += n;
    g->growth.left += TOKENIZER_GROWTH * n;
    return step_token(g, 0, text, n, err);
}

assay_status tokenizer_decoding_end(tokenizer_decoding *g, buffer *out, assay_error *err)
{
    g->out = out;
    return step_end(g, 0, err);
}
