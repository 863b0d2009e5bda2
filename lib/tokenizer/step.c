/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/step.h"

#include "base/error.h"
#include "base/utf8.h"
#include "tokenizer/models/bytes.h"
#include "tokenizer/replace.h"

#include <string.h>

static const char REPLACEMENT[] = "\xef\xbf\xbd";

static assay_status no_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

static bool copy_text(buffer *to, const char *text, size_t n)
{
    to->n = 0;
    return buffer_append(to, text, n);
}

/* Passes `made` of step `number` on as a token; made: whether it was built, false if out of memory. */
static assay_status pass_token(tokenizer_decoding *g, size_t number, bool made, assay_error *err)
{
    const step_state *s = &g->states[number];
    return made ? step_token(g, number + 1, s->made.data ? s->made.data : "", s->made.n, err)
                : no_memory(err);
}

static assay_status run_replace(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                                assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    tokenizer_matches matches = {.pattern = p->pattern, .matcher = g->matcher, .text = text, .n = n};
    size_t done = 0, from = 0, to = 0;
    bool found = n > 0, made = true;
    s->made.n = 0;
    tokenizer_matcher_begin(g->matcher, n);
    while (found && made) {
        const assay_status rc = tokenizer_matches_next(&matches, &from, &to, &found, err);
        if (rc != ASSAY_OK) return rc;
        if (!found) break;
        if (s->made.n + p->n > g->growth.left) return tokenizer_growth_fail(&g->growth, "decoder", err);
        made = buffer_append(&s->made, text + done, from - done) && buffer_append(&s->made, p->text, p->n);
        done = to;
    }
    tokenizer_growth_count(&g->growth, s->made.n > n ? s->made.n - n : 0);
    return pass_token(g, number, made && buffer_append(&s->made, text + done, n - done), err);
}

/* Passes the held token on, its suffixes replaced by `with`. */
static assay_status end_word(tokenizer_decoding *g, size_t number, const char *with, assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    if (!s->holds) return ASSAY_OK;
    s->holds = false;
    const bool made = tokenizer_replace(&s->held, &s->made, p->text, p->n, with, strlen(with)) &&
                      copy_text(&s->made, s->held.data, s->held.n);
    return pass_token(g, number, made, err);
}

/* Suffixes become spaces, except in the last token, where they are removed. So a token is held back
 * from its first suffix on until the next token comes; the whole token if steps follow, which must see
 * whole tokens. */
static assay_status run_bpe(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                            assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    assay_status rc = end_word(g, number, " ", err);
    if (rc == ASSAY_OK && number + 1 == g->decoder->n_steps) {
        const char *suffix = memmem(text, n, p->text, p->n);
        const size_t certain = suffix ? (size_t)(suffix - text) : n;
        rc = step_token(g, number + 1, text, certain, err);
        text += certain;
        n -= certain;
    }
    if (rc != ASSAY_OK) return rc;
    s->holds = true;
    return copy_text(&s->held, text, n) ? ASSAY_OK : no_memory(err);
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte of a token such as "<0xE2>", or -1. Hugging Face's tokenizers accepts "+" as a sign
 * ("<0x+E>"). */
static int byte_of(const char *text, size_t n)
{
    if (n != 6 || memcmp(text, "<0x", 3) != 0 || text[5] != '>') return -1;
    const int high = text[3] == '+' ? 0 : hex_value(text[3]), low = hex_value(text[4]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static assay_status put_replacements(tokenizer_decoding *g, size_t number, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) rc = step_token(g, number + 1, REPLACEMENT, 3, err);
    return rc;
}

/* Ends a run of byte tokens: text if the whole run is valid UTF-8, otherwise one U+FFFD for each
 * byte. */
static assay_status flush_bytes(tokenizer_decoding *g, size_t number, assay_error *err)
{
    step_state *s = &g->states[number];
    const bool valid = s->n_valid == s->held.n;
    assay_status rc = ASSAY_OK;
    if (!valid) rc = put_replacements(g, number, s->held.n, err);
    else if (s->held.n > 0) rc = pass_token(g, number, copy_text(&s->made, s->held.data, s->held.n), err);
    s->held.n = s->n_valid = 0;
    s->is_broken = false;
    return rc;
}

static assay_status put_byte(tokenizer_decoding *g, size_t number, char byte, assay_error *err)
{
    step_state *s = &g->states[number];
    if (s->is_broken) return put_replacements(g, number, 1, err);
    if (!buffer_append(&s->held, &byte, 1)) return no_memory(err);
    s->n_valid += utf8_valid_prefix(s->held.data + s->n_valid, s->held.n - s->n_valid);
    const size_t begun = s->held.n - s->n_valid;
    if (begun == 0 || utf8_unfinished(s->held.data + s->n_valid, begun) == begun) return ASSAY_OK;
    s->is_broken = true; /* the run is invalid whatever follows */
    const assay_status rc = put_replacements(g, number, s->held.n, err);
    s->held.n = s->n_valid = 0;
    return rc;
}

static assay_status run_byte_fallback(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                                      assay_error *err)
{
    const int byte = byte_of(text, n);
    if (byte >= 0) return put_byte(g, number, (char)(unsigned char)byte, err);
    const assay_status rc = flush_bytes(g, number, err);
    return rc == ASSAY_OK ? step_token(g, number + 1, text, n, err) : rc;
}

/* Appends the bytes that the token's characters map to, or the token unchanged if a character has no
 * byte. */
static bool append_bytes(buffer *b, const char *text, size_t n)
{
    const size_t before = b->n;
    for (size_t at = 0; at < n;) {
        uint32_t c;
        at += utf8_decode(text + at, n - at, &c, NULL);
        const int byte = tokenizer_bytes_byte(c);
        if (byte < 0) {
            b->n = before;
            return buffer_append(b, text, n);
        }
        const char one = (char)(unsigned char)byte;
        if (!buffer_append(b, &one, 1)) return false;
    }
    return true;
}

/* Writes held[0..n) into `made`, each invalid part as U+FFFD. */
static bool write_repaired(step_state *s, size_t n)
{
    s->made.n = 0;
    for (size_t at = 0; at < n;) {
        const size_t valid = utf8_valid_prefix(s->held.data + at, n - at);
        if (!buffer_append(&s->made, s->held.data + at, valid)) return false;
        at += valid;
        if (at == n) break;
        uint32_t c;
        at += utf8_decode(s->held.data + at, n - at, &c, NULL);
        if (!buffer_append(&s->made, REPLACEMENT, 3)) return false;
    }
    return true;
}

static assay_status run_byte_level(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                                   assay_error *err)
{
    step_state *s = &g->states[number];
    if (!append_bytes(&s->held, text, n)) return no_memory(err);
    if (s->held.n == 0) return ASSAY_OK;
    const size_t whole = s->held.n - utf8_unfinished(s->held.data, s->held.n);
    if (!write_repaired(s, whole)) return no_memory(err);
    buffer_drop(&s->held, whole);
    return s->made.n > 0 ? step_part(g, number + 1, s->made.data, s->made.n, err) : ASSAY_OK;
}

static assay_status run_ctc(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                            assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    buffer scratch = {0};
    if (s->holds && s->held.n == n && memcmp(s->held.data ? s->held.data : "", text, n) == 0) return ASSAY_OK;
    s->holds = true;
    bool made = copy_text(&s->held, text, n) && copy_text(&s->made, text, n) &&
                tokenizer_replace(&s->made, &scratch, p->text, p->n, "", 0);
    if (p->cleanup)
        made = made && tokenizer_clean_up(&s->made, &scratch) &&
               tokenizer_replace(&s->made, &scratch, p->delimiter, p->n_delimiter, " ", 1);
    buffer_free(&scratch);
    return made && s->made.n == 0 ? ASSAY_OK : pass_token(g, number, made, err);
}

static assay_status run_wordpiece(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                                  assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    const bool first = s->n_tokens == 1, goes_on = n >= p->n && memcmp(text, p->text, p->n) == 0;
    s->made.n = 0;
    bool made = first || goes_on || buffer_append(&s->made, " ", 1);
    const size_t from = !first && goes_on ? p->n : 0;
    made = made && buffer_append(&s->made, text + from, n - from);
    if (p->cleanup) made = made && tokenizer_clean_up(&s->made, &s->held);
    return pass_token(g, number, made, err);
}

static assay_status run_meta(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                             assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    const bool drops = p->drops_first && s->n_tokens == 1;
    bool made = true;
    s->made.n = 0;
    for (size_t at = 0; at < n && made;) {
        uint32_t c;
        const size_t taken = utf8_decode(text + at, n - at, &c, NULL);
        if (c != p->character) made = buffer_append(&s->made, text + at, taken);
        else if (!drops) made = buffer_append(&s->made, " ", 1);
        at += taken;
    }
    return pass_token(g, number, made, err);
}

static assay_status run_spaces(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                               assay_error *err)
{
    step_state *s = &g->states[number];
    s->made.n = 0;
    return pass_token(
        g, number, (s->n_tokens == 1 || buffer_append(&s->made, " ", 1)) && buffer_append(&s->made, text, n),
        err);
}

/* The number of bytes stripped at the left of text[0..n), a token or a part of one. *n_stripped counts
 * the characters stripped so far, *done is set when stripping ends; both carry over to the token's next
 * part. */
static size_t strip_left(const step *p, const char *text, size_t n, int64_t *n_stripped, bool *done)
{
    size_t at = 0;
    while (at < n && !*done) {
        uint32_t c;
        const size_t taken = utf8_decode(text + at, n - at, &c, NULL);
        *done = *n_stripped >= p->start || c != p->character;
        if (*done) break;
        ++*n_stripped;
        at += taken;
    }
    return at;
}

/* The offset where the characters stripped at the right of text[0..n) begin, at most p->stop of
 * them. */
static size_t strip_right(const step *p, const char *text, size_t n)
{
    for (int64_t i = 0; i < p->stop && n > 0; i++) {
        uint32_t c;
        const size_t before = utf8_before(text, n);
        (void)utf8_decode(text + before, n - before, &c, NULL);
        if (c != p->character) break;
        n = before;
    }
    return n;
}

static assay_status run_strip(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                              assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    int64_t n_stripped = 0;
    bool done = false;
    const size_t from = strip_left(p, text, n, &n_stripped, &done), to = strip_right(p, text, n);
    return step_token(g, number + 1, text + from, to > from ? to - from : 0, err);
}

/* Characters that could be stripped at the right of the whole token are held back. */
static assay_status strip_part(tokenizer_decoding *g, size_t number, const char *text, size_t n,
                               assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    const size_t from = strip_left(p, text, n, &s->n_stripped, &s->strip_done);
    if (!buffer_append(&s->held, text + from, n - from)) return no_memory(err);
    const size_t certain = strip_right(p, s->held.data ? s->held.data : "", s->held.n);
    if (certain == 0) return ASSAY_OK;
    const assay_status rc = step_part(g, number + 1, s->held.data, certain, err);
    buffer_drop(&s->held, certain);
    return rc;
}

assay_status step_token(tokenizer_decoding *g, size_t number, const char *text, size_t n, assay_error *err)
{
    if (number == g->decoder->n_steps) return buffer_append(g->out, text, n) ? ASSAY_OK : no_memory(err);
    g->states[number].n_tokens++;
    switch (g->decoder->steps[number].kind) {
    case STEP_BPE: return run_bpe(g, number, text, n, err);
    case STEP_BYTE_FALLBACK: return run_byte_fallback(g, number, text, n, err);
    case STEP_BYTE_LEVEL: return run_byte_level(g, number, text, n, err);
    case STEP_CTC: return run_ctc(g, number, text, n, err);
    case STEP_FUSE: return n > 0 ? step_part(g, number + 1, text, n, err) : ASSAY_OK;
    case STEP_META: return run_meta(g, number, text, n, err);
    case STEP_REPLACE: return run_replace(g, number, text, n, err);
    case STEP_SPACES: return run_spaces(g, number, text, n, err);
    case STEP_STRIP: return run_strip(g, number, text, n, err);
    case STEP_WORDPIECE: break;
    }
    return run_wordpiece(g, number, text, n, err);
}

assay_status step_part(tokenizer_decoding *g, size_t number, const char *text, size_t n, assay_error *err)
{
    if (number == g->decoder->n_steps) return buffer_append(g->out, text, n) ? ASSAY_OK : no_memory(err);
    step_state *s = &g->states[number];
    s->in_parts = true;
    switch (g->decoder->steps[number].kind) {
    case STEP_FUSE: return step_part(g, number + 1, text, n, err);
    case STEP_STRIP: return strip_part(g, number, text, n, err);
    default: return buffer_append(&s->held, text, n) ? ASSAY_OK : no_memory(err);
    }
}

/* Runs the step on the token that came in parts, which is complete now. */
static assay_status end_parts(tokenizer_decoding *g, size_t number, assay_error *err)
{
    step_state *s = &g->states[number];
    const step_kind kind = g->decoder->steps[number].kind;
    if (!s->in_parts || kind == STEP_FUSE || kind == STEP_STRIP) return ASSAY_OK;
    buffer whole = s->held;
    s->held = (buffer){0};
    const assay_status rc = step_token(g, number, whole.data ? whole.data : "", whole.n, err);
    buffer_free(&whole);
    return rc;
}

static assay_status end_one(tokenizer_decoding *g, size_t number, assay_error *err)
{
    const step *p = &g->decoder->steps[number];
    step_state *s = &g->states[number];
    switch (p->kind) {
    case STEP_BPE: return end_word(g, number, "", err);
    case STEP_BYTE_FALLBACK: return flush_bytes(g, number, err);
    case STEP_BYTE_LEVEL:
        if (s->held.n == 0) return ASSAY_OK;
        return write_repaired(s, s->held.n) ? step_part(g, number + 1, s->made.data, s->made.n, err)
                                            : no_memory(err);
    default: return ASSAY_OK; /* STRIP: the text still held is stripped */
    }
}

assay_status step_end(tokenizer_decoding *g, size_t number, assay_error *err)
{
    if (number == g->decoder->n_steps) return ASSAY_OK;
    assay_status rc = end_parts(g, number, err);
    if (rc == ASSAY_OK) rc = end_one(g, number, err);
    return rc == ASSAY_OK ? step_end(g, number + 1, err) : rc;
}
