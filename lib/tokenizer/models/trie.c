/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/trie.h"

#include <stdlib.h>
#include <string.h>

/* The texts that begin with the bytes that lead to a node: texts[from..to). */
typedef struct range {
    uint32_t from, to;
} range;

static int compare_texts(const void *a, const void *b)
{
    const tokenizer_trie_text *x = a, *y = b;
    const size_t n = x->n < y->n ? x->n : y->n;
    const int order = n > 0 ? memcmp(x->text, y->text, n) : 0;
    if (order != 0) return order;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

/* The number of nodes for sorted texts: one for each byte after the prefix shared with the previous
 * text. */
static size_t count_nodes(const tokenizer_trie_text *texts, size_t n)
{
    size_t nodes = 1;
    for (size_t i = 0; i < n; i++) {
        size_t shared = 0;
        while (i > 0 && shared < texts[i].n && shared < texts[i - 1].n &&
               texts[i].text[shared] == texts[i - 1].text[shared])
            shared++;
        nodes += texts[i].n - shared;
    }
    return nodes;
}

/* Sets the value and the children of `node`, which is `depth` bytes deep. Returns the next free
 * node. */
static uint32_t fill_node(tokenizer_trie *t, range *ranges, const tokenizer_trie_text *texts, uint32_t node,
                          size_t depth, uint32_t free_node)
{
    range left = ranges[node];
    t->value[node] = -1;
    t->first[node] = free_node;
    for (; left.from < left.to && texts[left.from].n == depth; left.from++)
        t->value[node] = texts[left.from].value;
    while (left.from < left.to) {
        const uint8_t byte = (uint8_t)texts[left.from].text[depth];
        uint32_t to = left.from + 1;
        while (to < left.to && (uint8_t)texts[to].text[depth] == byte) to++;
        t->byte[free_node] = byte;
        ranges[free_node++] = (range){left.from, to};
        left.from = to;
    }
    return free_node;
}

static void fill_nodes(tokenizer_trie *t, range *ranges, const tokenizer_trie_text *texts, size_t n)
{
    uint32_t free_node = 1, end_of_level = 1;
    size_t depth = 0;
    ranges[0] = (range){0, (uint32_t)n};
    t->byte[0] = 0;
    for (uint32_t node = 0; node < t->n_nodes; node++) {
        if (node == end_of_level) {
            depth++;
            end_of_level = free_node;
        }
        free_node = fill_node(t, ranges, texts, node, depth, free_node);
    }
    t->first[t->n_nodes] = free_node;
    for (size_t c = 0; c < 256; c++) t->root[c] = TOKENIZER_TRIE_NONE;
    for (uint32_t child = t->first[0]; child < t->first[1]; child++) t->root[t->byte[child]] = child;
}

bool tokenizer_trie_build(tokenizer_trie_text *texts, size_t n, tokenizer_trie *out)
{
    if (n > 0) qsort(texts, n, sizeof *texts, compare_texts);
    tokenizer_trie t = {.n_nodes = count_nodes(texts, n)};
    if (n >= UINT32_MAX || t.n_nodes >= TOKENIZER_TRIE_NONE) return false;
    t.first = malloc((t.n_nodes + 1) * sizeof *t.first);
    t.byte = malloc(t.n_nodes);
    t.value = malloc(t.n_nodes * sizeof *t.value);
    range *ranges = malloc(t.n_nodes * sizeof *ranges);
    const bool had = t.first && t.byte && t.value && ranges;
    if (had) fill_nodes(&t, ranges, texts, n);
    free(ranges);
    if (had) *out = t;
    else tokenizer_trie_free(&t);
    return had;
}

void tokenizer_trie_free(tokenizer_trie *t)
{
    free(t->first);
    free(t->byte);
    free(t->value);
    *t = (tokenizer_trie){0};
}

uint32_t tokenizer_trie_child(const tokenizer_trie *t, uint32_t node, unsigned char byte)
{
    uint32_t from = t->first[node], to = t->first[node + 1];
    while (to - from > 4) {
        const uint32_t middle = from + (to - from) / 2;
        if (t->byte[middle] <= byte) from = middle;
        else to = middle;
    }
    for (; from < to; from++)
        if (t->byte[from] == byte) return from;
    return TOKENIZER_TRIE_NONE;
}

uint32_t tokenizer_trie_walk(const tokenizer_trie *t, uint32_t node, const char *text, size_t n)
{
    if (t->n_nodes == 0) return TOKENIZER_TRIE_NONE;
    for (size_t i = 0; i < n && node != TOKENIZER_TRIE_NONE; i++)
        node = tokenizer_trie_step(t, node, (unsigned char)text[i]);
    return node;
}

int32_t tokenizer_trie_find(const tokenizer_trie *t, const char *text, size_t n)
{
    const uint32_t node = tokenizer_trie_walk(t, 0, text, n);
    return node == TOKENIZER_TRIE_NONE ? -1 : t->value[node];
}

size_t tokenizer_trie_longest(const tokenizer_trie *t, const char *text, size_t n, int32_t *value)
{
    size_t longest = 0;
    uint32_t node = 0;
    for (size_t i = 0; i < n && t->n_nodes > 0; i++) {
        node = tokenizer_trie_step(t, node, (unsigned char)text[i]);
        if (node == TOKENIZER_TRIE_NONE) break;
        if (t->value[node] < 0) continue;
        longest = i + 1;
        *value = t->value[node];
    }
    return longest;
}
