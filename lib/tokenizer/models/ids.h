/* A growable array of ids.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_MODELS_IDS_H
#define TOKENIZER_MODELS_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised: empty. Setting n to 0 empties the array and keeps its memory. */
typedef struct tokenizer_ids {
    int32_t *ids;
    size_t n, capacity;
} tokenizer_ids;

void tokenizer_ids_free(tokenizer_ids *l);

/* Ensures capacity for `more` further ids; appends n ids. False, and l unchanged, if out of memory. */
bool tokenizer_ids_reserve(tokenizer_ids *l, size_t more);
bool tokenizer_ids_append(tokenizer_ids *l, const int32_t *ids, size_t n);

static inline bool tokenizer_ids_push(tokenizer_ids *l, int32_t id)
{
    if (l->n == l->capacity && !tokenizer_ids_reserve(l, 1)) return false;
    l->ids[l->n++] = id;
    return true;
}

#endif
