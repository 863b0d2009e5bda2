/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/bpe_open.h"

#include "tokenizer/models/bpe_parts.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "tokenizer/models/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX 60

/* A merge of the file: the texts of two tokens, borrowed. */
typedef struct merge {
    char *left, *right;
    size_t n_left, n_right;
} merge;

static assay_status no_memory(const tokenizer_file *f, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
}

static assay_status read_affix(const tokenizer_place *p, const char *name, char **out, size_t *n_out,
                               assay_error *err)
{
    tokenizer_place member;
    const assay_status rc = tokenizer_place_member(p, name, &member, err);
    if (rc != ASSAY_OK || !member.value) return rc;
    return tokenizer_place_copy(&member, out, n_out, err);
}

static assay_status read_unknown(const tokenizer_place *p, tokenizer_bpe *b, assay_error *err)
{
    tokenizer_place member;
    const char *text;
    size_t n;
    assay_status rc = tokenizer_place_member(p, "unk_token", &member, err);
    if (rc != ASSAY_OK || !member.value) return rc;
    rc = tokenizer_place_text(&member, &text, &n, err);
    if (rc != ASSAY_OK) return rc;
    b->has_unknown = true;
    b->unknown = tokenizer_vocab_find(b->vocab, text, n);
    return ASSAY_OK;
}

static assay_status read_dropout(const tokenizer_place *p, assay_error *err)
{
    tokenizer_place dropout;
    const assay_status rc = tokenizer_place_member(p, "dropout", &dropout, err);
    if (rc != ASSAY_OK || !dropout.value) return rc;
    const json_type type = json_object_get_type(dropout.value);
    if ((type == json_type_double || type == json_type_int) && json_object_get_double(dropout.value) == 0.0)
        return ASSAY_OK;
    return tokenizer_place_fail(&dropout, err, ASSAY_EUNSUPPORTED,
                                "found %s, expected none: it makes ids random",
                                json_object_to_json_string(dropout.value));
}

static assay_status read_options(const tokenizer_file *f, tokenizer_bpe *b, assay_error *err)
{
    const tokenizer_place p = tokenizer_file_model(f);
    assay_status rc = read_dropout(&p, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(&p, "fuse_unk", &b->fuses_unknown, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(&p, "byte_fallback", &b->byte_fallback, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(&p, "ignore_merges", &b->ignores_merges, err);
    if (rc == ASSAY_OK) rc = read_affix(&p, "continuing_subword_prefix", &b->prefix, &b->n_prefix, err);
    if (rc == ASSAY_OK) rc = read_affix(&p, "end_of_word_suffix", &b->suffix, &b->n_suffix, err);
    if (rc == ASSAY_OK) rc = read_unknown(&p, b, err);
    return rc;
}

static void fill_ids(tokenizer_bpe *b)
{
    for (int c = 0; c < 256; c++) {
        char text[8];
        const size_t n = b->byte_level ? utf8_encode(text, tokenizer_bytes_char((unsigned char)c))
                                       : (size_t)snprintf(text, sizeof text, "<0x%02X>", (unsigned)c);
        b->byte_ids[c] = tokenizer_vocab_find(b->vocab, text, n);
    }
    for (int c = 0; c < 128; c++) {
        const char text = (char)c;
        b->char_ids[c] = tokenizer_vocab_find(b->vocab, &text, 1);
    }
}

/* Fills b->raw with the tokens all of whose characters map to bytes. False if out of memory. */
static bool fill_raw(tokenizer_bpe *b)
{
    const size_t size = tokenizer_vocab_size(b->vocab);
    tokenizer_trie_text *texts = malloc((size + 1) * sizeof *texts);
    size_t n_texts = 0, n_bytes = 0;
    for (size_t i = 0; i < size; i++) {
        int32_t id;
        size_t n;
        (void)tokenizer_vocab_at(b->vocab, i, &n, &id);
        n_bytes += n;
    }
    char *bytes = malloc(n_bytes + 1), *end = bytes;
    bool done = texts && bytes;
    for (size_t i = 0; i < size && done; i++) {
        int32_t id;
        size_t n, written = 0, at = 0;
        const char *text = tokenizer_vocab_at(b->vocab, i, &n, &id);
        while (at < n) {
            uint32_t c;
            at += utf8_decode(text + at, n - at, &c, NULL);
            const int byte = tokenizer_bytes_byte(c);
            if (byte < 0) break;
            end[written++] = (char)byte;
            if (at == n) texts[n_texts++] = (tokenizer_trie_text){end, written, id};
        }
        end += written;
    }
    done = done && tokenizer_trie_build(texts, n_texts, &b->raw);
    free(texts);
    free(bytes);
    return done;
}

/* Splits "left right" at its only space. */
static assay_status split_merge(const tokenizer_file *f, size_t index, buffer *line, merge *m,
                                assay_error *err)
{
    char *space = line->n > 0 ? memchr(line->data, ' ', line->n) : NULL;
    if (!space || memchr(space + 1, ' ', line->n - (size_t)(space + 1 - line->data)))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: model.merges[%zu]: found \"%.*s\", expected two tokens and a space between",
                          f->path, index, json_scan_clip(line->data, line->n, SHOWN_MAX), line->data);
    const size_t n_left = (size_t)(space - line->data);
    *m = (merge){line->data, space + 1, n_left, line->n - n_left - 1};
    return ASSAY_OK;
}

static bool append_part(buffer *b, const tokenizer_token *t)
{
    return buffer_append(b, t->text, t->n);
}

static assay_status fail_kind(const tokenizer_file *f, size_t index, json_scan_kind kind, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: model.merges[%zu]: found %s, expected all to be texts, or all pairs of texts",
                      f->path, index, json_scan_kind_name(kind));
}

/* Reads the merge that begins with the JSON token `first` into *m, which points into `line`. */
static assay_status read_merge(const tokenizer_file *f, tokenizer_scan *s, const tokenizer_token *first,
                               size_t index, buffer *line, merge *m, assay_error *err)
{
    tokenizer_token t = *first;
    line->n = 0;
    if (t.kind == JSON_SCAN_STRING) {
        if (!append_part(line, &t)) return no_memory(f, err);
        return split_merge(f, index, line, m, err);
    }
    size_t n[2];
    for (int i = 0; i < 2; i++) {
        const assay_status rc = tokenizer_scan_next(s, &t, err);
        if (rc != ASSAY_OK) return rc;
        if (t.kind != JSON_SCAN_STRING) return fail_kind(f, index, t.kind, err);
        if (!append_part(line, &t)) return no_memory(f, err);
        n[i] = t.n;
    }
    const assay_status rc = tokenizer_scan_next(s, &t, err);
    if (rc != ASSAY_OK) return rc;
    if (t.kind != JSON_SCAN_ARRAY_END) return fail_kind(f, index, t.kind, err);
    *m = (merge){line->data, line->data + n[0], n[0], n[1]};
    return ASSAY_OK;
}

static assay_status find_part(const tokenizer_file *f, const tokenizer_bpe *b, size_t index, const char *text,
                              size_t n, int32_t *id, assay_error *err)
{
    *id = n > 0 ? tokenizer_vocab_find(b->vocab, text, n) : -1;
    if (*id >= 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: model.merges[%zu]: found \"%.*s\", expected a token of the vocabulary", f->path,
                      index, json_scan_clip(text, n, SHOWN_MAX), text);
}

/* Records the two characters that the merge joins. Byte-fallback tokens need no entry: they only
 * replace characters that are no tokens, and words are never split next to those. */
static void note_join(tokenizer_bpe *b, const merge *m)
{
    uint32_t left, right;
    const size_t before = utf8_before(m->left, m->n_left);
    (void)utf8_decode(m->left + before, m->n_left - before, &left, NULL);
    (void)utf8_decode(m->right, m->n_right, &right, NULL);
    if (left < 0x80 && right < 0x80) b->joined[left][right / 8] |= (uint8_t)(1U << right % 8);
    else tokenizer_pairs_put(&b->joins, left, right, 0, 0);
}

static assay_status store_merge(const tokenizer_file *f, tokenizer_bpe *b, size_t index, int32_t rank,
                                const merge *m, buffer *whole, assay_error *err)
{
    int32_t left, right, both;
    assay_status rc = find_part(f, b, index, m->left, m->n_left, &left, err);
    if (rc == ASSAY_OK) rc = find_part(f, b, index, m->right, m->n_right, &right, err);
    if (rc != ASSAY_OK) return rc;
    if (m->n_right <= b->n_prefix)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: model.merges[%zu]: found \"%.*s\", expected more than the prefix of continuations", f->path,
            index, json_scan_clip(m->right, m->n_right, SHOWN_MAX), m->right);
    whole->n = 0;
    if (!buffer_append(whole, m->left, m->n_left) ||
        !buffer_append(whole, m->right + b->n_prefix, m->n_right - b->n_prefix))
        return no_memory(f, err);
    rc = find_part(f, b, index, whole->data, whole->n, &both, err);
    if (rc != ASSAY_OK) return rc;
    tokenizer_pairs_put(&b->merges, (uint32_t)left, (uint32_t)right, rank, both);
    if (b->is_cut) note_join(b, m);
    return ASSAY_OK;
}

static bool is_version(const tokenizer_token *t)
{
    static const char VERSION[] = "#version";
    return t->kind == JSON_SCAN_STRING && t->n >= sizeof VERSION - 1 &&
           memcmp(t->text, VERSION, sizeof VERSION - 1) == 0;
}

static assay_status read_merges_from(const tokenizer_file *f, tokenizer_bpe *b, tokenizer_scan *s,
                                     assay_error *err)
{
    tokenizer_token t;
    buffer line = {0}, whole = {0};
    merge m = {0};
    json_scan_kind kind = JSON_SCAN_NULL;
    int32_t rank = 0;
    assay_status rc = tokenizer_scan_next(s, &t, err);
    if (rc == ASSAY_OK && t.kind != JSON_SCAN_ARRAY) rc = fail_kind(f, 0, t.kind, err);
    for (size_t index = 0; rc == ASSAY_OK; index++) {
        rc = tokenizer_scan_next(s, &t, err);
        if (rc != ASSAY_OK || t.kind == JSON_SCAN_ARRAY_END) break;
        if (index == 0) kind = t.kind;
        if (t.kind != kind || (kind != JSON_SCAN_STRING && kind != JSON_SCAN_ARRAY)) {
            rc = fail_kind(f, index, t.kind, err);
            break;
        }
        if (is_version(&t)) continue;
        rc = read_merge(f, s, &t, index, &line, &m, err);
        if (rc == ASSAY_OK) rc = store_merge(f, b, index, rank++, &m, &whole, err);
    }
    buffer_free(&line);
    buffer_free(&whole);
    return rc;
}

/* An upper bound of the number of merges. */
static assay_status count_merges(const tokenizer_file *f, size_t *out, assay_error *err)
{
    tokenizer_scan *s = NULL;
    tokenizer_token t = {.kind = JSON_SCAN_NULL};
    size_t depth = 0, n = 0;
    assay_status rc = tokenizer_scan_open(f, f->merges, &s, err);
    while (rc == ASSAY_OK && t.kind != JSON_SCAN_END) {
        rc = tokenizer_scan_next(s, &t, err);
        if (t.kind == JSON_SCAN_ARRAY_END || t.kind == JSON_SCAN_OBJECT_END) depth--;
        else if (depth == 1) n++;
        if (t.kind == JSON_SCAN_ARRAY || t.kind == JSON_SCAN_OBJECT) depth++;
    }
    tokenizer_scan_free(s);
    *out = n;
    return rc;
}

static assay_status read_merges(const tokenizer_file *f, tokenizer_bpe *b, assay_error *err)
{
    if (!f->merges.text)
        return assay_fail(err, ASSAY_EFORMAT, "%s: model.merges: found nothing, expected an array", f->path);
    size_t most = 0;
    assay_status rc = count_merges(f, &most, err);
    if (rc != ASSAY_OK) return rc;
    if (!tokenizer_pairs_open(&b->merges, most) || (b->is_cut && !tokenizer_pairs_open(&b->joins, most)))
        return no_memory(f, err);
    tokenizer_scan *s = NULL;
    rc = tokenizer_scan_open(f, f->merges, &s, err);
    if (rc == ASSAY_OK) rc = read_merges_from(f, b, s, err);
    tokenizer_scan_free(s);
    return rc;
}

assay_status tokenizer_bpe_open(const tokenizer_file *f, const tokenizer_vocab *vocab, bool byte_level,
                                tokenizer_bpe **out, bool *taken, assay_error *err)
{
    tokenizer_bpe *b = calloc(1, sizeof *b);
    if (!b) return no_memory(f, err);
    b->vocab = vocab;
    assay_status rc = read_options(f, b, err);
    if (rc == ASSAY_OK) {
        b->byte_level = byte_level && !b->byte_fallback && b->n_prefix + b->n_suffix == 0;
        b->is_cut = !b->byte_level && b->n_prefix + b->n_suffix == 0;
        fill_ids(b);
        rc = read_merges(f, b, err);
    }
    if (rc == ASSAY_OK && b->byte_level && b->ignores_merges && !fill_raw(b)) rc = no_memory(f, err);
    if (rc == ASSAY_OK) {
        *taken = b->byte_level;
        *out = b;
    } else {
        tokenizer_bpe_free(b);
    }
    return rc;
}

void tokenizer_bpe_free(tokenizer_bpe *b)
{
    if (!b) return;
    tokenizer_pairs_free(&b->merges);
    tokenizer_pairs_free(&b->joins);
    tokenizer_trie_free(&b->raw);
    free(b->prefix);
    free(b->suffix);
    free(b);
}
