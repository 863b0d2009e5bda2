/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/vocabulary.h"

#include "base/error.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "gguf/metadata.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 60

static const char KEY_TOKENS[] = "tokenizer.ggml.tokens", KEY_TYPES[] = "tokenizer.ggml.token_type",
                  KEY_SCORES[] = "tokenizer.ggml.scores";

static int compare_texts(assay_text x, assay_text y)
{
    const int order = memcmp(x.at, y.at, x.n < y.n ? x.n : y.n);
    return order != 0 ? order : (x.n > y.n) - (x.n < y.n);
}

static int by_text(const void *a, const void *b, void *tokens)
{
    const gguf_token *token = tokens;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = compare_texts(token[x].text, token[y].text);
    return order != 0 ? order : (x > y) - (x < y);
}

static assay_status check_text(const gguf *f, size_t id, assay_text text, assay_error *err)
{
    if (text.n > GGUF_TOKEN_MAX)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: key '%s': token %zu: found %zu bytes, expected at most %d", gguf_path(f),
                          KEY_TOKENS, id, text.n, GGUF_TOKEN_MAX);
    if (utf8_valid_prefix(text.at, text.n) != text.n)
        return assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': token %zu: found bytes that are no UTF-8",
                          gguf_path(f), KEY_TOKENS, id);
    if (memchr(text.at, '\0', text.n))
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: key '%s': token %zu: found U+0000, expected a token without", gguf_path(f),
                          KEY_TOKENS, id);
    return ASSAY_OK;
}

static assay_status read_texts(const gguf *f, gguf_vocabulary *v, assay_error *err)
{
    const gguf_value *texts = NULL;
    assay_status rc = gguf_require(f, KEY_TOKENS, err);
    if (rc == ASSAY_OK) rc = gguf_get_texts(f, KEY_TOKENS, &texts, err);
    if (rc != ASSAY_OK) return rc;
    if (texts->count == 0 || texts->count > INT32_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': found %zu tokens, expected 1 to %" PRId32,
                          gguf_path(f), KEY_TOKENS, texts->count, INT32_MAX);
    v->token = calloc(texts->count, sizeof *v->token);
    v->sorted = malloc(texts->count * sizeof *v->sorted);
    if (!v->token || !v->sorted) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", gguf_path(f));
    gguf_texts next = gguf_value_texts(texts);
    for (assay_text text; rc == ASSAY_OK && gguf_texts_next(&next, &text); v->n++) {
        rc = check_text(f, v->n, text, err);
        v->token[v->n] = (gguf_token){.text = text, .type = GGUF_TOKEN_NORMAL};
        v->sorted[v->n] = (uint32_t)v->n;
    }
    return rc;
}

/* The array of a number for each token; *out is NULL if the file lacks the key. */
static assay_status find_numbers(const gguf *f, const char *key, size_t n, const gguf_value **out,
                                 assay_error *err)
{
    const assay_status rc = gguf_get_numbers(f, key, out, err);
    if (rc != ASSAY_OK || !*out || (*out)->count >= n) return rc;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: key '%s': found %zu elements, expected one for each of %zu tokens", gguf_path(f),
                      key, (*out)->count, n);
}

/* Tokens that end a turn or a text, which old converters wrote as normal tokens. llama.cpp 0c1e57098 makes
 * them control tokens (src/llama-vocab.cpp, special_eot_id, special_eom_id, special_eog_ids), as which they
 * are published. */
static bool is_end(assay_text text)
{
    static const char *const ENDS[] = {"<|eot_id|>",
                                       "<|im_end|>",
                                       "<|end|>",
                                       "<|return|>",
                                       "<|call|>",
                                       "<|flush|>",
                                       "<|calls|>",
                                       "<end_of_turn>",
                                       "<|endoftext|>",
                                       "</s>",
                                       "<|eom_id|>",
                                       "<EOT>",
                                       "_<EOT>",
                                       "[EOT]",
                                       "[EOS]",
                                       "<|end_of_text|>",
                                       "<end_of_utterance>",
                                       "<eos>",
                                       "<turn|>",
                                       "<|tool_response>",
                                       "<｜end▁of▁sentence｜>",
                                       "[e~["};
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++)
        if (text.n == strlen(ENDS[i]) && memcmp(text.at, ENDS[i], text.n) == 0) return true;
    return false;
}

static assay_status read_types(const gguf *f, gguf_vocabulary *v, assay_error *err)
{
    const gguf_value *types = NULL;
    const assay_status rc = find_numbers(f, KEY_TYPES, v->n, &types, err);
    for (size_t i = 0; rc == ASSAY_OK && types && i < v->n; i++) {
        uint64_t type;
        if (gguf_value_unsigned(types, i, &type) && type >= GGUF_TOKEN_NORMAL && type <= GGUF_TOKEN_BYTE)
            v->token[i].type = (gguf_token_type)type;
    }
    for (size_t i = 0; rc == ASSAY_OK && i < v->n; i++)
        if (v->token[i].type == GGUF_TOKEN_NORMAL && is_end(v->token[i].text))
            v->token[i].type = GGUF_TOKEN_CONTROL;
    return rc;
}

static assay_status read_scores(const gguf *f, gguf_vocabulary *v, assay_error *err)
{
    const gguf_value *scores = NULL;
    const assay_status rc = find_numbers(f, KEY_SCORES, v->n, &scores, err);
    for (size_t i = 0; rc == ASSAY_OK && scores && i < v->n; i++) {
        (void)gguf_value_number(scores, i, &v->token[i].score);
        if (!isfinite(v->token[i].score))
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: key '%s': token %zu: found %g, expected a finite number", gguf_path(f),
                              KEY_SCORES, i, v->token[i].score);
    }
    return rc;
}

static assay_status check_unique(const gguf *f, const gguf_vocabulary *v, assay_error *err)
{
    for (size_t i = 1; i < v->n; i++) {
        const uint32_t before = v->sorted[i - 1], id = v->sorted[i];
        const assay_text text = v->token[id].text;
        if (text.n == 0 || compare_texts(v->token[before].text, text) != 0) continue;
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: key '%s': found \"%.*s\" as token %" PRIu32 " and %" PRIu32 ", expected it once",
            gguf_path(f), KEY_TOKENS, json_scan_clip(text.at, text.n, SHOWN_MAX), text.at, before, id);
    }
    return ASSAY_OK;
}

/* The texts that stand for empty tokens are those of no other. */
static assay_status check_empty(const gguf *f, const gguf_vocabulary *v, assay_error *err)
{
    for (size_t i = 0; i < v->n && v->token[v->sorted[i]].text.n == 0; i++) {
        char text[32];
        const int n = snprintf(text, sizeof text, GGUF_TOKEN_EMPTY, (size_t)v->sorted[i]);
        if (gguf_vocabulary_find(v, (assay_text){text, (size_t)n}) >= 0)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: key '%s': found an empty token %" PRIu32
                              " and \"%s\", which stands for it",
                              gguf_path(f), KEY_TOKENS, v->sorted[i], text);
    }
    return ASSAY_OK;
}

assay_status gguf_vocabulary_read(const gguf *f, gguf_vocabulary *out, assay_error *err)
{
    *out = (gguf_vocabulary){0};
    assay_status rc = read_texts(f, out, err);
    if (rc == ASSAY_OK) rc = read_types(f, out, err);
    if (rc == ASSAY_OK) rc = read_scores(f, out, err);
    if (rc != ASSAY_OK) return rc;
    qsort_r(out->sorted, out->n, sizeof *out->sorted, by_text, out->token);
    rc = check_unique(f, out, err);
    return rc == ASSAY_OK ? check_empty(f, out, err) : rc;
}

void gguf_vocabulary_free(gguf_vocabulary *v)
{
    free(v->token);
    free(v->sorted);
}

int32_t gguf_vocabulary_find(const gguf_vocabulary *v, assay_text text)
{
    size_t low = 0, high = v->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_texts(v->token[v->sorted[middle]].text, text);
        if (order == 0) return (int32_t)v->sorted[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return -1;
}

bool gguf_token_is_added(const gguf_token *t)
{
    return t->text.n > 0 &&
           (t->type == GGUF_TOKEN_UNKNOWN || t->type == GGUF_TOKEN_CONTROL || t->type == GGUF_TOKEN_USER);
}
