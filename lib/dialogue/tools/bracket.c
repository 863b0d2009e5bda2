/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/bracket.h"

#include "dialogue/text/span.h"

serve_bracket serve_bracket_read(assay_text text, size_t *mark)
{
    if (mark[1] == 0) {
        mark[0] = serve_span_skip(text, mark[0] > 0 ? mark[0] : strlen(SERVE_BRACKET));
        mark[1] = mark[0];
    }
    mark[1] += serve_span_word(serve_span_from(text, mark[1]));
    const assay_text rest = serve_span_from(text, mark[1]);
    const bool named = mark[1] > mark[0];
    if (rest.n == 0) {
        if (!named) mark[1] = 0; /* more white space may follow */
        return SERVE_BRACKET_OPEN;
    }
    if (!named) return SERVE_BRACKET_OTHER;
    if (serve_span_begins(rest, "({")) return SERVE_BRACKET_OPEN;
    return serve_span_starts(rest, "({") ? SERVE_BRACKET_CALL : SERVE_BRACKET_OTHER;
}

bool serve_bracket_ends(assay_text text, size_t *mark)
{
    if (!serve_span_ends(text, "}" SERVE_BRACKET_END)) return false;
    while (serve_span_find_next(text, &mark[1], SERVE_BRACKET) != SERVE_NOWHERE) mark[0] = mark[1];
    if (mark[0] == 0) return false;
    const assay_text last = serve_span_from(text, mark[0] - strlen(SERVE_BRACKET));
    return serve_bracket_read(last, (size_t[2]){0}) == SERVE_BRACKET_CALL;
}
