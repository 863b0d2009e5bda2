/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tests/pieces.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dialogue/text/text.h"

static void write_down(pieces *p, const char *text, size_t n)
{
    if (p->n + n + 1 > p->capacity) {
        p->capacity = 2 * (p->n + n + 1);
        p->script = realloc(p->script, p->capacity);
        ck_assert_ptr_nonnull(p->script);
    }
    memcpy(p->script + p->n, text, n);
    p->n += n;
    p->script[p->n] = '\0';
}

static void take(void *context, assay_part part, const char *text, size_t n)
{
    static const char *const begins[] = {"C{", "R{", "CALL{", "ARGUMENTS{"};
    pieces *p = context;
    if (n == 0) ck_abort_msg("nothing was handed out");
    if (!p->under_way || part != p->part) {
        if (p->under_way) write_down(p, "} ", 2);
        write_down(p, begins[part], strlen(begins[part]));
    }
    p->under_way = true;
    p->part = part;
    write_down(p, text, n);
    p->n_bytes += n;
    p->n_pieces++;
    p->cut |= serve_text_unfinished(text, n) > 0;
}

assay_sink pieces_sink(pieces *p)
{
    return (assay_sink){.take = take, .context = p};
}

const char *pieces_script(pieces *p)
{
    write_down(p, "}", p->under_way ? 1 : 0);
    p->under_way = false;
    return p->script;
}

void pieces_free(pieces *p)
{
    free(p->script);
}
