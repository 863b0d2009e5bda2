/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/stage.h"

#include "base/error.h"
#include "base/utf8.h"
#include "tokenizer/models/bytes.h"
#include "tokenizer/text/chars.h"

#include <string.h>

/* The stages from index `next` on, which a piece still has to pass. */
typedef struct run {
    const tokenizer_pretokenizer *p;
    tokenizer_splitting *work;
    size_t next;
} run;

static assay_status run_stage(const run *r, const tokenizer_text *piece, assay_error *err);

static assay_status pass_part(const run *r, const tokenizer_text *piece, size_t from, size_t to,
                              assay_error *err)
{
    if (from == to) return ASSAY_OK;
    const tokenizer_text part = tokenizer_text_part(piece, from, to);
    return run_stage(&(run){r->p, r->work, r->next + 1}, &part, err);
}

/* Parts of a piece, from left to right. The latest part is held back, because the next one may be
 * merged into it. */
typedef struct parts {
    const run *run;
    const tokenizer_text *piece;
    stage_behavior behavior;
    bool invert;
    size_t from, to; /* of the part held back */
    bool waits;      /* a part is held back */
    bool is_match;   /* whether the part held back is a match */
    bool was_match;  /* whether the latest part was a match */
} parts;

static bool part_joins(const parts *p, bool is_match)
{
    switch (p->behavior) {
    case STAGE_CONTIGUOUS: return is_match == p->was_match;
    case STAGE_WITH_PREVIOUS: return is_match && !p->was_match;
    case STAGE_WITH_NEXT: return p->is_match && !is_match;
    case STAGE_REMOVED:
    case STAGE_ISOLATED: break;
    }
    return false;
}

static assay_status flush_parts(parts *p, assay_error *err)
{
    if (!p->waits || (p->behavior == STAGE_REMOVED && p->is_match)) return ASSAY_OK;
    return pass_part(p->run, p->piece, p->from, p->to, err);
}

static assay_status put_part(parts *p, size_t from, size_t to, bool is_match, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    is_match = is_match != p->invert;
    if (p->waits && part_joins(p, is_match)) {
        p->to = to;
        if (p->behavior == STAGE_WITH_NEXT) p->is_match = false;
    } else {
        rc = flush_parts(p, err);
        p->from = from;
        p->to = to;
        p->waits = true;
        p->is_match = is_match;
    }
    p->was_match = is_match;
    return rc;
}

static assay_status split_at_pattern(const stage *s, const run *r, parts *p, assay_error *err)
{
    tokenizer_matches matches = {
        .pattern = s->pattern, .matcher = r->work->matcher, .text = p->piece->text, .n = p->piece->n};
    size_t done = 0, from = 0, to = 0;
    bool found;
    for (;;) {
        assay_status rc = tokenizer_matches_next(&matches, &from, &to, &found, err);
        if (rc == ASSAY_OK && found && done != from) rc = put_part(p, done, from, false, err);
        if (rc == ASSAY_OK && found) rc = put_part(p, from, to, true, err);
        if (rc != ASSAY_OK) return rc;
        if (!found) break;
        done = to;
    }
    return done != p->piece->n ? put_part(p, done, p->piece->n, false, err) : ASSAY_OK;
}

static assay_status split_at_chars(const stage *s, parts *p, assay_error *err)
{
    size_t done = 0;
    for (size_t at = 0; at < p->piece->n;) {
        uint32_t c;
        const size_t taken = utf8_decode(p->piece->text + at, p->piece->n - at, &c, NULL);
        if (s->is(c)) {
            assay_status rc = done != at ? put_part(p, done, at, false, err) : ASSAY_OK;
            if (rc == ASSAY_OK) rc = put_part(p, at, at + taken, true, err);
            if (rc != ASSAY_OK) return rc;
            done = at + taken;
        }
        at += taken;
    }
    return done != p->piece->n ? put_part(p, done, p->piece->n, false, err) : ASSAY_OK;
}

static assay_status run_split(const stage *s, const run *r, const tokenizer_text *piece, assay_error *err)
{
    parts p = {.run = r, .piece = piece, .behavior = s->behavior, .invert = s->invert};
    const assay_status rc = s->pattern ? split_at_pattern(s, r, &p, err) : split_at_chars(s, &p, err);
    return rc == ASSAY_OK ? flush_parts(&p, err) : rc;
}

/* 0: white space, 1: word character, 2: any other */
static int kind_of(uint32_t c)
{
    return chars_is_white(c) ? 0 : chars_is_word(c) ? 1 : 2;
}

static assay_status run_words(const run *r, const tokenizer_text *piece, assay_error *err)
{
    size_t from = 0;
    int last = 0;
    for (size_t at = 0; at < piece->n;) {
        uint32_t c;
        const size_t taken = utf8_decode(piece->text + at, piece->n - at, &c, NULL);
        const int kind = kind_of(c);
        if (kind != last) {
            const assay_status rc = last != 0 ? pass_part(r, piece, from, at, err) : ASSAY_OK;
            if (rc != ASSAY_OK) return rc;
            from = at;
            last = kind;
        }
        at += taken;
    }
    return last != 0 ? pass_part(r, piece, from, piece->n, err) : ASSAY_OK;
}

static assay_status run_length(const stage *s, const run *r, const tokenizer_text *piece, assay_error *err)
{
    size_t from = 0, count = 0;
    for (size_t at = 0; at < piece->n;) {
        uint32_t c;
        at += utf8_decode(piece->text + at, piece->n - at, &c, NULL);
        if (++count < s->length && at < piece->n) continue;
        const assay_status rc = pass_part(r, piece, from, at, err);
        if (rc != ASSAY_OK) return rc;
        from = at;
        count = 0;
    }
    return ASSAY_OK;
}

static assay_status pass_written(const run *r, const tokenizer_writer *w, assay_error *err)
{
    if (w->too_long) return tokenizer_growth_fail(&r->work->growth, "pre_tokenizer", err);
    if (w->failed) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    const tokenizer_text piece = tokenizer_writer_end(w);
    tokenizer_growth_count(&r->work->growth, piece.n);
    return pass_part(r, &piece, 0, piece.n, err);
}

static assay_status run_bytes(const run *r, const tokenizer_text *piece, assay_error *err)
{
    tokenizer_writer w = tokenizer_writer_begin(&r->work->text[r->next], piece, r->work->growth.left);
    for (size_t i = 0; i < piece->n; i++) {
        const unsigned char byte = (unsigned char)piece->text[i];
        tokenizer_writer_put(&w, tokenizer_bytes_char(byte), (byte & 0xc0) == 0x80);
    }
    return pass_written(r, &w, err);
}

/* Writes text before the piece. The text and the piece's first character stand for the same original
 * character. */
static void put_before(tokenizer_writer *w, const char *text, size_t n)
{
    uint32_t c;
    if (!buffer_append(w->out, text, n)) w->failed = true;
    if (w->is_origin) w->n_origin = n;
    const size_t taken = utf8_decode(w->old.text, w->old.n, &c, NULL);
    if (w->is_origin && w->old.n_origin < taken) w->old.n_origin = taken;
}

static assay_status run_space(const run *r, const tokenizer_text *piece, assay_error *err)
{
    if (piece->text[0] == ' ') return pass_part(r, piece, 0, piece->n, err);
    tokenizer_writer w = tokenizer_writer_begin(&r->work->text[r->next], piece, r->work->growth.left);
    put_before(&w, " ", 1);
    tokenizer_writer_copy(&w, piece->text, piece->n);
    return pass_written(r, &w, err);
}

static assay_status run_meta(const stage *s, const run *r, const tokenizer_text *piece, assay_error *err)
{
    const bool begins = piece->text[0] == ' ' || (piece->n >= s->n_replacement &&
                                                  memcmp(piece->text, s->replacement, s->n_replacement) == 0);
    const bool prepend =
        !begins && (s->scheme == STAGE_ALWAYS || (s->scheme == STAGE_FIRST && piece->n_origin > 0));
    if (!prepend && !memchr(piece->text, ' ', piece->n)) return pass_part(r, piece, 0, piece->n, err);
    tokenizer_writer w = tokenizer_writer_begin(&r->work->text[r->next], piece, r->work->growth.left);
    uint32_t replacement;
    (void)utf8_decode(s->replacement, s->n_replacement, &replacement, NULL);
    if (prepend) put_before(&w, s->replacement, s->n_replacement);
    for (size_t at = 0; at < piece->n;) {
        const char *space = memchr(piece->text + at, ' ', piece->n - at);
        const size_t end = space ? (size_t)(space - piece->text) : piece->n;
        tokenizer_writer_copy(&w, piece->text + at, end - at);
        if (space) tokenizer_writer_put(&w, replacement, 0);
        at = space ? end + 1 : end;
    }
    return pass_written(r, &w, err);
}

static assay_status run_stage(const run *r, const tokenizer_text *piece, assay_error *err)
{
    if (r->next == r->p->n_stages) return r->work->sink(r->work->context, piece->text, piece->n, err);
    const stage *s = &r->p->stages[r->next];
    switch (s->kind) {
    case STAGE_BYTES: return run_bytes(r, piece, err);
    case STAGE_SPACE: return run_space(r, piece, err);
    case STAGE_META: return run_meta(s, r, piece, err);
    case STAGE_SPLIT: return run_split(s, r, piece, err);
    case STAGE_WORDS: return run_words(r, piece, err);
    case STAGE_LENGTH: break;
    }
    return run_length(s, r, piece, err);
}

assay_status tokenizer_pretokenizer_run(const tokenizer_pretokenizer *p, tokenizer_splitting *work,
                                        const tokenizer_text *text, assay_error *err)
{
    if (text->n == 0) return ASSAY_OK;
    return run_stage(&(run){p, work, 0}, text, err);
}

void tokenizer_splitting_free(tokenizer_splitting *work)
{
    for (size_t i = 0; i < TOKENIZER_STAGES_MAX; i++) buffer_free(&work->text[i]);
}
