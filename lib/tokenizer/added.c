/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/added.h"

#include "base/error.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "tokenizer/models/pairs.h"
#include "tokenizer/text/chars.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 60

typedef struct added {
    char *text;   /* [n] */
    char *normal; /* [n_normal]: the normalised text, which is searched for; NULL: text is */
    size_t n, n_normal;
    size_t element; /* its index in the file's list */
    int32_t id;
    bool single_word, lstrip, rstrip, normalized, special;
    bool is_listed; /* the last token with its id: only that one is searched for */
} added;

struct tokenizer_added {
    added *tokens;
    size_t n_tokens;
    tokenizer_trie texts;   /* all tokens by text; values: index of the last token with that text */
    tokenizer_trie sets[2]; /* tokens searched for in the given text [0] and in normalised text [1] */
    tokenizer_pairs by_id;
    bool *special; /* [n_tokens], by index in `texts`: whether any token with that text is special */
};

void tokenizer_added_free(tokenizer_added *a)
{
    if (!a) return;
    for (size_t i = 0; i < a->n_tokens; i++) {
        free(a->tokens[i].text);
        free(a->tokens[i].normal);
    }
    free(a->tokens);
    free(a->special);
    tokenizer_trie_free(&a->texts);
    tokenizer_trie_free(&a->sets[0]);
    tokenizer_trie_free(&a->sets[1]);
    tokenizer_pairs_free(&a->by_id);
    free(a);
}

static char *copy_text(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (!copy) return NULL;
    if (n > 0) memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

static assay_status read_token(const tokenizer_place *p, added *t, assay_error *err)
{
    tokenizer_place content;
    const char *text;
    assay_status rc = tokenizer_place_member(p, "content", &content, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_text(&content, &text, &t->n, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "single_word", &t->single_word, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "lstrip", &t->lstrip, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "rstrip", &t->rstrip, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "normalized", &t->normalized, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "special", &t->special, err);
    if (rc != ASSAY_OK) return rc;
    t->text = copy_text(text, t->n);
    return t->text ? ASSAY_OK : tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
}

static assay_status normalise_token(const tokenizer_place *p, const tokenizer_normalizer *normalizer,
                                    tokenizer_normalizing *work, added *t, assay_error *err)
{
    const tokenizer_text text = {.text = t->text, .n = t->n};
    tokenizer_text normal;
    assay_error why = {0};
    work->growth = tokenizer_growth_begin(t->n);
    const assay_status rc = tokenizer_normalizer_run(normalizer, work, &text, &normal, &why);
    if (rc != ASSAY_OK) return tokenizer_place_fail(p, err, rc, "%s", why.text);
    if (normal.n == t->n && memcmp(normal.text, t->text, t->n) == 0) return ASSAY_OK;
    if (normal.n == 0)
        return tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED,
                                    "found a token of 0 bytes once normalised, expected at least one");
    t->normal = copy_text(normal.text, normal.n);
    t->n_normal = normal.n;
    return t->normal ? ASSAY_OK : tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
}

/* Reads and normalises all tokens, whose regular expressions share one limit on steps. */
static assay_status read_tokens(const tokenizer_place *p, const tokenizer_normalizer *normalizer,
                                tokenizer_normalizing *work, tokenizer_added *a, assay_error *err)
{
    size_t length = 0, n_bytes = 0;
    assay_status rc = p->value ? tokenizer_place_length(p, &length, err) : ASSAY_OK;
    if (rc != ASSAY_OK) return rc;
    a->tokens = calloc(length + 1, sizeof *a->tokens);
    if (!a->tokens) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < length && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(p, i);
        added *t = &a->tokens[a->n_tokens];
        *t = (added){.id = -1};
        rc = read_token(&element, t, err);
        t->element = i;
        n_bytes += t->n;
        if (rc != ASSAY_OK || t->n > 0) a->n_tokens++;
        else free(t->text); /* Hugging Face's tokenizers ignores empty tokens */
    }
    tokenizer_matcher_begin(work->matcher, n_bytes);
    for (size_t i = 0; i < a->n_tokens && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(p, a->tokens[i].element);
        if (a->tokens[i].normalized) rc = normalise_token(&element, normalizer, work, &a->tokens[i], err);
    }
    return rc;
}

/* A trie of all tokens by text (which = -1), or of the listed tokens whose "normalized" equals `which`,
 * by the text that is searched for. Values are token indices. */
static bool build_trie(tokenizer_added *a, int which, tokenizer_trie *out)
{
    tokenizer_trie_text *texts = malloc((a->n_tokens + 1) * sizeof *texts);
    size_t n = 0;
    if (!texts) return false;
    for (size_t i = 0; i < a->n_tokens; i++) {
        const added *t = &a->tokens[i];
        if (which >= 0 && (!t->is_listed || t->normalized != which)) continue;
        const bool normal = which >= 0 && t->normal;
        texts[n++] =
            (tokenizer_trie_text){normal ? t->normal : t->text, normal ? t->n_normal : t->n, (int32_t)i};
    }
    const bool built = tokenizer_trie_build(texts, n, out);
    free(texts);
    return built;
}

/* Assigns ids in the order of the file, and marks the last token of each id as listed. */
static bool assign_ids(tokenizer_added *a, const tokenizer_vocab *vocab)
{
    int64_t next = (int64_t)tokenizer_vocab_size(vocab);
    int32_t *ids = malloc((a->n_tokens + 1) * sizeof *ids); /* by the index in `texts` */
    a->special = calloc(a->n_tokens + 1, sizeof *a->special);
    bool had = ids && a->special && tokenizer_pairs_open(&a->by_id, a->n_tokens);
    for (size_t i = 0; i < a->n_tokens && ids; i++) ids[i] = -1;
    for (size_t i = 0; i < a->n_tokens && had; i++) {
        added *t = &a->tokens[i];
        const int32_t place = tokenizer_trie_find(&a->texts, t->text, t->n);
        if (ids[place] < 0) ids[place] = tokenizer_vocab_find(vocab, t->text, t->n);
        if (ids[place] < 0) ids[place] = next < INT32_MAX ? (int32_t)next++ : INT32_MAX;
        t->id = ids[place];
        if (t->special) a->special[place] = true;
        const tokenizer_pair *before = tokenizer_pairs_find(&a->by_id, (uint32_t)t->id, 0);
        if (before) a->tokens[before->rank].is_listed = false;
        t->is_listed = true;
        tokenizer_pairs_put(&a->by_id, (uint32_t)t->id, 0, (int32_t)i, 0);
    }
    free(ids);
    return had;
}

/* Refuses two tokens that are searched for with the same text: which of them Hugging Face's tokenizers
 * finds depends on its hash order. */
static assay_status check_normal(const tokenizer_place *p, const tokenizer_added *a, assay_error *err)
{
    for (size_t i = 0; i < a->n_tokens; i++) {
        const added *t = &a->tokens[i];
        if (!t->is_listed) continue;
        const char *text = t->normal ? t->normal : t->text;
        const size_t n = t->normal ? t->n_normal : t->n;
        const int32_t found = tokenizer_trie_find(&a->sets[t->normalized], text, n);
        if (found == (int32_t)i) continue;
        const added *other = &a->tokens[found];
        return tokenizer_place_fail(
            p, err, ASSAY_EUNSUPPORTED,
            "found \"%.*s\" and \"%.*s\", expected them to differ where they are looked for",
            json_scan_clip(t->text, t->n, SHOWN_MAX), t->text,
            json_scan_clip(other->text, other->n, SHOWN_MAX), other->text);
    }
    return ASSAY_OK;
}

assay_status tokenizer_added_open(const tokenizer_place *p, const tokenizer_vocab *vocab,
                                  const tokenizer_normalizer *normalizer, tokenizer_normalizing *work,
                                  tokenizer_added **out, assay_error *err)
{
    tokenizer_added *a = calloc(1, sizeof *a);
    if (!a) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = read_tokens(p, normalizer, work, a, err);
    if (rc == ASSAY_OK && (!build_trie(a, -1, &a->texts) || !assign_ids(a, vocab) ||
                           !build_trie(a, 0, &a->sets[0]) || !build_trie(a, 1, &a->sets[1])))
        rc = tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK) rc = check_normal(p, a, err);
    if (rc == ASSAY_OK) *out = a;
    else tokenizer_added_free(a);
    return rc;
}

const char *tokenizer_added_text(const tokenizer_added *a, int32_t id, size_t *n)
{
    const tokenizer_pair *found = id < 0 ? NULL : tokenizer_pairs_find(&a->by_id, (uint32_t)id, 0);
    if (!found) return NULL;
    const added *t = &a->tokens[found->rank];
    *n = t->normal ? t->n_normal : t->n;
    return t->normal ? t->normal : t->text;
}

int32_t tokenizer_added_find(const tokenizer_added *a, const char *text, size_t n)
{
    const int32_t place = tokenizer_trie_find(&a->texts, text, n);
    return place < 0 ? -1 : a->tokens[place].id;
}

bool tokenizer_added_is_special(const tokenizer_added *a, const char *text, size_t n)
{
    const int32_t place = tokenizer_trie_find(&a->texts, text, n);
    return place >= 0 && a->special[place];
}

static bool is_word_before(const char *text, size_t at)
{
    uint32_t c;
    if (at == 0) return false;
    const size_t before = utf8_before(text, at);
    (void)utf8_decode(text + before, at - before, &c, NULL);
    return chars_is_word(c);
}

static bool is_word_after(const char *text, size_t at, size_t n)
{
    uint32_t c;
    if (at == n) return false;
    (void)utf8_decode(text + at, n - at, &c, NULL);
    return chars_is_word(c);
}

/* The offset where the white space that ends at `at` begins, at least `least`. */
static size_t white_before(const char *text, size_t least, size_t at)
{
    while (at > least) {
        uint32_t c;
        const size_t before = utf8_before(text, at);
        (void)utf8_decode(text + before, at - before, &c, NULL);
        if (!chars_is_white(c)) break;
        at = before;
    }
    return at < least ? least : at;
}

static size_t white_after(const char *text, size_t at, size_t n)
{
    while (at < n) {
        uint32_t c;
        const size_t taken = utf8_decode(text + at, n - at, &c, NULL);
        if (!chars_is_white(c)) break;
        at += taken;
    }
    return at;
}

assay_status tokenizer_added_split(const tokenizer_added *a, bool normalized, const char *text, size_t n,
                                   tokenizer_part_sink *sink, void *context, assay_error *err)
{
    const tokenizer_trie *trie = &a->sets[normalized];
    size_t done = 0, white_end = 0; /* white_end: where the last rstrip ended */
    assay_status rc = ASSAY_OK;
    for (size_t at = 0; at < n && rc == ASSAY_OK;) {
        int32_t place = -1;
        if (trie->root[(unsigned char)text[at]] == TOKENIZER_TRIE_NONE) {
            at++;
            continue;
        }
        const size_t taken = tokenizer_trie_longest(trie, text + at, n - at, &place);
        size_t from = at, to = at + taken;
        at += taken > 0 ? taken : 1;
        if (taken == 0) continue;
        const added *t = &a->tokens[place];
        if (t->single_word && (is_word_before(text, from) || is_word_after(text, to, n))) continue;
        if (t->lstrip) from = from > done ? white_before(text, done, from) : done;
        if (t->rstrip && to < white_end) to = white_end;
        else if (t->rstrip) to = white_end = white_after(text, to, n);
        if (done < from) rc = sink(context, done, from, -1, err);
        if (rc == ASSAY_OK && from < to) rc = sink(context, from, to, t->id, err);
        done = to; /* from >= to if the previous token's rstrip has taken this whole token */
    }
    if (rc == ASSAY_OK && done != n) rc = sink(context, done, n, -1, err);
    return rc;
}
