/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/unigram.h"

#include "base/error.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define UNKNOWN_PENALTY 10.0 /* how far the score of unknown characters is below the lowest score */
#define NO_PIECE        (-1)
#define UNREACHED       UINT32_MAX

struct tokenizer_unigram {
    const tokenizer_vocab *vocab;
    double *scores; /* by id */
    double unknown_score;
    int32_t unknown; /* id; NO_PIECE: the model has no unknown token */
    bool byte_fallback;
    int32_t byte_ids[256]; /* of "<0x00>" to "<0xFF>"; -1: no token */
};

/* The best segmentation of the text up to one offset. */
typedef struct node {
    double score;
    uint32_t from; /* offset where its last piece begins; UNREACHED: no segmentation found */
    int32_t id;    /* of the last piece */
} node;

void tokenizer_unigram_work_free(tokenizer_unigram_work *work)
{
    free(work->nodes);
    tokenizer_ids_free(&work->ends);
    *work = (tokenizer_unigram_work){0};
}

static assay_status read_unknown(const tokenizer_place *p, tokenizer_unigram *u, assay_error *err)
{
    tokenizer_place member;
    int64_t id = NO_PIECE;
    assay_status rc = tokenizer_place_member(p, "unk_id", &member, err);
    const size_t size = tokenizer_vocab_size(u->vocab);
    if (rc == ASSAY_OK && member.value) {
        if (size == 0)
            return tokenizer_place_fail(&member, err, ASSAY_EFORMAT,
                                        "found an id, expected a vocabulary that has it");
        rc = tokenizer_place_count(&member, (int64_t)size - 1, &id, err);
    }
    if (rc == ASSAY_OK) u->unknown = (int32_t)id;
    return rc;
}

assay_status tokenizer_unigram_open(const tokenizer_file *f, const tokenizer_vocab *vocab, double *scores,
                                    tokenizer_unigram **out, assay_error *err)
{
    const tokenizer_place p = tokenizer_file_model(f);
    tokenizer_unigram *u = calloc(1, sizeof *u);
    if (!u) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    u->vocab = vocab;
    assay_status rc = read_unknown(&p, u, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(&p, "byte_fallback", &u->byte_fallback, err);
    if (rc != ASSAY_OK) {
        free(u);
        return rc;
    }
    double lowest = INFINITY;
    for (size_t i = 0; i < tokenizer_vocab_size(vocab); i++)
        if (scores[i] < lowest) lowest = scores[i];
    u->unknown_score = lowest - UNKNOWN_PENALTY;
    for (int c = 0; c < 256; c++) {
        char text[8];
        u->byte_ids[c] =
            tokenizer_vocab_find(vocab, text, (size_t)snprintf(text, sizeof text, "<0x%02X>", (unsigned)c));
    }
    u->scores = scores;
    *out = u;
    return ASSAY_OK;
}

void tokenizer_unigram_free(tokenizer_unigram *u)
{
    if (!u) return;
    free(u->scores);
    free(u);
}

static void offer_path(node *to, double score, size_t from, int32_t id)
{
    if (to->from == UNREACHED || score > to->score) *to = (node){score, (uint32_t)from, id};
}

/* Extends the best segmentation up to `from` by all pieces that begin there, and by the unknown token
 * if no piece is exactly the character there. */
static assay_status offer_pieces(const tokenizer_unigram *u, node *nodes, const char *text, size_t from,
                                 size_t n, size_t n_char, assay_error *err)
{
    const tokenizer_trie *trie = tokenizer_vocab_trie(u->vocab);
    const double so_far = nodes[from].score;
    bool has_char = false;
    uint32_t way = 0;
    for (size_t at = from; at < n; at++) {
        way = tokenizer_trie_step(trie, way, (unsigned char)text[at]);
        if (way == TOKENIZER_TRIE_NONE) break;
        const int32_t id = trie->value[way];
        if (id < 0) continue;
        offer_path(&nodes[at + 1], u->scores[id] + so_far, from, id);
        if (at + 1 - from == n_char) has_char = true;
    }
    if (has_char) return ASSAY_OK;
    node *to = &nodes[from + n_char];
    const double score = u->unknown_score + so_far;
    if (to->from != UNREACHED && !(score > to->score)) return ASSAY_OK;
    if (u->unknown == NO_PIECE)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "model.unk_id: found none, and a character that the vocabulary lacks; expected an id");
    *to = (node){score, (uint32_t)from, u->unknown};
    return ASSAY_OK;
}

/* Appends a run of unknown characters: the token with that text if there is one, else byte tokens if
 * byte fallback is on and all exist, else one unknown token. */
static bool put_unknown(const tokenizer_unigram *u, const char *text, size_t n, tokenizer_ids *out)
{
    const int32_t id = tokenizer_vocab_find(u->vocab, text, n);
    if (id >= 0) return tokenizer_ids_push(out, id);
    bool all = u->byte_fallback;
    for (size_t i = 0; i < n && all; i++) all = u->byte_ids[(unsigned char)text[i]] >= 0;
    if (!all) return tokenizer_ids_push(out, u->unknown);
    for (size_t i = 0; i < n; i++)
        if (!tokenizer_ids_push(out, u->byte_ids[(unsigned char)text[i]])) return false;
    return true;
}

/* Traces the best segmentation back from the end, then appends its ids from the start. */
static bool put_best(const tokenizer_unigram *u, tokenizer_unigram_work *work, const char *text, size_t n,
                     tokenizer_ids *out)
{
    const node *nodes = work->nodes;
    work->ends.n = 0;
    for (size_t at = n; at > 0; at = nodes[at].from)
        if (!tokenizer_ids_push(&work->ends, (int32_t)at)) return false;
    size_t unknown_from = n; /* offset where the current run of unknown characters begins; n: no run */
    for (size_t i = work->ends.n; i-- > 0;) {
        const size_t end = (size_t)work->ends.ids[i], from = nodes[end].from;
        const bool unknown = nodes[end].id == u->unknown;
        if (unknown && unknown_from == n) unknown_from = from;
        if (!unknown && unknown_from != n) {
            if (!put_unknown(u, text + unknown_from, from - unknown_from, out)) return false;
            unknown_from = n;
        }
        if (!unknown && !tokenizer_ids_push(out, nodes[end].id)) return false;
    }
    return unknown_from == n || put_unknown(u, text + unknown_from, n - unknown_from, out);
}

static bool reserve_work(tokenizer_unigram_work *work, size_t n)
{
    if (n > work->n_nodes) {
        if (n > INT32_MAX || n > SIZE_MAX / 2 / sizeof(node))
            return false; /* offsets are stored as ids are */
        const size_t capacity = n + n / 2;
        node *nodes = malloc(capacity * sizeof *nodes);
        if (!nodes) return false;
        free(work->nodes);
        work->nodes = nodes;
        work->n_nodes = capacity;
    }
    node *nodes = work->nodes;
    for (size_t i = 0; i < n; i++) nodes[i] = (node){0, UNREACHED, 0};
    return true;
}

assay_status tokenizer_unigram_encode(const tokenizer_unigram *u, tokenizer_unigram_work *work,
                                      const char *text, size_t n, tokenizer_ids *out, assay_error *err)
{
    if (!reserve_work(work, n + 1)) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t at = 0; at < n;) {
        uint32_t codepoint;
        const size_t taken = utf8_decode(text + at, n - at, &codepoint, NULL);
        const assay_status rc = offer_pieces(u, work->nodes, text, at, n, taken, err);
        if (rc != ASSAY_OK) return rc;
        at += taken;
    }
    return put_best(u, work, text, n, out) ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}
