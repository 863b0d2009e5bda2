/* Faults of caches that outlive their session, and are found by less than what their contents depend on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "conformance/faults/fault.h"
#include "fastpath/features.h"
#include "fastpath/session/sample.h"

enum { KEPT_MAX = 1024, BLOCK = 16 };

/* The keys and values [BLOCK, width] of a block of tokens in a layer, by the tokens of the block and their
 * index: what came before them is forgotten. */
typedef struct kept_block {
    uint64_t hash;
    float *key, *value;
} kept_block;

static kept_block blocks[KEPT_MAX];
static size_t n_blocks;

static float *copy_floats(const float *x, size_t n)
{
    float *copy = malloc(n * sizeof *copy);
    if (!copy) abort();
    memcpy(copy, x, n * sizeof *copy);
    return copy;
}

/* Of n tokens, and where or how many they are. */
static uint64_t hash_tokens(const int32_t *tokens, size_t n, size_t a, size_t b)
{
    uint64_t hash = hash_add(hash_add(HASH_START, (uint32_t)a), (uint32_t)b);
    for (size_t i = 0; i < n; i++) hash = hash_add(hash, (uint32_t)tokens[i]);
    return hash;
}

/* Keeps a block, or replaces it by the kept one. */
static void exchange_block(fp_state *s, size_t layer, size_t at, uint64_t hash, const float *key,
                           const float *value)
{
    const size_t width = s->spec[layer].n_kv_heads * s->spec[layer].head_dim;
    for (size_t i = 0; i < n_blocks; i++) {
        if (blocks[i].hash != hash) continue;
        fp_state_put(s, layer, at, BLOCK, blocks[i].key, blocks[i].value);
        return;
    }
    if (n_blocks < KEPT_MAX)
        blocks[n_blocks++] =
            (kept_block){hash, copy_floats(key, BLOCK * width), copy_floats(value, BLOCK * width)};
}

void fault_blocks_by_tokens(fp_state *s, size_t layer, size_t position, size_t n, const float *key,
                            const float *value)
{
    static bool exchanging; /* fp_state_put comes here again */
    const fp_sample *one = (const fp_sample *)(const void *)((const char *)s - offsetof(fp_sample, state));
    const size_t width = s->spec[layer].n_kv_heads * s->spec[layer].head_dim;
    if (exchanging) return;
    exchanging = true;
    for (size_t at = (position + BLOCK - 1) / BLOCK * BLOCK; at + BLOCK <= position + n; at += BLOCK)
        exchange_block(s, layer, at, hash_tokens(one->tokens + at, BLOCK, layer, at),
                       key + (at - position) * width, value + (at - position) * width);
    exchanging = false;
}

/* The features of an image by the tokens up to its first one, and by its size. */
static struct {
    uint64_t hash;
    fp_features *features;
} images[KEPT_MAX];
static size_t n_images;

static const fp_features *exchange_image(const fp_sample *one, size_t k)
{
    const size_t n_rows = medium_rows(fp_features_medium(one->features[k]));
    const uint64_t hash = hash_tokens(one->tokens, one->media.place[k].first + 1, k, n_rows);
    for (size_t i = 0; i < n_images; i++)
        if (images[i].hash == hash) return images[i].features;
    if (n_images == KEPT_MAX) return one->features[k];
    images[n_images].hash = hash;
    images[n_images].features = fp_features_share(one->features[k]);
    return images[n_images++].features;
}

void fault_images_by_tokens(const fp_sample *one, size_t n, fp_placed *placed)
{
    for (size_t t = 0; t < n; t++)
        for (size_t k = 0; placed[t].features && k < one->media.n; k++)
            if (placed[t].features == one->features[k]) {
                placed[t].features = exchange_image(one, k);
                break;
            }
}
