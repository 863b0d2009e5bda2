/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/models/ids.h"

#include <stdlib.h>
#include <string.h>

void tokenizer_ids_free(tokenizer_ids *l)
{
    free(l->ids);
    *l = (tokenizer_ids){0};
}

bool tokenizer_ids_reserve(tokenizer_ids *l, size_t more)
{
    if (more <= l->room - l->n) return true;
    if (more > SIZE_MAX / 8 - l->n) return false;
    size_t room = l->room ? l->room : 64;
    while (room < l->n + more) room *= 2;
    int32_t *ids = realloc(l->ids, room * sizeof *ids);
    if (!ids) return false;
    l->ids = ids;
    l->room = room;
    return true;
}

bool tokenizer_ids_append(tokenizer_ids *l, const int32_t *ids, size_t n)
{
    if (!tokenizer_ids_reserve(l, n)) return false;
    if (n > 0) memcpy(l->ids + l->n, ids, n * sizeof *ids);
    l->n += n;
    return true;
}
