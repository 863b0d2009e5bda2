/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/merges.h"

#include "base/error.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "base/utf8.h"
#include "gguf/metadata.h"

#include <stdlib.h>
#include <string.h>

#define MERGES_MAX ((size_t)1 << 22)
#define SHOWN_MAX  60

static const char KEY[] = "tokenizer.ggml.merges";

static assay_status no_memory(const gguf *f, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", gguf_path(f));
}

static void append_pair(buffer *to, size_t index, assay_text left, assay_text right)
{
    buffer_append_string(to, index > 0 ? ",[" : "[");
    json_append_quoted(to, left);
    buffer_append(to, ",", 1);
    json_append_quoted(to, right);
    buffer_append(to, "]", 1);
}

assay_status gguf_merges_append(const gguf *f, buffer *to, assay_error *err)
{
    const gguf_value *merges = NULL;
    assay_status rc = gguf_require(f, KEY, err);
    if (rc == ASSAY_OK) rc = gguf_get_texts(f, KEY, &merges, err);
    if (rc != ASSAY_OK) return rc;
    gguf_texts next = gguf_value_texts(merges);
    assay_text text;
    buffer_append(to, "[", 1);
    for (size_t i = 0; gguf_texts_next(&next, &text); i++) {
        const char *blank =
            text.n > 1 ? memchr(text.at + 1, ' ', text.n - 1) : NULL; /* a token may be a blank */
        if (!blank || blank + 1 == text.at + text.n || utf8_valid_prefix(text.at, text.n) != text.n)
            return assay_fail(
                err, ASSAY_EFORMAT,
                "%s: key '%s': element %zu: found \"%.*s\", expected two tokens and a blank between",
                gguf_path(f), KEY, i, json_scan_clip(text.at, text.n, SHOWN_MAX), text.at);
        const size_t n_left = (size_t)(blank - text.at);
        append_pair(to, i, (assay_text){text.at, n_left}, (assay_text){blank + 1, text.n - n_left - 1});
    }
    return buffer_append(to, "]", 1) ? ASSAY_OK : no_memory(f, err);
}

/* A division of a token. */
typedef struct division {
    double score; /* of the whole token */
    uint32_t whole, left, right;
    uint16_t n_left, n_right; /* characters */
} division;

typedef struct divisions {
    division *list; /* [n] */
    size_t n;
} divisions;

static bool takes_part(const gguf_token *t)
{
    return t->text.n > 0 && (t->type == GGUF_TOKEN_NORMAL || t->type == GGUF_TOKEN_UNUSED);
}

static uint16_t count_characters(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return (uint16_t)count; /* at most GGUF_TOKEN_MAX */
}

static assay_status divide(const gguf *f, const gguf_vocabulary *v, uint32_t whole, divisions *to,
                           assay_error *err)
{
    const assay_text text = v->token[whole].text;
    for (size_t at = 1; at < text.n; at++) {
        if (((unsigned char)text.at[at] & 0xc0) == 0x80) continue; /* inside a character */
        const int32_t left = gguf_vocabulary_find(v, (assay_text){text.at, at});
        if (left < 0 || !takes_part(&v->token[left])) continue;
        const int32_t right = gguf_vocabulary_find(v, (assay_text){text.at + at, text.n - at});
        if (right < 0 || !takes_part(&v->token[right])) continue;
        if (to->n == MERGES_MAX)
            return assay_fail(
                err, ASSAY_EUNSUPPORTED,
                "%s: key 'tokenizer.ggml.tokens': found more than %zu divisions of tokens into two, "
                "expected at most as many",
                gguf_path(f), MERGES_MAX);
        division *grown = grow_by_one(to->list, to->n, sizeof *grown);
        if (!grown) return no_memory(f, err);
        to->list = grown;
        grown[to->n++] = (division){.score = v->token[whole].score,
                                    .whole = whole,
                                    .left = (uint32_t)left,
                                    .right = (uint32_t)right,
                                    .n_left = count_characters(text.at, at),
                                    .n_right = count_characters(text.at + at, text.n - at)};
    }
    return ASSAY_OK;
}

/* The greatest score first, then the longest parts; then the order in which the published converter finds
 * them. */
static int compare_divisions(const void *a, const void *b)
{
    const division *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    if (x->n_left != y->n_left) return x->n_left > y->n_left ? -1 : 1;
    if (x->n_right != y->n_right) return x->n_right > y->n_right ? -1 : 1;
    if (x->whole != y->whole) return x->whole < y->whole ? -1 : 1;
    if (x->left != y->left) return x->left < y->left ? -1 : 1;
    return (x->right > y->right) - (x->right < y->right);
}

static assay_status append_divisions(const gguf *f, const gguf_vocabulary *v, const divisions *from,
                                     buffer *to, assay_error *err)
{
    buffer_append(to, "[", 1);
    for (size_t i = 0; i < from->n; i++) {
        append_pair(to, i, v->token[from->list[i].left].text, v->token[from->list[i].right].text);
        if (to->n > JSON_SIZE_MAX)
            return assay_fail(
                err, ASSAY_EUNSUPPORTED,
                "%s: key 'tokenizer.ggml.tokens': found tokens with more than %zu bytes of merges, "
                "expected at most as many",
                gguf_path(f), JSON_SIZE_MAX);
    }
    return buffer_append(to, "]", 1) ? ASSAY_OK : no_memory(f, err);
}

assay_status gguf_merges_derive(const gguf *f, const gguf_vocabulary *v, buffer *to, assay_error *err)
{
    divisions found = {0};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < v->n; i++)
        if (takes_part(&v->token[i])) rc = divide(f, v, (uint32_t)i, &found, err);
    if (rc == ASSAY_OK && found.n > 1) qsort(found.list, found.n, sizeof *found.list, compare_divisions);
    if (rc == ASSAY_OK) rc = append_divisions(f, v, &found, to, err);
    free(found.list);
    return rc;
}
