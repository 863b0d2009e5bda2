/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/normal_step.h"

#include "base/error.h"
#include "base/utf8.h"
#include "tokenizer/models/bytes.h"
#include "tokenizer/text/chars.h"

/* Returns the character, its replacement, or GONE if the character is removed. */
#define GONE UINT32_MAX
typedef uint32_t char_filter(uint32_t c);

static uint32_t clean_char(uint32_t c)
{
    if (c == 0 || c == UTF8_REPLACEMENT || chars_is_control(c)) return GONE;
    return chars_is_white(c) ? ' ' : c;
}

static uint32_t without_nonspacing(uint32_t c)
{
    return chars_is_nonspacing(c) ? GONE : c;
}

static uint32_t without_combining(uint32_t c)
{
    return chars_is_combining(c) ? GONE : c;
}

static uint32_t normalise_nmt(uint32_t c)
{
    if ((c >= 1 && c <= 8) || c == 0xb || (c >= 0xe && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f)
        return GONE;
    switch (c) {
    case 0x9:
    case 0xa:
    case 0xc:
    case 0xd:
    case 0x1680:
    case 0x200b:
    case 0x200c:
    case 0x200d:
    case 0x200e:
    case 0x200f:
    case 0x2028:
    case 0x2029:
    case 0x2581:
    case 0xfeff:
    case 0xfffd: return ' ';
    default: return c;
    }
}

/* Each character is written once the next kept one is found, because its `change` counts the characters
 * removed after it. */
static void run_filter(char_filter *filter, tokenizer_writer *w, const tokenizer_text *old)
{
    uint32_t kept = GONE;
    ptrdiff_t n_gone = 0;
    for (size_t at = 0; at < old->n;) {
        uint32_t c;
        const size_t begin = at;
        at += utf8_decode(old->text + at, old->n - at, &c, NULL);
        const uint32_t next = filter(c);
        if (next == GONE) {
            n_gone++;
            continue;
        }
        if (kept != GONE) tokenizer_writer_put(w, kept, -n_gone);
        else tokenizer_writer_skip(w, begin);
        kept = next;
        n_gone = 0;
    }
    if (kept != GONE) tokenizer_writer_put(w, kept, -n_gone);
}

static void run_chinese(tokenizer_writer *w, const tokenizer_text *old)
{
    for (size_t at = 0; at < old->n;) {
        uint32_t c;
        at += utf8_decode(old->text + at, old->n - at, &c, NULL);
        const bool is = chars_is_chinese(c);
        if (is) tokenizer_writer_put(w, ' ', 0);
        tokenizer_writer_put(w, c, is);
        if (is) tokenizer_writer_put(w, ' ', 1);
    }
}

static void run_lower(tokenizer_writer *w, const tokenizer_text *old)
{
    for (size_t at = 0; at < old->n;) {
        uint32_t c, lower[2];
        at += utf8_decode(old->text + at, old->n - at, &c, NULL);
        const int n = chars_lower(c, lower);
        for (int i = 0; i < n; i++) tokenizer_writer_put(w, lower[i], i > 0);
    }
}

static void run_bytes(tokenizer_writer *w, const tokenizer_text *old)
{
    for (size_t at = 0; at < old->n; at++) {
        const unsigned char byte = (unsigned char)old->text[at];
        tokenizer_writer_put(w, tokenizer_bytes_char(byte), (byte & 0xc0) == 0x80);
    }
}

static void run_strip(const normal_step *s, tokenizer_writer *w, const tokenizer_text *old)
{
    uint32_t c;
    size_t from = 0, to = old->n;
    while (s->left && from < to) {
        const size_t taken = utf8_decode(old->text + from, to - from, &c, NULL);
        if (!chars_is_white(c)) break;
        from += taken;
    }
    while (s->right && to > from) {
        const size_t before = utf8_before(old->text, to);
        (void)utf8_decode(old->text + before, to - before, &c, NULL);
        if (!chars_is_white(c)) break;
        to = before;
    }
    tokenizer_writer_skip(w, from);
    tokenizer_writer_copy(w, old->text + from, to - from);
}

/* All added characters, and the first old one, stand for the first old character. */
static void run_prepend(const normal_step *s, tokenizer_writer *w, const tokenizer_text *old)
{
    uint32_t c;
    for (size_t at = 0; at < s->n;) {
        const bool first = at == 0;
        at += utf8_decode(s->text + at, s->n - at, &c, NULL);
        tokenizer_writer_put(w, c, !first);
    }
    const size_t taken = utf8_decode(old->text, old->n, &c, NULL);
    tokenizer_writer_put(w, c, s->n > 0);
    tokenizer_writer_copy(w, old->text + taken, old->n - taken);
}

static void put_added(tokenizer_writer *w, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        uint32_t c;
        at += utf8_decode(text + at, n - at, &c, NULL);
        tokenizer_writer_put(w, c, 1);
    }
}

static assay_status run_replace(const normal_step *s, tokenizer_normalizing *work, tokenizer_writer *w,
                                const tokenizer_text *old, assay_error *err)
{
    tokenizer_matches matches = {
        .pattern = s->pattern, .matcher = work->matcher, .text = old->text, .n = old->n};
    size_t done = 0, from, to;
    bool found;
    for (;;) {
        const assay_status rc = tokenizer_matches_next(&matches, &from, &to, &found, err);
        if (rc != ASSAY_OK) return rc;
        if (!found) break;
        tokenizer_writer_copy(w, old->text + done, from - done);
        tokenizer_writer_skip(w, to);
        put_added(w, s->text, s->n);
        done = to;
        if (w->failed || w->too_long) break;
    }
    tokenizer_writer_copy(w, old->text + done, old->n - done);
    return ASSAY_OK;
}

assay_status normal_step_run(const normal_step *s, tokenizer_normalizing *work, tokenizer_writer *w,
                             const tokenizer_text *old, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    switch (s->kind) {
    case NORMAL_BERT_CLEAN: run_filter(clean_char, w, old); break;
    case NORMAL_BERT_CHINESE: run_chinese(w, old); break;
    case NORMAL_BERT_ACCENTS: run_filter(without_nonspacing, w, old); break;
    case NORMAL_BYTES: run_bytes(w, old); break;
    case NORMAL_FORM: tokenizer_normal_form(w, old, s->compatible, s->composed, &work->chars); break;
    case NORMAL_LOWER: run_lower(w, old); break;
    case NORMAL_NMT: run_filter(normalise_nmt, w, old); break;
    case NORMAL_PRECOMPILED: tokenizer_charsmap_run(s->charsmap, w, old); break;
    case NORMAL_PREPEND: run_prepend(s, w, old); break;
    case NORMAL_REPLACE: rc = run_replace(s, work, w, old, err); break;
    case NORMAL_STRIP: run_strip(s, w, old); break;
    case NORMAL_STRIP_ACCENTS: run_filter(without_combining, w, old); break;
    }
    if (rc == ASSAY_OK && w->too_long) rc = tokenizer_growth_fail(&work->growth, "normalizer", err);
    if (rc == ASSAY_OK && w->failed) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc;
}

void tokenizer_normalizing_free(tokenizer_normalizing *work)
{
    buffer_free(&work->text[0]);
    buffer_free(&work->text[1]);
    tokenizer_normal_chars_free(&work->chars);
}
