/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/session/positions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

enum { AXES = ROPE_AXES_MAX };

void fp_positions_free(fp_positions *p)
{
    free(p->list);
    *p = (fp_positions){0};
}

bool fp_positions_reserve(fp_positions *p, size_t n_tokens, size_t n_new)
{
    const bool is_first = !p->list;
    int32_t *grown = grow_to(p->list, &p->capacity, n_tokens + n_new, AXES * sizeof *grown);
    if (!grown) return false;
    p->list = grown;
    for (size_t i = 0; is_first && i < n_tokens * AXES; i++) p->list[i] = (int32_t)(i / AXES);
    return true;
}

void fp_positions_append(fp_positions *p, size_t n_tokens, const int32_t *given, size_t n_axes, size_t n_new)
{
    int32_t *own = p->list + n_tokens * AXES;
    for (size_t t = 0; t < n_new; t++)
        for (size_t a = 0; a < AXES; a++) own[t * AXES + a] = given[(a < n_axes ? a : 0) * n_new + t];
}

bool fp_positions_copy(fp_positions *p, const fp_positions *from, size_t n_tokens)
{
    if (!from->list) return true;
    if (!fp_positions_reserve(p, 0, n_tokens)) return false;
    memcpy(p->list, from->list, n_tokens * AXES * sizeof *p->list);
    return true;
}

/* The largest position of n > 0 tokens + 1. */
static size_t end_of(const int32_t *list, size_t n)
{
    int32_t largest = 0;
    for (size_t i = 0; i < n * AXES; i++)
        if (list[i] > largest) largest = list[i];
    return (size_t)largest + 1;
}

size_t fp_positions_length(const fp_positions *p, size_t n_tokens)
{
    return p->list && n_tokens > 0 ? end_of(p->list, n_tokens) : n_tokens;
}

size_t fp_positions_next(const fp_positions *p, size_t n_tokens)
{
    return p->list && n_tokens > 0 ? end_of(p->list + (n_tokens - 1) * AXES, 1) : n_tokens;
}

assay_status fp_positions_check(const fp_positions *p, size_t n_tokens, const int32_t *given, size_t n_axes,
                                size_t n_new, size_t slot, assay_error *err)
{
    const size_t next = fp_positions_next(p, n_tokens), most = (size_t)INT32_MAX + 1 - next;
    if (!given && n_new > most)
        return assay_fail(err, ASSAY_EINVAL,
                          "step: sample %zu: found %zu tokens from position %zu on, expected at most %zu",
                          slot, n_new, next, most);
    for (size_t i = 0; given && i < n_axes * n_new; i++)
        if (given[i] < 0)
            return assay_fail(err, ASSAY_EINVAL,
                              "step: sample %zu: axis %zu, token %zu: found position %d, expected at least 0",
                              slot, i / n_new, i % n_new, given[i]);
    return ASSAY_OK;
}
