/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/vocab.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/json_scan.h"

#include <stdlib.h>

#define SHOWN_MAX 60

typedef struct token {
    size_t at; /* offset of the text in `bytes` */
    size_t n;
    int32_t id;
} token;

struct tokenizer_vocab {
    const char *path;
    buffer bytes;
    token *tokens; /* sorted by id once sealed */
    size_t n_tokens;
    tokenizer_trie trie;
};

assay_status tokenizer_vocab_open(const char *path, tokenizer_vocab **out, assay_error *err)
{
    tokenizer_vocab *v = calloc(1, sizeof *v);
    if (!v) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    v->path = path;
    *out = v;
    return ASSAY_OK;
}

void tokenizer_vocab_free(tokenizer_vocab *v)
{
    if (!v) return;
    buffer_free(&v->bytes);
    free(v->tokens);
    tokenizer_trie_free(&v->trie);
    free(v);
}

assay_status tokenizer_vocab_add(tokenizer_vocab *v, const char *text, size_t n, int32_t id, assay_error *err)
{
    const token added = {.at = v->bytes.n, .n = n, .id = id};
    token *grown = grow_by_one(v->tokens, v->n_tokens, sizeof *grown);
    if (grown) v->tokens = grown;
    if (!grown || !buffer_append(&v->bytes, text, n))
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", v->path);
    v->tokens[v->n_tokens++] = added;
    return ASSAY_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const token *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static assay_status check_ids(const tokenizer_vocab *v, assay_error *err)
{
    for (size_t i = 1; i < v->n_tokens; i++) {
        const token *a = &v->tokens[i - 1], *b = &v->tokens[i];
        if (a->id != b->id) continue;
        const char *x = v->bytes.data + a->at, *y = v->bytes.data + b->at;
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: model.vocab: found id %d of \"%.*s\" and of \"%.*s\", expected each id once",
                          v->path, (int)a->id, json_scan_clip(x, a->n, SHOWN_MAX), x,
                          json_scan_clip(y, b->n, SHOWN_MAX), y);
    }
    return ASSAY_OK;
}

assay_status tokenizer_vocab_seal(tokenizer_vocab *v, assay_error *err)
{
    tokenizer_trie_text *texts = malloc((v->n_tokens + 1) * sizeof *texts);
    if (!texts) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", v->path);
    for (size_t i = 0; i < v->n_tokens; i++)
        texts[i] = (tokenizer_trie_text){v->bytes.data + v->tokens[i].at, v->tokens[i].n, v->tokens[i].id};
    const bool built = tokenizer_trie_build(texts, v->n_tokens, &v->trie);
    free(texts);
    if (!built) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", v->path);
    if (v->n_tokens > 0) qsort(v->tokens, v->n_tokens, sizeof *v->tokens, compare_ids);
    return check_ids(v, err);
}

size_t tokenizer_vocab_size(const tokenizer_vocab *v)
{
    return v->n_tokens;
}

int32_t tokenizer_vocab_find(const tokenizer_vocab *v, const char *text, size_t n)
{
    return tokenizer_trie_find(&v->trie, text, n);
}

const char *tokenizer_vocab_text(const tokenizer_vocab *v, int32_t id, size_t *n)
{
    if (id < 0) return NULL;
    const token *found = NULL;
    /* Ids usually have no gaps: a token's index is then its id. */
    if ((size_t)id < v->n_tokens && v->tokens[id].id == id) found = &v->tokens[id];
    else if (v->n_tokens > 0) {
        const token wanted = {.id = id};
        found = bsearch(&wanted, v->tokens, v->n_tokens, sizeof wanted, compare_ids);
    }
    if (!found) return NULL;
    *n = found->n;
    return v->bytes.data + found->at;
}

const char *tokenizer_vocab_at(const tokenizer_vocab *v, size_t i, size_t *n, int32_t *id)
{
    *n = v->tokens[i].n;
    *id = v->tokens[i].id;
    return v->bytes.data + v->tokens[i].at;
}

const tokenizer_trie *tokenizer_vocab_trie(const tokenizer_vocab *v)
{
    return &v->trie;
}
