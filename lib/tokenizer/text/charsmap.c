/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/charsmap.h"

#include "base/base64.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define SMALL_GRAPHEME 6 /* bytes; only shorter graphemes are looked up as a whole */

struct tokenizer_charsmap {
    uint32_t *units;
    size_t n_units;
    char *texts; /* [n_texts], valid UTF-8 */
    size_t n_texts;
};

/* Decodes text [n] as tokenizers does: padding at the end may be missing. */
static assay_status decode_base64(const char *text, size_t n, buffer *bytes)
{
    buffer padded = {0};
    (void)buffer_append(&padded, text, n);
    (void)buffer_append(&padded, "===", (4 - n % 4) % 4);
    const assay_status rc = padded.failed ? ASSAY_ENOMEM : base64_decode(padded.data, padded.n, bytes);
    buffer_free(&padded);
    return rc;
}

/* Reads the double array and the texts from bytes[0..n). */
static assay_status read_parts(const tokenizer_place *p, const unsigned char *bytes, size_t n,
                               tokenizer_charsmap *m, assay_error *err)
{
    const size_t size =
        n < 4 ? 0 : bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (n < 4 || size > n - 4 || size % 4 != 0 || size == 0)
        return tokenizer_place_fail(p, err, ASSAY_EFORMAT,
                                    "found %zu bytes with a double array of %zu, expected one within them", n,
                                    size);
    m->n_units = size / 4;
    m->n_texts = n - 4 - size;
    m->units = malloc(size);
    m->texts = malloc(m->n_texts + 1);
    if (!m->units || !m->texts) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < m->n_units; i++) {
        const unsigned char *u = bytes + 4 + 4 * i;
        m->units[i] = u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
    }
    memcpy(m->texts, bytes + 4 + size, m->n_texts);
    const size_t valid = utf8_valid_prefix(m->texts, m->n_texts);
    if (valid == m->n_texts) return ASSAY_OK;
    return tokenizer_place_fail(p, err, ASSAY_EFORMAT,
                                "found invalid UTF-8 at byte %zu of its texts, expected UTF-8", valid);
}

assay_status tokenizer_charsmap_open(const tokenizer_place *p, tokenizer_charsmap **out, assay_error *err)
{
    const char *text;
    size_t n;
    assay_status rc = tokenizer_place_text(p, &text, &n, err);
    if (rc != ASSAY_OK) return rc;
    tokenizer_charsmap *m = calloc(1, sizeof *m);
    buffer bytes = {0};
    rc = m ? decode_base64(text, n, &bytes) : ASSAY_ENOMEM;
    if (rc == ASSAY_ENOMEM) rc = tokenizer_place_fail(p, err, rc, "out of memory");
    else if (rc != ASSAY_OK)
        rc = tokenizer_place_fail(p, err, ASSAY_EFORMAT, "found %zu characters, expected base64", n);
    else rc = read_parts(p, (const unsigned char *)bytes.data, bytes.n, m, err);
    buffer_free(&bytes);
    if (rc == ASSAY_OK) *out = m;
    else tokenizer_charsmap_free(m);
    return rc;
}

void tokenizer_charsmap_free(tokenizer_charsmap *m)
{
    if (!m) return;
    free(m->units);
    free(m->texts);
    free(m);
}

/* The offset to the children in a unit of darts-clone, which also has a label and whether a key ends
 * there. */
static size_t offset_of(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & 1U << 9) >> 6);
}

/* The replacement of the shortest key that text[0..n) begins with, *n_with bytes; NULL if there is
 * none. */
static const char *look_up(const tokenizer_charsmap *m, const char *text, size_t n, size_t *n_with)
{
    size_t at = offset_of(m->units[0]);
    for (size_t i = 0; i < n && text[i] != '\0'; i++) {
        at ^= (unsigned char)text[i];
        if (at >= m->n_units) return NULL;
        const uint32_t unit = m->units[at];
        if ((unit & (1U << 31 | 0xff)) != (unsigned char)text[i]) return NULL;
        at ^= offset_of(unit);
        if (at >= m->n_units) return NULL;
        if (!(unit >> 8 & 1)) continue;
        const size_t begin = m->units[at] & 0x7fffffffU;
        if (begin >= m->n_texts || ((unsigned char)m->texts[begin] & 0xc0) == 0x80) return NULL;
        const char *with = m->texts + begin, *end = memchr(with, '\0', m->n_texts - begin);
        *n_with = end ? (size_t)(end - with) : m->n_texts - begin;
        return with;
    }
    return NULL;
}

/* The latest character, written once the next one comes, because its `change` counts the characters
 * removed after it. */
typedef struct pending {
    uint32_t codepoint;
    ptrdiff_t change;
    bool is;
} pending;

static void put_codepoint(tokenizer_writer *w, pending *p, uint32_t codepoint, ptrdiff_t change)
{
    if (p->is) tokenizer_writer_put(w, p->codepoint, p->change);
    *p = (pending){codepoint, change, true};
}

static size_t count_chars(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void put_replaced(tokenizer_writer *w, pending *p, size_t n_old, const char *with, size_t n)
{
    const size_t n_new = count_chars(with, n);
    size_t i = 0;
    for (size_t at = 0; at < n; i++) {
        uint32_t codepoint;
        at += utf8_decode(with + at, n - at, &codepoint, NULL);
        put_codepoint(w, p, codepoint, i >= n_old);
    }
    if (n_new < n_old && p->is) p->change -= (ptrdiff_t)(n_old - n_new);
}

static void put_grapheme(const tokenizer_charsmap *m, tokenizer_writer *w, pending *p, const char *text,
                         size_t n)
{
    size_t n_with;
    const char *with = n < SMALL_GRAPHEME ? look_up(m, text, n, &n_with) : NULL;
    if (with) {
        put_replaced(w, p, count_chars(text, n), with, n_with);
        return;
    }
    for (size_t at = 0; at < n;) {
        uint32_t codepoint;
        const size_t taken = utf8_decode(text + at, n - at, &codepoint, NULL);
        with = look_up(m, text + at, taken, &n_with);
        if (with) put_replaced(w, p, 1, with, n_with);
        else put_codepoint(w, p, codepoint, 0);
        at += taken;
    }
}

/* Bytes of the first grapheme cluster. */
static size_t grapheme_length(const char *text, size_t n)
{
    uint32_t a, b;
    utf8proc_int32_t state = 0;
    size_t at = utf8_decode(text, n, &a, NULL);
    while (at < n) {
        const size_t taken = utf8_decode(text + at, n - at, &b, NULL);
        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)a, (utf8proc_int32_t)b, &state)) break;
        at += taken;
        a = b;
    }
    return at;
}

void tokenizer_charsmap_run(const tokenizer_charsmap *m, tokenizer_writer *w, const tokenizer_text *old)
{
    pending p = {0};
    for (size_t at = 0; at < old->n && !w->failed;) {
        const size_t n = grapheme_length(old->text + at, old->n - at);
        put_grapheme(m, w, &p, old->text + at, n);
        at += n;
    }
    if (p.is) tokenizer_writer_put(w, p.codepoint, p.change);
}
