/* SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools/thoughts.h"

#include <string.h>

static bool takes_along(const serve_tools *t)
{
    return t->format->take_along && t->thoughts.had == SERVE_THOUGHT_NONE && t->n_calls == 0;
}

assay_text serve_tools_drop_thoughts(serve_tools *t, assay_text block)
{
    size_t from = 0, begin, end;
    t->block.n = 0;
    while ((begin = serve_span_find(block, from, SERVE_THINK)) != SERVE_NOWHERE &&
           (end = serve_span_find(block, begin, SERVE_THINK_END)) != SERVE_NOWHERE) {
        serve_bytes_add(&t->block, block.at + from, begin - from);
        from = end + strlen(SERVE_THINK_END);
    }
    if (from == 0) return block;
    serve_bytes_add(&t->block, block.at + from, block.n - from);
    return serve_bytes_text(&t->block);
}

serve_tools_found serve_tools_match_thought(serve_tools *t, assay_text text)
{
    if (!t->format->take_along || !t->marked) return SERVE_FOUND_CONTENT;
    const bool begins = !t->thoughts.endless && serve_span_starts(text, SERVE_THINK);
    if (begins || serve_span_starts(text, SERVE_THINK_END)) {
        t->opener = begins ? SERVE_THOUGHT : SERVE_THOUGHT_END;
        return SERVE_FOUND_BLOCK;
    }
    const bool may = serve_span_begins(text, SERVE_THINK) || serve_span_begins(text, SERVE_THINK_END);
    return may ? SERVE_FOUND_MORE : SERVE_FOUND_CONTENT;
}

/* Outside of blocks: a thought up to its end, or the end of one that has no beginning. */
static serve_tools_found look_outside(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->opener == SERVE_THOUGHT_END) {
        *n = strlen(SERVE_THINK_END);
        if (t->thoughts.had != SERVE_THOUGHT_NONE) return SERVE_FOUND_CONTENT;
        if (t->n_calls > 0) return t->format->drops_thought_ends ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
        t->thoughts.had = SERVE_THOUGHT_STRAY;
        t->format->take_along(t, serve_span_part(text, 0, *n));
        return SERVE_FOUND_NOTHING;
    }
    if (serve_span_find_next(text, &t->scan.seen, SERVE_THINK_END) != SERVE_NOWHERE) {
        *n = t->scan.seen;
        t->thoughts.had = SERVE_THOUGHT_WHOLE;
        return SERVE_FOUND_NOTHING;
    }
    t->thoughts.endless = ended;
    *n = strlen(SERVE_THINK);
    return ended ? SERVE_FOUND_CONTENT : SERVE_FOUND_MORE;
}

/* Where the next end of a thought is in text, or SERVE_NOWHERE. What was looked at is not again, however many
 * blocks it is in. */
static size_t find_end(serve_tools *t, assay_text text)
{
    if (t->thoughts.end < t->passed) t->thoughts.end = SERVE_NOWHERE;
    if (t->thoughts.end == SERVE_NOWHERE) {
        size_t seen = t->thoughts.n_searched > t->passed ? t->thoughts.n_searched - t->passed : 0;
        if (seen > text.n) return SERVE_NOWHERE;
        const size_t at = serve_span_find_next(text, &seen, SERVE_THINK_END);
        t->thoughts.n_searched = t->passed + seen;
        if (at == SERVE_NOWHERE) return SERVE_NOWHERE;
        t->thoughts.end = t->passed + at;
    }
    const size_t at = t->thoughts.end - t->passed;
    return at + strlen(SERVE_THINK_END) <= text.n ? at : SERVE_NOWHERE;
}

/* As the format's own, but for the end of a thought in a block that is not whole before it. */
static serve_tools_found look_inside(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const size_t at = takes_along(t) ? find_end(t, text) : SERVE_NOWHERE;
    if (at != SERVE_NOWHERE) {
        const assay_text so_far = serve_span_part(text, 0, at + strlen(SERVE_THINK_END));
        const serve_tools_found found = t->format->look(t, so_far, false, n);
        if (found != SERVE_FOUND_MORE) return found;
        t->thoughts.had = serve_span_find(serve_span_part(text, 0, at), 0, SERVE_THINK) == SERVE_NOWHERE
                              ? SERVE_THOUGHT_STRAY
                              : SERVE_THOUGHT_WHOLE;
        if (t->thoughts.had == SERVE_THOUGHT_STRAY) {
            *n = so_far.n;
            t->format->take_along(t, so_far);
            return SERVE_FOUND_NOTHING;
        }
    }
    t->scan.until = NULL;
    return t->format->look(t, text, ended, n);
}

serve_tools_found serve_tools_look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->opener == SERVE_THOUGHT || t->opener == SERVE_THOUGHT_END) return look_outside(t, text, ended, n);
    const serve_tools_found found = look_inside(t, text, ended, n);
    if (takes_along(t) && t->thoughts.n_searched < t->passed + text.n) t->scan.until = NULL;
    return found;
}
