/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/layouts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

typedef struct kept {
    void *bytes;
    size_t n;
} kept;

struct layout_list {
    kept *kept;
    size_t n;
};

layout_list *layouts_open(void)
{
    return calloc(1, sizeof(layout_list));
}

void layouts_free(layout_list *all)
{
    if (!all) return;
    for (size_t i = 0; i < all->n; i++) free(all->kept[i].bytes);
    free(all->kept);
    free(all);
}

/* Structs are compared byte by byte: none has padding, and the callers set all members. */
static const void *keep(layout_list *all, const void *bytes, size_t n)
{
    for (size_t i = all->n; i-- > 0;)
        if (all->kept[i].n == n && memcmp(all->kept[i].bytes, bytes, n) == 0) return all->kept[i].bytes;
    kept *grown = grow_by_one(all->kept, all->n, sizeof *grown);
    if (!grown) return NULL;
    all->kept = grown;
    void *copy = malloc(n);
    if (!copy) return NULL;
    memcpy(copy, bytes, n);
    all->kept[all->n++] = (kept){copy, n};
    return copy;
}

const assay_layout *layouts_keep(layout_list *all, const assay_layout *layout)
{
    return keep(all, layout, sizeof *layout);
}

const double *layouts_keep_table(layout_list *all, const double *table, size_t n)
{
    return keep(all, table, n * sizeof *table);
}
