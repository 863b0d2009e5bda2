/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/bpe.h"

#include "tokenizer/models/bpe_parts.h"

#include "base/error.h"
#include "base/utf8.h"
#include "tokenizer/models/bpe_merge.h"
#include "tokenizer/models/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tokenizer_bpe_work_free(tokenizer_bpe_work *work)
{
    tokenizer_cache_free(work->cache);
    tokenizer_ids_free(&work->word);
    free(work->symbols);
    *work = (tokenizer_bpe_work){0};
}

/* The initial symbols of a word, and a pending unknown symbol. */
typedef struct spelling {
    const tokenizer_bpe *bpe;
    tokenizer_ids *ids;
    bool unknown; /* an unknown symbol is pending */
    bool failed;  /* out of memory, or the vocabulary lacks the unknown token */
} spelling;

static void put_symbol(spelling *s, int32_t id)
{
    if (!tokenizer_ids_push(s->ids, id)) s->failed = true;
}

static void put_unknown(spelling *s)
{
    if (s->unknown) put_symbol(s, s->bpe->unknown);
    s->unknown = false;
}

/* A character with the prefix of continuations and the suffix of word ends, as far as it has them. */
enum { PREFIX, CHARACTER, SUFFIX, N_PARTS };

typedef struct spelt_char {
    const char *text[N_PARTS];
    size_t n[N_PARTS];
} spelt_char;

/* Appends one symbol for each byte if the vocabulary has all of them. */
static bool put_fallback(spelling *s, const spelt_char *c)
{
    const int32_t *ids = s->bpe->byte_ids;
    for (size_t part = 0; part < N_PARTS; part++)
        for (size_t i = 0; i < c->n[part]; i++)
            if (ids[(unsigned char)c->text[part][i]] < 0) return false;
    for (size_t part = 0; part < N_PARTS; part++)
        for (size_t i = 0; i < c->n[part]; i++) put_symbol(s, ids[(unsigned char)c->text[part][i]]);
    return true;
}

/* As in Hugging Face's tokenizers, an unknown symbol stays pending until the next known character, so
 * symbols of byte fallback overtake it. Without an unknown token, characters without a token are
 * dropped. */
static void put_missing(spelling *s, const spelt_char *c)
{
    const tokenizer_bpe *b = s->bpe;
    if (b->byte_fallback && put_fallback(s, c)) return;
    if (!b->has_unknown) return;
    if (!b->fuses_unknown) put_unknown(s);
    s->unknown = true;
    if (b->unknown < 0) s->failed = true;
}

static void put_char(spelling *s, const char *text, size_t n, bool first, bool last)
{
    const tokenizer_bpe *b = s->bpe;
    const tokenizer_trie *trie = tokenizer_vocab_trie(b->vocab);
    const spelt_char c = {{b->prefix, text, b->suffix}, {first ? 0 : b->n_prefix, n, last ? b->n_suffix : 0}};
    uint32_t node = 0;
    for (size_t part = 0; part < N_PARTS; part++)
        node = tokenizer_trie_walk(trie, node, c.text[part], c.n[part]);
    const int32_t id = node == TOKENIZER_TRIE_NONE ? -1 : trie->value[node];
    if (id < 0) {
        put_missing(s, &c);
        return;
    }
    put_unknown(s);
    put_symbol(s, id);
}

static void spell_bytes(spelling *s, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int32_t id = s->bpe->byte_ids[(unsigned char)word[i]];
        if (id < 0) {
            put_missing(s, &(spelt_char){.text[CHARACTER] = word + i, .n[CHARACTER] = 1});
            continue;
        }
        put_unknown(s);
        put_symbol(s, id);
    }
}

static void spell_chars(spelling *s, const char *word, size_t n)
{
    for (size_t at = 0; at < n;) {
        uint32_t codepoint;
        const size_t taken = utf8_decode(word + at, n - at, &codepoint, NULL);
        const int32_t id = s->bpe->char_ids[codepoint & 0x7f];
        if (codepoint < 0x80 && s->bpe->n_prefix + s->bpe->n_suffix == 0 && id >= 0) {
            put_unknown(s);
            put_symbol(s, id);
        } else {
            put_char(s, word + at, taken, at == 0, at + taken == n);
        }
        at += taken;
    }
}

/* Encodes a word, or a part of one that no merge joins to the rest. */
static assay_status encode_part(const tokenizer_bpe *b, tokenizer_bpe_work *work, const char *word, size_t n,
                                tokenizer_ids *out, assay_error *err)
{
    size_t n_ids;
    const bool remember = work->cache && n <= TOKENIZER_CACHE_WORD_MAX;
    const int32_t *known = remember ? tokenizer_cache_find(work->cache, word, n, &n_ids) : NULL;
    if (known)
        return tokenizer_ids_append(out, known, n_ids) ? ASSAY_OK
                                                       : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    work->word.n = 0;
    spelling s = {.bpe = b, .ids = &work->word};
    if (b->byte_level) spell_bytes(&s, word, n);
    else spell_chars(&s, word, n);
    if (!s.failed) put_unknown(&s);
    if (s.failed && b->has_unknown && b->unknown < 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "model.unk_token: found a token that the vocabulary lacks, and a text that needs "
                          "it; expected one of its tokens");
    if (s.failed || !tokenizer_bpe_merge(&b->merges, work, work->word.ids, &work->word.n) ||
        !tokenizer_ids_append(out, work->word.ids, work->word.n))
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (remember) tokenizer_cache_put(work->cache, word, n, work->word.ids, work->word.n);
    return ASSAY_OK;
}

/* Whether a merge may join symbols across the boundary of two adjacent characters. True if one of them
 * is no token, since its symbols are then other tokens. */
static bool is_joined(const tokenizer_bpe *b, uint32_t left, int32_t left_id, uint32_t right,
                      int32_t right_id)
{
    if (left_id < 0 || right_id < 0) return true;
    if (left < 0x80 && right < 0x80) return b->joined[left][right / 8] >> right % 8 & 1;
    return tokenizer_pairs_find(&b->joins, left, right) != NULL;
}

/* The first offset > `from` that no merge joins symbols across; n if there is none. */
static size_t part_end(const tokenizer_bpe *b, const char *word, size_t from, size_t n)
{
    uint32_t left = 0;
    int32_t left_id = -1;
    for (size_t at = from; at < n;) {
        uint32_t c;
        const size_t taken = utf8_decode(word + at, n - at, &c, NULL);
        const int32_t id = c < 0x80 ? b->char_ids[c] : tokenizer_vocab_find(b->vocab, word + at, taken);
        if (at > from && !is_joined(b, left, left_id, c, id)) return at;
        left = c;
        left_id = id;
        at += taken;
    }
    return n;
}

assay_status tokenizer_bpe_encode(const tokenizer_bpe *b, tokenizer_bpe_work *work, const char *word,
                                  size_t n, tokenizer_ids *out, assay_error *err)
{
    if (b->ignores_merges) {
        const int32_t id =
            tokenizer_trie_find(b->byte_level ? &b->raw : tokenizer_vocab_trie(b->vocab), word, n);
        if (id >= 0)
            return tokenizer_ids_push(out, id) ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    if (!b->is_cut) return encode_part(b, work, word, n, out, err);
    assay_status rc = ASSAY_OK;
    for (size_t at = 0; at < n && rc == ASSAY_OK;) {
        const size_t end = part_end(b, word, at, n);
        rc = encode_part(b, work, word + at, end - at, out, err);
        at = end;
    }
    return rc;
}
