/* The struct tokenizer_bpe; used only by tokenizer_bpe and tokenizer_bpe_open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_BPE_PARTS_H
#define TOKENIZER_MODELS_BPE_PARTS_H

#include "tokenizer/models/pairs.h"
#include "tokenizer/models/trie.h"
#include "tokenizer/models/vocab.h"

typedef struct tokenizer_bpe tokenizer_bpe;

struct tokenizer_bpe {
    const tokenizer_vocab *vocab;
    tokenizer_pairs merges; /* (left id, right id): rank and id of the merged token */
    bool byte_level, byte_fallback, fuses_unknown, ignores_merges;
    bool has_unknown;
    int32_t unknown;       /* -1: the vocabulary has no such token */
    int32_t byte_ids[256]; /* byte_level: of the bytes' characters; else of "<0x00>"...; -1: no token */
    int32_t char_ids[128]; /* ids of ASCII characters; -1: no token */
    char *prefix, *suffix; /* continuing_subword_prefix, end_of_word_suffix */
    size_t n_prefix, n_suffix;
    tokenizer_trie raw; /* byte_level and ignores_merges: tokens by the bytes that they stand for */
    /* Without a pre-tokeniser a word is a whole text. If is_cut, words are split between two adjacent
     * characters unless some merge has a left token that ends with the first and a right token that
     * begins with the second: no other merge can join symbols across that boundary. */
    bool is_cut;
    uint8_t joined[128][16]; /* a bit for each pair of ASCII characters that a merge may join */
    tokenizer_pairs joins;   /* the other pairs */
};

#endif
