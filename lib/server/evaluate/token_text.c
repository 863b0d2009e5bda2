/* SPDX-License-Identifier: Apache-2.0 */
#include "server/evaluate/token_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "tokenizer/models/bytes.h"
#include "tokenizer/tokenizer.h"

#define ARENA_BYTES 65536 /* at least; a text may have more */

/* Texts lie in blocks that never move. */
typedef struct arena {
    struct arena *before;
    size_t n, capacity;
    char bytes[];
} arena;

struct server_token_texts {
    const server_model *model;
    tokenizer *pieces; /* the tokens as the vocabulary writes them */
    int32_t anchor;    /* a token that precedes each one when it is decoded */
    char *anchor_text; /* [n_anchor_text] */
    size_t n_anchor_text;
    assay_text *texts; /* [n_ids]; .at NULL: not made yet */
    arena *arena;
    buffer scratch;
};

/* Decodes ids into t->scratch. */
static assay_status decode_ids(server_token_texts *t, const int32_t *ids, size_t n, assay_error *err)
{
    const assay_serving *s = t->model->serving;
    buffer *b = &t->scratch;
    size_t n_text = 0;
    for (b->n = 0;;) {
        const assay_status rc =
            s->decode(t->model->tokenizer, ids, n, false, b->data, b->capacity, &n_text, err);
        if (rc != ASSAY_OK) return rc;
        if (n_text <= b->capacity) break;
        if (!buffer_reserve(b, n_text))
            return assay_fail(err, ASSAY_ENOMEM, "texts of tokens: out of memory");
    }
    b->n = n_text;
    return ASSAY_OK;
}

/* The anchor is the last token of the text "a". */
static assay_status find_anchor(server_token_texts *t, assay_error *err)
{
    int32_t ids[8];
    size_t n = 0;
    t->anchor = -1;
    assay_status rc = t->model->serving->encode(t->model->tokenizer, "a", 1, false, ids, 8, &n, err);
    if (rc != ASSAY_OK || n == 0 || n > 8) return rc;
    rc = decode_ids(t, &ids[n - 1], 1, err);
    if (rc != ASSAY_OK || t->scratch.n == 0) return rc;
    t->anchor_text = malloc(t->scratch.n);
    if (!t->anchor_text) return assay_fail(err, ASSAY_ENOMEM, "texts of tokens: out of memory");
    memcpy(t->anchor_text, t->scratch.data, t->scratch.n);
    t->n_anchor_text = t->scratch.n;
    t->anchor = ids[n - 1];
    return ASSAY_OK;
}

assay_status server_token_texts_open(const server_model *model, server_token_texts **out, assay_error *err)
{
    server_token_texts *t = calloc(1, sizeof *t);
    if (!t) return assay_fail(err, ASSAY_ENOMEM, "texts of tokens: out of memory");
    t->model = model;
    t->texts = calloc(model->n_ids, sizeof *t->texts);
    assay_status rc = ASSAY_OK;
    if (!t->texts || !buffer_reserve(&t->scratch, 256))
        rc = assay_fail(err, ASSAY_ENOMEM, "texts of tokens: out of memory");
    if (rc == ASSAY_OK) rc = tokenizer_open(model->dir, &t->pieces, err);
    if (rc == ASSAY_OK) rc = find_anchor(t, err);
    if (rc == ASSAY_OK) *out = t;
    else server_token_texts_free(t);
    return rc;
}

void server_token_texts_free(server_token_texts *t)
{
    if (!t) return;
    while (t->arena) {
        arena *before = t->arena->before;
        free(t->arena);
        t->arena = before;
    }
    tokenizer_free(t->pieces);
    free(t->anchor_text);
    free(t->texts);
    buffer_free(&t->scratch);
    free(t);
}

/* "<0xE2>" as ByteFallback spells a byte; -1 if it is none. */
static int byte_of_fallback(const char *piece, size_t n)
{
    unsigned byte;
    char text[7];
    int n_read = 0;
    if (n != 6 || memcmp(piece, "<0x", 3) != 0 || piece[5] != '>') return -1;
    memcpy(text, piece, 6);
    text[6] = '\0';
    return sscanf(text, "<0x%2X>%n", &byte, &n_read) == 1 && n_read == 6 ? (int)byte : -1;
}

/* Replaces the text in t->scratch, which is not UTF-8 or has U+FFFD in its place, by the bytes that the
 * vocabulary's spelling of the token stands for. Keeps it if the spelling stands for none. */
static void spell_bytes(server_token_texts *t, const char *piece, size_t n)
{
    const int byte = byte_of_fallback(piece, n);
    char *spelled = byte >= 0 ? NULL : malloc(n + 1);
    size_t n_spelled = 0;
    if (byte >= 0) {
        t->scratch.data[0] = (char)byte;
        t->scratch.n = 1;
        return;
    }
    if (!spelled) return;
    for (size_t at = 0; at < n;) {
        uint32_t c;
        const size_t length = utf8_decode(piece + at, n - at, &c, NULL);
        const int one = tokenizer_bytes_byte(c);
        if (one < 0) break;
        spelled[n_spelled++] = (char)one;
        at += length;
        if (at != n) continue;
        t->scratch.n = 0;
        (void)buffer_append(&t->scratch, spelled, n_spelled);
    }
    free(spelled);
}

/* Decodes the token after the anchor into t->scratch. */
static assay_status decode_token(server_token_texts *t, int32_t id, assay_error *err)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    const int32_t both[2] = {t->anchor, id};
    size_t n;
    assay_status rc = ASSAY_OK;
    bool after = t->anchor >= 0;
    if (after) rc = decode_ids(t, both, 2, err);
    after = after && t->scratch.n >= t->n_anchor_text &&
            memcmp(t->scratch.data, t->anchor_text, t->n_anchor_text) == 0;
    if (rc == ASSAY_OK && !after) rc = decode_ids(t, &id, 1, err);
    if (rc != ASSAY_OK) return rc;
    if (after) buffer_drop(&t->scratch, t->n_anchor_text);
    const char *piece = tokenizer_text_of(t->pieces, id, &n);
    if (piece && memmem(t->scratch.data, t->scratch.n, replacement, 3) && !memmem(piece, n, replacement, 3))
        spell_bytes(t, piece, n);
    return t->scratch.failed ? assay_fail(err, ASSAY_ENOMEM, "texts of tokens: out of memory") : ASSAY_OK;
}

/* A copy of t->scratch; NULL if out of memory. */
static const char *keep_text(server_token_texts *t)
{
    const size_t n = t->scratch.n;
    arena *a = t->arena;
    if (!a || a->capacity - a->n < n + 1) {
        const size_t capacity = n + 1 > ARENA_BYTES ? n + 1 : ARENA_BYTES;
        a = malloc(sizeof *a + capacity);
        if (!a) return NULL;
        a->before = t->arena;
        a->n = 0;
        a->capacity = capacity;
        t->arena = a;
    }
    char *kept = a->bytes + a->n;
    if (n > 0) memcpy(kept, t->scratch.data, n);
    kept[n] = '\0';
    a->n += n + 1;
    return kept;
}

assay_status server_token_text(server_token_texts *t, int32_t id, assay_text *out, assay_error *err)
{
    assay_text *text = &t->texts[id];
    if (!text->at) {
        const assay_status rc = decode_token(t, id, err);
        if (rc != ASSAY_OK) return rc;
        const char *kept = keep_text(t);
        if (!kept) return assay_fail(err, ASSAY_ENOMEM, "texts of tokens: out of memory");
        *text = (assay_text){kept, t->scratch.n};
    }
    *out = *text;
    return ASSAY_OK;
}
