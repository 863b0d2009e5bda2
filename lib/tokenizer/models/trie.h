/* A trie of bytes, built once from sorted texts.
 *
 * It takes nine bytes per node, and has at most one node for each byte of the texts besides the root.
 * Look-ups do not hash, so an untrusted file cannot choose collisions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_TRIE_H
#define TOKENIZER_MODELS_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOKENIZER_TRIE_NONE UINT32_MAX

/* A text and its value, which must not be negative; the text is borrowed while tokenizer_trie_build
 * runs. */
typedef struct tokenizer_trie_text {
    const char *text;
    size_t n;
    int32_t value;
} tokenizer_trie_text;

/* Node 0 is the root; the children of node i are the nodes first[i] to first[i + 1] - 1, in the order
 * of their bytes. Zero-initialised: an empty trie for walk, find and longest. */
typedef struct tokenizer_trie {
    uint32_t *first; /* [n_nodes + 1] */
    uint8_t *byte;   /* [n_nodes]: the byte that leads from the parent to the node */
    int32_t *value;  /* [n_nodes]: value of the text that ends at the node, or -1 */
    size_t n_nodes;
    uint32_t root[256]; /* the root's children by their byte, or TOKENIZER_TRIE_NONE */
} tokenizer_trie;

/* Builds *out from texts[0..n), which it sorts. Of equal texts the one at the highest address gives the
 * value. False if out of memory; *out is unchanged then. */
bool tokenizer_trie_build(tokenizer_trie_text *texts, size_t n, tokenizer_trie *out);
void tokenizer_trie_free(tokenizer_trie *t);

/* The child of `node` by `byte`, or TOKENIZER_TRIE_NONE. */
uint32_t tokenizer_trie_child(const tokenizer_trie *t, uint32_t node, unsigned char byte);

static inline uint32_t tokenizer_trie_step(const tokenizer_trie *t, uint32_t node, unsigned char byte)
{
    return node == 0 ? t->root[byte] : tokenizer_trie_child(t, node, byte);
}

/* The node reached from `node` by text[0..n), or TOKENIZER_TRIE_NONE. */
uint32_t tokenizer_trie_walk(const tokenizer_trie *t, uint32_t node, const char *text, size_t n);

/* The value of text[0..n), or -1. */
int32_t tokenizer_trie_find(const tokenizer_trie *t, const char *text, size_t n);

/* The length in bytes of the longest text of the trie that text[0..n) begins with, or 0; *value: its
 * value, unchanged if there is none. */
size_t tokenizer_trie_longest(const tokenizer_trie *t, const char *text, size_t n, int32_t *value);

#endif
