/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/wordpiece.h"

#include "base/error.h"

#include <stdlib.h>

struct tokenizer_wordpiece {
    const tokenizer_vocab *vocab;
    bool whole_words;
    int32_t unknown;        /* -1: the vocabulary lacks it */
    size_t max_input_chars; /* longer words are unknown */
    uint32_t continuation;  /* trie node of continuing_subword_prefix, or TOKENIZER_TRIE_NONE */
};

static assay_status read_text(const tokenizer_place *p, const char *name, const char **text, size_t *n,
                              assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    return rc == ASSAY_OK ? tokenizer_place_text(&member, text, n, err) : rc;
}

static assay_status read_wordpiece(const tokenizer_place *p, tokenizer_wordpiece *w, assay_error *err)
{
    tokenizer_place member;
    const char *prefix;
    size_t n;
    int64_t max_input_chars = 0;
    assay_status rc = read_text(p, "continuing_subword_prefix", &prefix, &n, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "max_input_chars_per_word", &member, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_count(&member, INT64_MAX, &max_input_chars, err);
    if (rc != ASSAY_OK) return rc;
    w->continuation = tokenizer_trie_walk(tokenizer_vocab_trie(w->vocab), 0, prefix, n);
    w->max_input_chars = (size_t)max_input_chars;
    return ASSAY_OK;
}

assay_status tokenizer_wordpiece_open(const tokenizer_file *f, const tokenizer_vocab *vocab, bool whole_words,
                                      tokenizer_wordpiece **out, assay_error *err)
{
    const tokenizer_place p = tokenizer_file_model(f);
    const char *unknown;
    size_t n = 0;
    tokenizer_wordpiece *w = calloc(1, sizeof *w);
    if (!w) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    w->vocab = vocab;
    w->whole_words = whole_words;
    assay_status rc = read_text(&p, "unk_token", &unknown, &n, err);
    if (rc == ASSAY_OK) w->unknown = tokenizer_vocab_find(vocab, unknown, n);
    if (rc == ASSAY_OK && !whole_words) rc = read_wordpiece(&p, w, err);
    if (rc == ASSAY_OK) *out = w;
    else free(w);
    return rc;
}

void tokenizer_wordpiece_free(tokenizer_wordpiece *w)
{
    free(w);
}

/* The length in bytes of the longest match of text[0..n) in the trie below `node`, or 0; *id: its
 * token. */
static size_t longest_prefix(const tokenizer_trie *trie, uint32_t node, const char *text, size_t n,
                             int32_t *id)
{
    size_t found = 0;
    for (size_t i = 0; i < n && node != TOKENIZER_TRIE_NONE; i++) {
        node = tokenizer_trie_step(trie, node, (unsigned char)text[i]);
        if (node == TOKENIZER_TRIE_NONE || trie->value[node] < 0) continue;
        found = i + 1;
        *id = trie->value[node];
    }
    return found;
}

static bool is_too_long(const tokenizer_wordpiece *w, const char *word, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)word[i] & 0xc0) != 0x80;
    return count > w->max_input_chars;
}

static assay_status put_id(tokenizer_ids *out, int32_t id, assay_error *err)
{
    if (id < 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "model.unk_token: found a token that the vocabulary lacks, and a word that needs "
                          "it; expected one of its tokens");
    return tokenizer_ids_push(out, id) ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

assay_status tokenizer_wordpiece_encode(const tokenizer_wordpiece *w, const char *word, size_t n,
                                        tokenizer_ids *out, assay_error *err)
{
    const tokenizer_trie *trie = tokenizer_vocab_trie(w->vocab);
    if (w->whole_words) {
        const int32_t id = tokenizer_vocab_find(w->vocab, word, n);
        return put_id(out, id >= 0 ? id : w->unknown, err);
    }
    const size_t before = out->n;
    if (is_too_long(w, word, n)) return put_id(out, w->unknown, err);
    for (size_t at = 0; at < n;) {
        int32_t id = -1;
        const size_t taken = longest_prefix(trie, at > 0 ? w->continuation : 0, word + at, n - at, &id);
        if (taken == 0) { /* no token matches: the whole word is unknown */
            out->n = before;
            return put_id(out, w->unknown, err);
        }
        const assay_status rc = put_id(out, id, err);
        if (rc != ASSAY_OK) return rc;
        at += taken;
    }
    return ASSAY_OK;
}
