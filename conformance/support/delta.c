/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/delta.h"

#include <stdlib.h>
#include <string.h>

static size_t count(const bool *kept, size_t n)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) n_kept += kept[i];
    return n_kept;
}

/* Copies kept without its units number first … first + size - 1, not counting removed ones. */
static void omit(bool *without, const bool *kept, size_t n, size_t first, size_t size)
{
    size_t unit = 0;
    memcpy(without, kept, n * sizeof *kept);
    for (size_t i = 0; i < n; i++) {
        if (!kept[i]) continue;
        if (unit >= first && unit - first < size) without[i] = false;
        unit++;
    }
}

bool conf_delta_units(bool *kept, size_t n, size_t least, conf_delta_units_fn *stays, void *context)
{
    bool *without = calloc(n + 1, sizeof *without), any = false;
    size_t size = count(kept, n);
    while (without && size > 0) {
        bool removed = false;
        for (size_t first = 0; first < count(kept, n);) {
            omit(without, kept, n, first, size);
            if (stays(context, without, n)) {
                memcpy(kept, without, n * sizeof *kept);
                removed = any = true;
            } else first += size;
        }
        const size_t half = (size + 1) / 2;
        if (size > least) size = half > least ? half : least;
        else if (!removed) break;
        const size_t left = count(kept, n);
        if (size > left) size = left;
    }
    free(without);
    return any;
}

size_t conf_delta_count(size_t least, size_t n, conf_delta_count_fn *stays, void *context)
{
    if (least >= n) return n;
    if (stays(context, least)) return least;
    size_t below = least;
    while (n - below > 1) {
        const size_t middle = below + (n - below) / 2;
        if (stays(context, middle)) n = middle;
        else below = middle;
    }
    return n;
}
