/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/vocab.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "dialogue/tokenizing.h"
#include "tokenizer/tokenizer.h"

/* A spelling of a token. */
typedef struct spelling {
    const char *text; /* [n], in probe_vocab.texts; set when all texts are there */
    size_t offset, n;
    int32_t id;
} spelling;

struct probe_vocab {
    assay_tokenizer *tokenizer;
    size_t n_tokens;
    buffer texts;
    spelling *at; /* [n], by text, then by id */
    size_t n, capacity;
    int32_t *ids; /* [n], those of `at` */
    bool *parts;  /* [n_tokens]: their text alone has U+FFFD, or is U+0000 */
    bool *silent; /* [n_tokens]: they have no text */
};

static int compare_texts(const char *a, size_t n_a, const char *b, size_t n_b)
{
    const size_t n = n_a < n_b ? n_a : n_b;
    const int order = n ? memcmp(a, b, n) : 0;
    return order ? order : (n_a > n_b) - (n_a < n_b);
}

static int compare_spellings(const void *a, const void *b)
{
    const spelling *x = a, *y = b;
    const int order = compare_texts(x->text, x->n, y->text, y->n);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static bool has_replacement(const char *text, size_t n)
{
    return memmem(text, n, "\xEF\xBF\xBD", 3) != NULL;
}

static bool add_spelling(probe_vocab *v, int32_t id, const char *text, size_t n)
{
    if (n == 0 || has_replacement(text, n)) return true;
    spelling *at = grow_to(v->at, &v->capacity, v->n + 1, sizeof *at);
    if (!at) return false;
    v->at = at;
    v->at[v->n++] = (spelling){.offset = v->texts.n, .n = n, .id = id};
    return buffer_append(&v->texts, text, n);
}

/* A token whose text is one letter: what follows it is decoded as within a text. */
static int32_t find_anchor(const tokenizer *t)
{
    for (char letter = 'a'; letter <= 'z'; letter++) {
        const int32_t id = tokenizer_id_of(t, &letter, 1);
        if (id >= 0) return id;
    }
    return -1;
}

static assay_status add_token(probe_vocab *v, const tokenizer *t, int32_t id, int32_t anchor,
                              assay_error *err)
{
    buffer alone = {0}, after = {0};
    size_t n_raw;
    const char *raw = tokenizer_text_of(t, id, &n_raw);
    assay_status rc = probe_vocab_decode(v, &id, 1, false, &alone, err);
    if (rc == ASSAY_OK && anchor >= 0)
        rc = probe_vocab_decode(v, (int32_t[]){anchor, id}, 2, false, &after, err);
    v->silent[id] = rc == ASSAY_OK && alone.n == 0 && after.n <= (anchor >= 0);
    v->parts[id] = alone.n > 0 && (has_replacement(alone.data, alone.n) || (alone.n == 1 && !*alone.data));
    bool ok = rc == ASSAY_OK && add_spelling(v, id, alone.data, alone.n) &&
              (!raw || add_spelling(v, id, raw, n_raw)) &&
              (after.n < 2 || add_spelling(v, id, after.data + 1, after.n - 1));
    if (rc == ASSAY_OK && !ok) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    buffer_free(&alone);
    buffer_free(&after);
    return rc;
}

static assay_status sort_spellings(probe_vocab *v, assay_error *err)
{
    for (size_t i = 0; i < v->n; i++) v->at[i].text = v->texts.data + v->at[i].offset;
    if (v->n) qsort(v->at, v->n, sizeof *v->at, compare_spellings);
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (n == 0 || compare_spellings(&v->at[n - 1], &v->at[i]) != 0) v->at[n++] = v->at[i];
    v->n = n;
    v->ids = calloc(n ? n : 1, sizeof *v->ids);
    if (!v->ids) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) v->ids[i] = v->at[i].id;
    return ASSAY_OK;
}

assay_status probe_vocab_open(const char *dir, size_t n_tokens, probe_vocab **out, assay_error *err)
{
    tokenizer *t = NULL;
    probe_vocab *v = calloc(1, sizeof *v);
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    v->n_tokens = n_tokens;
    v->parts = calloc(n_tokens ? n_tokens : 1, sizeof *v->parts);
    v->silent = calloc(n_tokens ? n_tokens : 1, sizeof *v->silent);
    assay_status rc = v->parts && v->silent ? serve_tokenizer_open(dir, &v->tokenizer, err)
                                            : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    if (rc == ASSAY_OK) rc = tokenizer_open(dir, &t, err);
    const int32_t anchor = rc == ASSAY_OK ? find_anchor(t) : -1;
    for (size_t id = 0; id < n_tokens && rc == ASSAY_OK; id++) rc = add_token(v, t, (int32_t)id, anchor, err);
    if (rc == ASSAY_OK) rc = sort_spellings(v, err);
    tokenizer_free(t);
    if (rc != ASSAY_OK) probe_vocab_free(v);
    else *out = v;
    return rc;
}

void probe_vocab_free(probe_vocab *vocab)
{
    if (!vocab) return;
    serve_tokenizer_free(vocab->tokenizer);
    buffer_free(&vocab->texts);
    free(vocab->at);
    free(vocab->ids);
    free(vocab->parts);
    free(vocab->silent);
    free(vocab);
}

const assay_tokenizer *probe_vocab_tokenizer(const probe_vocab *vocab)
{
    return vocab->tokenizer;
}

assay_status probe_vocab_decode(const probe_vocab *vocab, const int32_t *ids, size_t n, bool skip_special,
                                buffer *out, assay_error *err)
{
    size_t length = 0;
    assay_status rc = serve_decode(vocab->tokenizer, ids, n, skip_special, NULL, 0, &length, err);
    if (rc != ASSAY_OK) return rc;
    if (!buffer_reserve(out, length)) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    rc = serve_decode(vocab->tokenizer, ids, n, skip_special, out->data + out->n, length, &length, err);
    if (rc == ASSAY_OK) out->n += length;
    return rc;
}

assay_status probe_vocab_encode(const probe_vocab *vocab, assay_text text, bool add_special, int32_t **ids,
                                size_t *n, assay_error *err)
{
    size_t length = 0;
    const char *at = text.n ? text.at : "";
    assay_status rc = serve_encode(vocab->tokenizer, at, text.n, add_special, NULL, 0, &length, err);
    if (rc != ASSAY_OK) return rc;
    int32_t *found = calloc(length ? length : 1, sizeof *found);
    if (!found) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    rc = serve_encode(vocab->tokenizer, at, text.n, add_special, found, length, n, err);
    if (rc != ASSAY_OK) free(found);
    else *ids = found;
    return rc;
}

void probe_vocab_find(const probe_vocab *vocab, assay_text text, const int32_t **ids, size_t *n)
{
    size_t low = 0, high = vocab->n;
    *n = 0;
    *ids = NULL;
    if (text.n == 0) return;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const spelling *s = &vocab->at[middle];
        if (compare_texts(s->text, s->n, text.at, text.n) < 0) low = middle + 1;
        else high = middle;
    }
    *ids = vocab->ids + low;
    while (low + *n < vocab->n &&
           compare_texts(vocab->at[low + *n].text, vocab->at[low + *n].n, text.at, text.n) == 0)
        (*n)++;
}

int32_t probe_vocab_find_joined(const probe_vocab *vocab, const int32_t *before, size_t n, assay_text text)
{
    int32_t ids[PROBE_CHARACTER_MOST], found = -1;
    buffer joined = {0};
    if (n == 0 || n >= PROBE_CHARACTER_MOST || text.n == 0 || has_replacement(text.at, text.n)) return -1;
    memcpy(ids, before, n * sizeof *ids);
    for (size_t v = 0; v < vocab->n_tokens && found < 0; v++) {
        if (!vocab->parts[v]) continue;
        ids[n] = (int32_t)v;
        joined.n = 0;
        if (probe_vocab_decode(vocab, ids, n + 1, false, &joined, NULL) == ASSAY_OK &&
            compare_texts(joined.data, joined.n, text.at, text.n) == 0)
            found = (int32_t)v;
    }
    buffer_free(&joined);
    return found;
}

bool probe_vocab_is_part(const probe_vocab *vocab, int32_t id)
{
    return vocab->parts[id];
}

bool probe_vocab_is_silent(const probe_vocab *vocab, int32_t id)
{
    return vocab->silent[id];
}
