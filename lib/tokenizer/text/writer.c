/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/writer.h"

#include "base/error.h"
#include "base/utf8.h"

tokenizer_growth tokenizer_growth_begin(size_t n)
{
    const size_t most = (SIZE_MAX - TOKENIZER_GROWTH_LEAST) / TOKENIZER_GROWTH;
    return (tokenizer_growth){n, TOKENIZER_GROWTH * (n < most ? n : most) + TOKENIZER_GROWTH_LEAST};
}

void tokenizer_growth_count(tokenizer_growth *g, size_t n)
{
    g->left -= n < g->left ? n : g->left;
}

assay_status tokenizer_growth_fail(const tokenizer_growth *g, const char *what, assay_error *err)
{
    return assay_fail(
        err, ASSAY_EUNSUPPORTED,
        "%s: grows a text of %zu bytes beyond the limit, expected at most %d times as many and %d more", what,
        g->n_text, TOKENIZER_GROWTH, TOKENIZER_GROWTH_LEAST);
}

tokenizer_text tokenizer_text_part(const tokenizer_text *t, size_t from, size_t to)
{
    return (tokenizer_text){t->text + from, to - from, t->n_origin > from ? t->n_origin - from : 0};
}

tokenizer_writer tokenizer_writer_begin(buffer *out, const tokenizer_text *old, size_t most)
{
    out->n = 0;
    return (tokenizer_writer){.out = out, .old = *old, .is_origin = old->n_origin > 0, .most = most};
}

static void consume_input(tokenizer_writer *w, size_t n)
{
    uint32_t codepoint;
    for (; n > 0 && w->at < w->old.n; n--)
        w->at += utf8_decode(w->old.text + w->at, w->old.n - w->at, &codepoint, NULL);
}

/* Whether n more bytes may be written; sets too_long if not. */
static bool may_write(tokenizer_writer *w, size_t n)
{
    if (w->out->n <= w->most && n <= w->most - w->out->n) return true;
    w->too_long = true;
    return false;
}

/* Whether a character written now is aligned with the first original one. */
static bool aligns_with_first(const tokenizer_writer *w, ptrdiff_t change)
{
    if (change > 0) return w->at == 0 || w->at - 1 < w->old.n_origin;
    return w->at < w->old.n_origin;
}

void tokenizer_writer_put(tokenizer_writer *w, uint32_t codepoint, ptrdiff_t change)
{
    if (!may_write(w, UTF8_LENGTH_MAX)) return;
    if (!buffer_append_char(w->out, codepoint)) {
        w->failed = true;
        return;
    }
    if (!w->is_origin) return;
    w->is_origin = aligns_with_first(w, change);
    if (w->is_origin) w->n_origin = w->out->n;
    if (change <= 0) consume_input(w, 1 + (size_t)-change);
}

void tokenizer_writer_copy(tokenizer_writer *w, const char *text, size_t n)
{
    size_t i = 0;
    while (w->is_origin && i < n) {
        uint32_t codepoint;
        i += utf8_decode(text + i, n - i, &codepoint, NULL);
        tokenizer_writer_put(w, codepoint, 0);
    }
    if (may_write(w, n - i) && !buffer_append(w->out, text + i, n - i)) w->failed = true;
}

void tokenizer_writer_skip(tokenizer_writer *w, size_t at)
{
    w->at = at;
}

tokenizer_text tokenizer_writer_end(const tokenizer_writer *w)
{
    return (tokenizer_text){w->out->data ? w->out->data : "", w->out->n, w->n_origin};
}
