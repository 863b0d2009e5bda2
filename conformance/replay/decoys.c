/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/decoys.h"

#include <string.h>

static bool is_placeholder(const conf_placeholders *p, int32_t token)
{
    return (p->side > 0 && (token == p->image || token == p->video)) || (p->chunk > 0 && token == p->audio);
}

void conf_decoys_fill(const int32_t *tokens, size_t n, size_t first, const conf_placeholders *placeholders,
                      int32_t *decoys)
{
    memcpy(decoys, tokens, n * sizeof *decoys);
    for (size_t to = first, from = n; to < n; to++) {
        if (is_placeholder(placeholders, tokens[to])) continue;
        while (is_placeholder(placeholders, tokens[--from])) {}
        decoys[to] = tokens[from];
    }
}
