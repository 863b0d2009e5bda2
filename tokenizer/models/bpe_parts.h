/* What a tokenizer_bpe is made of; for tokenizer_bpe and tokenizer_bpe_open alone.
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
    tokenizer_pairs merges; /* of ids: rank, id of the whole */
    bool byte_level, byte_fallback, fuses_unknown, ignores_merges;
    bool has_unknown;
    int32_t unknown;       /* -1: the vocabulary has no such token */
    int32_t byte_ids[256]; /* byte_level: of each byte's character; else of "<0x00>" to "<0xFF>"; -1: none */
    int32_t char_ids[128]; /* of ASCII characters; -1: none */
    char *prefix, *suffix; /* continuing_subword_prefix, end_of_word_suffix */
    size_t n_prefix, n_suffix;
    tokenizer_trie raw; /* byte_level and ignores_merges: tokens as the bytes that they stand for */
    /* Words without a pre-tokeniser are whole texts. Where no merge has the left character of two at its left
     * part's end and the right one at its right part's beginning, nothing ever reaches across: there they are
     * cut. */
    bool is_cut;
    uint8_t joined[128][16]; /* a bit for each two ASCII characters that a merge may join */
    tokenizer_pairs joins;   /* the others */
};

#endif
