/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void tokenizer_ids_free(tokenizer_ids *l)
{
    free(l->ids);
    *l = (tokenizer_ids){0};
}

bool tokenizer_ids_reserve(tokenizer_ids *l, size_t more)
{
    int32_t *grown =
        more <= SIZE_MAX - l->n ? grow_to(l->ids, &l->capacity, l->n + more, sizeof *grown) : NULL;
    if (grown) l->ids = grown;
    return grown;
}

bool tokenizer_ids_append(tokenizer_ids *l, const int32_t *ids, size_t n)
{
    if (!tokenizer_ids_reserve(l, n)) return false;
    if (n > 0) memcpy(l->ids + l->n, ids, n * sizeof *ids);
    l->n += n;
    return true;
}
