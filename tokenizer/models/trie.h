/* Texts by their beginnings: a tree of bytes, built once from sorted texts.
 *
 * It takes nine bytes a node, and at most one node for each byte of the texts. No look-up hashes, so no file
 * can choose collisions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_TRIE_H
#define TOKENIZER_MODELS_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKENIZER_TRIE_NONE UINT32_MAX

/* A text to build from, borrowed while tokenizer_trie_build runs. Values are not negative. */
typedef struct tokenizer_trie_text {
    const char *text;
    size_t n;
    int32_t value;
} tokenizer_trie_text;

/* Node 0 is the root; the children of node i are the nodes first[i] to first[i + 1], in the order of their
 * bytes. All zero is a tree of nothing. */
typedef struct tokenizer_trie {
    uint32_t *first; /* [n_nodes + 1] */
    uint8_t *byte;   /* [n_nodes]: the last byte of the way to the node */
    int32_t *value;  /* [n_nodes]: of the text that ends there, or -1 */
    size_t n_nodes;
    uint32_t root[256]; /* the root's children by their byte, or TOKENIZER_TRIE_NONE */
} tokenizer_trie;

/* Builds *out from texts[0..n), which it sorts. Of equal texts the one that lies later in memory counts.
 * False if out of memory, *out untouched. */
bool tokenizer_trie_build(tokenizer_trie_text *texts, size_t n, tokenizer_trie *out);
void tokenizer_trie_free(tokenizer_trie *t);

/* The node behind `node` and `byte`, or TOKENIZER_TRIE_NONE. */
uint32_t tokenizer_trie_child(const tokenizer_trie *t, uint32_t node, unsigned char byte);

static inline uint32_t tokenizer_trie_step(const tokenizer_trie *t, uint32_t node, unsigned char byte)
{
    return node == 0 ? t->root[byte] : tokenizer_trie_child(t, node, byte);
}

/* The node behind text[0..n), begun at `node`. */
uint32_t tokenizer_trie_walk(const tokenizer_trie *t, uint32_t node, const char *text, size_t n);

/* The value of text[0..n), or -1. */
int32_t tokenizer_trie_find(const tokenizer_trie *t, const char *text, size_t n);

/* The longest text that text[0..n) begins with: its bytes, or 0; *value is its value. */
size_t tokenizer_trie_longest(const tokenizer_trie *t, const char *text, size_t n, int32_t *value);

#endif
